// SPDX-License-Identifier: Apache-2.0
//
// Libraries of kernels that a program loads while it runs. What only their code could tell, such as
// which kernels and variables there are, is refused.

#include "shims/common/loaded_code.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

namespace {

namespace shim = dlcert::shim;

using shim::LoadedCode;

LoadedCode code_of(cudaLibrary_t library) {
  return reinterpret_cast<LoadedCode>(library);
}

}  // namespace

extern "C" cudaError_t cudaLibraryLoadData(cudaLibrary_t* out, const void* code,
                                           cudaJitOption* /*options*/, void** /*values*/,
                                           unsigned int /*count*/,
                                           cudaLibraryOption* /*library_options*/,
                                           void** /*library_values*/,
                                           unsigned int /*library_count*/) {
  return run_for<LoadedCode>(
      out, [&](SimulatedDriver&, LoadedCode& library) { return shim::load_code(code, library); });
}

extern "C" cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* out, const char* path,
                                               cudaJitOption* /*options*/, void** /*values*/,
                                               unsigned int /*count*/,
                                               cudaLibraryOption* /*library_options*/,
                                               void** /*library_values*/,
                                               unsigned int /*library_count*/) {
  return run_for<LoadedCode>(out, [&](SimulatedDriver&, LoadedCode& library) {
    return shim::load_code_file(path, library);
  });
}

extern "C" cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return run([&](SimulatedDriver&) {
    return shim::unload_code(code_of(library)) ? Status::success : Status::invalid_value;
  });
}

extern "C" cudaError_t cudaLibraryGetKernel(cudaKernel_t* out, cudaLibrary_t library,
                                            const char* name) {
  return run_for<const void*>(out, [&](SimulatedDriver&, const void*& kernel) {
    if (name == nullptr) return Status::invalid_value;
    kernel = shim::find_loaded_kernel(code_of(library), name);
    return kernel != nullptr ? Status::success : Status::invalid_handle;
  });
}

// Devices here have none, as their attribute says.
extern "C" cudaError_t cudaLibraryGetUnifiedFunction(void** out, cudaLibrary_t library,
                                                     const char* name) {
  return run([&](SimulatedDriver&) {
    if (out == nullptr || name == nullptr) return Status::invalid_value;
    return shim::is_loaded(code_of(library)) ? shim::symbol_not_found : Status::invalid_handle;
  });
}
