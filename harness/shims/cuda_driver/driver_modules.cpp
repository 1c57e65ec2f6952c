// SPDX-License-Identifier: Apache-2.0
//
// Modules, libraries and kernels. Their code is not read: a module has a kernel of every name, and
// all kernels need the same of a device.

#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "shims/common/functions.hpp"
#include "shims/common/kernels.hpp"
#include "shims/cuda_driver/driver_shim.hpp"

namespace {

namespace shim = dlcert::shim;

using Handle = void**;  // of a module or of a library

struct Function {
  Handle module;
  std::string name;
};

// The functions that programs have asked for. Never destroyed, as programs may call until they
// have ended.
struct Functions {
  std::mutex mutex;
  std::map<std::pair<Handle, std::string>, std::unique_ptr<Function>> by_name;
};

Functions& functions() {
  static Functions& all = *new Functions;
  return all;
}

template <class Native>
Handle module_of(Native native) {
  return reinterpret_cast<Handle>(native);
}

Function* function_of(const void* native) {
  return static_cast<Function*>(const_cast<void*>(native));
}

const Function* find_function(Handle module, const char* name) {
  const std::scoped_lock lock{functions().mutex};
  auto& function = functions().by_name[{module, name}];
  if (function == nullptr) {
    function = std::make_unique<Function>(Function{module, name});
    shim::add_kernel(module, function.get(), function->name.c_str());
  }
  return function.get();
}

void forget(Handle module) {
  const std::scoped_lock lock{functions().mutex};
  shim::drop_module(module);
  std::erase_if(functions().by_name, [&](const auto& each) { return each.first.first == module; });
}

template <class Native>
CUresult load(Native* out, const void* code) {
  return run_in_context_for<Handle>(out, [&](SimulatedDriver&, Handle& module) {
    if (code == nullptr) return Status::invalid_value;
    module = shim::add_module();
    return Status::success;
  });
}

template <class Native>
CUresult load_file(Native* out, const char* path) {
  return run_in_context_for<Handle>(out, [&](SimulatedDriver&, Handle& module) {
    if (path == nullptr) return Status::invalid_value;
    if (!std::ifstream{path}) return static_cast<Status>(CUDA_ERROR_FILE_NOT_FOUND);
    module = shim::add_module();
    return Status::success;
  });
}

template <class Native>
CUresult get_function(Native* out, Handle module, const char* name) {
  return run_for<const void*>(out, [&](SimulatedDriver&, const void*& function) {
    if (module == nullptr || name == nullptr) return Status::invalid_value;
    function = find_function(module, name);
    return Status::success;
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
  return load_file(out, path);
}

extern "C" CUresult cuModuleLoadData(CUmodule* out, const void* code) {
  return load(out, code);
}

extern "C" CUresult cuModuleLoadDataEx(CUmodule* out, const void* code, unsigned int /*count*/,
                                       CUjit_option* /*options*/, void** /*values*/) {
  return load(out, code);
}

extern "C" CUresult cuModuleLoadFatBinary(CUmodule* out, const void* code) {
  return load(out, code);
}

extern "C" CUresult cuModuleUnload(CUmodule module) {
  return run([&](SimulatedDriver&) {
    forget(module_of(module));
    return Status::success;
  });
}

extern "C" CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  return get_function(out, module_of(module), name);
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
  return load(out, code);
}

extern "C" CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path,
                                          CUjit_option* /*options*/, void** /*values*/,
                                          unsigned int /*count*/,
                                          CUlibraryOption* /*library_options*/,
                                          void** /*library_values*/,
                                          unsigned int /*library_count*/) {
  return load_file(out, path);
}

extern "C" CUresult cuLibraryUnload(CUlibrary library) {
  return run([&](SimulatedDriver&) {
    forget(module_of(library));
    return Status::success;
  });
}

extern "C" CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary library, const char* name) {
  return get_function(out, module_of(library), name);
}

extern "C" CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
  return run_for<Handle>(out, [&](SimulatedDriver&, Handle& module) {
    module = module_of(library);
    return module != nullptr ? Status::success : Status::invalid_handle;
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
    *out = reinterpret_cast<CUlibrary>(function_of(kernel)->module);
    return Status::success;
  });
}

// ---- kernels ------------------------------------------------------------------------------------

extern "C" CUresult cuFuncGetModule(CUmodule* out, CUfunction function) {
  return run_on(function, [&] {
    if (out == nullptr) return Status::invalid_value;
    *out = reinterpret_cast<CUmodule>(function_of(function)->module);
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
