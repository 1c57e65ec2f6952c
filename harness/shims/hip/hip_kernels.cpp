// SPDX-License-Identifier: Apache-2.0
//
// What the code that hipcc writes calls, and what is not modelled and returns no error.

#include "shims/common/kernels.hpp"
#include "shims/common/variables.hpp"
#include "shims/hip/hip_shim.hpp"
#include "shims/common/entry_points.inc"

using Configuration = dlcert::shim::CallConfiguration<dim3, hipStream_t>;

// Known to the compiler alone.
extern "C" {
void** __hipRegisterFatBinary(const void* code);
void __hipUnregisterFatBinary(void** module);
void __hipRegisterFunction(void** module, const void* function, char* on_device, const char* name,
                           unsigned int thread_limit, uint3* thread, uint3* block,
                           dim3* block_extent, dim3* grid_extent, int* wave_size);
void __hipRegisterVar(void** module, void* variable, char* host_name, char* name, int ext,
                      size_t bytes, int constant, int global);
}

// ---- registration -------------------------------------------------------------------------------

extern "C" void** __hipRegisterFatBinary(const void* /*code*/) {
  return dlcert::shim::add_module();
}

extern "C" void __hipUnregisterFatBinary(void** module) {
  dlcert::shim::drop_variables(module);
  dlcert::shim::drop_module(module);
}

extern "C" void __hipRegisterFunction(void** module, const void* function, char* /*on_device*/,
                                      const char* name, unsigned int /*thread_limit*/,
                                      uint3* /*thread*/, uint3* /*block*/, dim3* /*block_extent*/,
                                      dim3* /*grid_extent*/, int* /*wave_size*/) {
  dlcert::shim::add_kernel(module, function, name);
}

extern "C" void __hipRegisterVar(void** module, void* variable, char* /*host_name*/, char* name,
                                 int /*ext*/, size_t bytes, int /*constant*/, int /*global*/) {
  dlcert::shim::add_variable(module, variable, name, bytes);
}

// ---- launches -----------------------------------------------------------------------------------

extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                                 hipStream_t stream) {
  Configuration::stack().push_back({grid, block, shared_bytes, stream});
  return hipSuccess;
}

extern "C" hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                                hipStream_t* stream) {
  return run([&](SimulatedDriver&) {
    const bool found = Configuration::pop(grid, block, shared_bytes, stream);
    return found ? Status::success : dlcert::shim::invalid_configuration;
  });
}

// ---- not modelled, and no hipError_t ------------------------------------------------------------

namespace {

void report(const char* name, std::atomic_flag& reported) {
  static_cast<void>(dlcert::shim::not_modelled(name, reported));
}

}  // namespace

#define DLCERT_NOT_MODELLED_AS(type, name, value) \
  extern "C" type name;                           \
  extern "C" type name {                          \
    static std::atomic_flag reported;             \
    report(__func__, reported);                   \
    return value;                                 \
  }

extern "C" const char* hipGetCmdName(unsigned int operation);
extern "C" const char* hiprtcGetErrorString(int result);

DLCERT_NOT_MODELLED_AS(const char*, hipApiName(uint32_t /*id*/), "unknown")
DLCERT_NOT_MODELLED_AS(const char*, hipKernelNameRef(hipFunction_t /*function*/), "unknown")
DLCERT_NOT_MODELLED_AS(const char*,
                       hipKernelNameRefByPtr(const void* /*function*/, hipStream_t /*stream*/),
                       "unknown")
DLCERT_NOT_MODELLED_AS(const char*, hipGetCmdName(unsigned int /*operation*/), "unknown")
DLCERT_NOT_MODELLED_AS(const char*, hiprtcGetErrorString(int /*result*/), "not modelled")
DLCERT_NOT_MODELLED_AS(const char*, amd_dbgapi_get_build_name(), "")
DLCERT_NOT_MODELLED_AS(const char*, amd_dbgapi_get_git_hash(), "")
DLCERT_NOT_MODELLED_AS(size_t, amd_dbgapi_get_build_id(), 0)
DLCERT_NOT_MODELLED_AS(int, hipGetStreamDeviceId(hipStream_t /*stream*/), -1)
DLCERT_NOT_MODELLED_AS(bool, hipEnableActivityCallback(unsigned /*a*/, unsigned /*b*/, bool /*c*/),
                       false)

extern "C" hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                     hipChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
