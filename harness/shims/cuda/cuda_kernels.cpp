// SPDX-License-Identifier: Apache-2.0
//
// What the code that nvcc writes calls.

#include "shims/common/kernels.hpp"
#include "shims/common/variables.hpp"
#include "shims/cuda/cuda_shim.hpp"
#include "shims/common/entry_points.inc"

using Configuration = dlcert::shim::CallConfiguration<dim3, cudaStream_t>;

// Declared to nvcc alone, in crt/host_runtime.h.
extern "C" {
void** __cudaRegisterFatBinary(void* code);
void __cudaRegisterFatBinaryEnd(void** module);
void __cudaUnregisterFatBinary(void** module);
char __cudaInitModule(void** module);
void __cudaRegisterFunction(void** module, const char* function, char* on_device, const char* name,
                            int thread_limit, uint3* thread, uint3* block, dim3* block_extent,
                            dim3* grid_extent, int* warp_size);
void __cudaRegisterVar(void** module, char* variable, char* on_device, const char* name, int ext,
                       size_t bytes, int constant, int global);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     CUstream_st* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* function);
}

// ---- registration -------------------------------------------------------------------------------

extern "C" void** __cudaRegisterFatBinary(void* /*code*/) {
  return dlcert::shim::add_module();
}

extern "C" void __cudaRegisterFatBinaryEnd(void** /*module*/) {}

extern "C" void __cudaUnregisterFatBinary(void** module) {
  dlcert::shim::drop_variables(module);
  dlcert::shim::drop_module(module);
}

extern "C" char __cudaInitModule(void** /*module*/) {
  return 1;
}

extern "C" void __cudaRegisterFunction(void** module, const char* function, char* /*on_device*/,
                                       const char* name, int /*thread_limit*/, uint3* /*thread*/,
                                       uint3* /*block*/, dim3* /*block_extent*/,
                                       dim3* /*grid_extent*/, int* /*warp_size*/) {
  dlcert::shim::add_kernel(module, function, name);
}

extern "C" void __cudaRegisterVar(void** module, char* variable, char* /*on_device*/,
                                  const char* name, int /*ext*/, size_t bytes, int /*constant*/,
                                  int /*global*/) {
  dlcert::shim::add_variable(module, variable, name, bytes);
}

// ---- launches -----------------------------------------------------------------------------------

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                CUstream_st* stream) {
  Configuration::stack().push_back({grid, block, shared_bytes, stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                  void* stream) {
  return run([&](SimulatedDriver&) {
    const bool found =
        Configuration::pop(grid, block, shared_bytes, static_cast<cudaStream_t*>(stream));
    return found ? Status::success : dlcert::shim::invalid_configuration;
  });
}

namespace {

// A kernel's handle is the address of its stub, so that launches take both.
cudaError_t get_kernel(cudaKernel_t* out, const void* function) {
  return run([&](SimulatedDriver&) {
    if (out == nullptr) return Status::invalid_value;
    if (dlcert::shim::find_kernel(function) == nullptr)
      return dlcert::shim::invalid_device_function;
    *out = std::bit_cast<cudaKernel_t>(function);
    return Status::success;
  });
}

}  // namespace

extern "C" cudaError_t cudaGetKernel(cudaKernel_t* out, const void* function) {
  return get_kernel(out, function);
}

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t* out, const void* function) {
  return get_kernel(out, function);
}
