// SPDX-License-Identifier: Apache-2.0
//
// Modules, libraries and kernels.

#include "shims/common/functions.hpp"
#include "shims/common/kernels.hpp"
#include "shims/common/loaded_code.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

namespace shim = dlcert::shim;

using shim::LoadedCode;

template <class Native>
LoadedCode code_of(Native native) {
  return reinterpret_cast<LoadedCode>(native);
}

const shim::LoadedKernel* kernel_of(const void* native) {
  return static_cast<const shim::LoadedKernel*>(native);
}

CUresult unload(LoadedCode code) {
  return run([&](SimulatedDriver&) {
    return shim::unload_code(code) ? Status::success : Status::invalid_value;
  });
}

// A module is of the current context, a library of all.
template <class Native>
CUresult load_module(Native* out, const void* code) {
  return run_in_context_for<LoadedCode>(
      out, [&](SimulatedDriver&, LoadedCode& module) { return shim::load_code(code, module); });
}

template <class Native>
CUresult get_function(Native* out, LoadedCode code, const char* name) {
  return run_for<const void*>(out, [&](SimulatedDriver&, const void*& function) {
    if (name == nullptr) return Status::invalid_value;
    function = shim::find_loaded_kernel(code, name);
    return function != nullptr ? Status::success : Status::invalid_handle;
  });
}

// `body()` of a function that there is.
template <class Body>
CUresult run_on(const void* function, Body&& body) {
  return run([&](SimulatedDriver&) {
    return shim::find_kernel(function) != nullptr ? body() : Status::invalid_handle;
  });
}

Status find_attribute(SimulatedDriver& driver, int attribute, int& out) {
  dlcert::driver::DeviceProperties device;
  int ordinal = 0;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      out = shim::threads_per_block;
      return Status::success;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      out = shim::registers_per_thread;
      return Status::success;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      out = shim::shared_bytes_per_block;
      return Status::success;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: {
      Status status = driver.current_device(ordinal);
      if (status == Status::success) status = driver.properties(ordinal, device);
      out = device.major * 10 + device.minor;
      return status;
    }
    default:
      out = 0;
      return attribute >= 0 && attribute < CU_FUNC_ATTRIBUTE_MAX ? Status::success
                                                                 : Status::invalid_value;
  }
}

CUresult get_attribute(int* out, CUfunction_attribute attribute, const void* function) {
  return run_for<int>(out, [&](SimulatedDriver& driver, int& value) {
    if (shim::find_kernel(function) == nullptr) return Status::invalid_handle;
    return find_attribute(driver, number_of(attribute), value);
  });
}

CUresult active_blocks(int* out, const void* function, int threads, std::size_t shared_bytes) {
  return run_on(function, [&] {
    if (out == nullptr || threads <= 0) return Status::invalid_value;
    *out = shim::active_blocks(threads, shared_bytes, 32);
    return Status::success;
  });
}

}  // namespace

// ---- modules ------------------------------------------------------------------------------------

extern "C" CUresult cuModuleLoad(CUmodule* out, const char* path) {
  return run_in_context_for<LoadedCode>(out, [&](SimulatedDriver&, LoadedCode& module) {
    return shim::load_code_file(path, module);
  });
}

extern "C" CUresult cuModuleLoadData(CUmodule* out, const void* code) {
  return load_module(out, code);
}

extern "C" CUresult cuModuleLoadDataEx(CUmodule* out, const void* code, unsigned int /*count*/,
                                       CUjit_option* /*options*/, void** /*values*/) {
  return load_module(out, code);
}

extern "C" CUresult cuModuleLoadFatBinary(CUmodule* out, const void* code) {
  return load_module(out, code);
}

extern "C" CUresult cuModuleUnload(CUmodule module) {
  return unload(code_of(module));
}

extern "C" CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  return get_function(out, code_of(module), name);
}

extern "C" CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* out) {
  return run([&](SimulatedDriver&) {
    if (out == nullptr) return Status::invalid_value;
    *out = CU_MODULE_LAZY_LOADING;
    return Status::success;
  });
}

// ---- libraries ----------------------------------------------------------------------------------

extern "C" CUresult cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option* /*options*/,
                                      void** /*values*/, unsigned int /*count*/,
                                      CUlibraryOption* /*library_options*/,
                                      void** /*library_values*/, unsigned int /*library_count*/) {
  return run_for<LoadedCode>(
      out, [&](SimulatedDriver&, LoadedCode& library) { return shim::load_code(code, library); });
}

extern "C" CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path,
                                          CUjit_option* /*options*/, void** /*values*/,
                                          unsigned int /*count*/,
                                          CUlibraryOption* /*library_options*/,
                                          void** /*library_values*/,
                                          unsigned int /*library_count*/) {
  return run_for<LoadedCode>(out, [&](SimulatedDriver&, LoadedCode& library) {
    return shim::load_code_file(path, library);
  });
}

extern "C" CUresult cuLibraryUnload(CUlibrary library) {
  return unload(code_of(library));
}

extern "C" CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary library, const char* name) {
  return get_function(out, code_of(library), name);
}

extern "C" CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
  return run_for<LoadedCode>(out, [&](SimulatedDriver&, LoadedCode& module) {
    module = code_of(library);
    return shim::is_loaded(module) ? Status::success : Status::invalid_handle;
  });
}

// Devices here have none, as their attribute says.
extern "C" CUresult cuLibraryGetUnifiedFunction(void** out, CUlibrary library, const char* name) {
  return run([&](SimulatedDriver&) {
    if (out == nullptr || name == nullptr) return Status::invalid_value;
    return shim::is_loaded(code_of(library)) ? shim::symbol_not_found : Status::invalid_handle;
  });
}

// A kernel is the function of every context.
extern "C" CUresult cuKernelGetFunction(CUfunction* out, CUkernel kernel) {
  return run_on(kernel, [&] {
    if (out == nullptr) return Status::invalid_value;
    *out = reinterpret_cast<CUfunction>(kernel);
    return Status::success;
  });
}

extern "C" CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel kernel) {
  return run_on(kernel, [&] {
    if (out == nullptr) return Status::invalid_value;
    *out = reinterpret_cast<CUlibrary>(kernel_of(kernel)->code);
    return Status::success;
  });
}

// ---- kernels ------------------------------------------------------------------------------------

extern "C" CUresult cuFuncGetModule(CUmodule* out, CUfunction function) {
  return run_on(function, [&] {
    if (out == nullptr) return Status::invalid_value;
    *out = reinterpret_cast<CUmodule>(kernel_of(function)->code);
    return Status::success;
  });
}

extern "C" CUresult cuFuncGetName(const char** out, CUfunction function) {
  return run_on(function, [&] {
    if (out == nullptr) return Status::invalid_value;
    *out = shim::find_kernel(function);
    return Status::success;
  });
}

extern "C" CUresult cuKernelGetName(const char** out, CUkernel kernel) {
  return cuFuncGetName(out, reinterpret_cast<CUfunction>(kernel));
}

extern "C" CUresult cuFuncLoad(CUfunction function) {
  return run_on(function, [] { return Status::success; });
}

extern "C" CUresult cuFuncGetAttribute(int* out, CUfunction_attribute attribute,
                                       CUfunction function) {
  return get_attribute(out, attribute, function);
}

extern "C" CUresult cuKernelGetAttribute(int* out, CUfunction_attribute attribute, CUkernel kernel,
                                         CUdevice /*device*/) {
  return get_attribute(out, attribute, kernel);
}

// Settings of kernels change nothing here.
extern "C" CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute /*attribute*/,
                                       int /*value*/) {
  return run_on(function, [] { return Status::success; });
}

extern "C" CUresult cuKernelSetAttribute(CUfunction_attribute /*attribute*/, int /*value*/,
                                         CUkernel kernel, CUdevice /*device*/) {
  return run_on(kernel, [] { return Status::success; });
}

extern "C" CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache /*config*/) {
  return run_on(function, [] { return Status::success; });
}

extern "C" CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* out, CUfunction function,
                                                                int threads, size_t shared_bytes) {
  return active_blocks(out, function, threads, shared_bytes);
}

extern "C" CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* out, CUfunction function, int threads, size_t shared_bytes, unsigned int /*flags*/) {
  return active_blocks(out, function, threads, shared_bytes);
}
