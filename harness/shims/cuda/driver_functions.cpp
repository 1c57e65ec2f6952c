// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda/driver_functions.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <string>

namespace dlcert::shim {
namespace {

using Find = decltype(&cuGetProcAddress_v2);

// By its path: another libcuda, the vendor's, may be in the process under the same name.
Find open_driver() {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&open_driver), &self) == 0) return nullptr;
  const std::string own{self.dli_fname};
  const std::size_t end = own.rfind('/');
  const std::string folder = end == std::string::npos ? "." : own.substr(0, end);
  void* const driver = ::dlopen((folder + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return nullptr;
  return reinterpret_cast<Find>(::dlsym(driver, "cuGetProcAddress_v2"));
}

}  // namespace

Status find_driver_function(const char* name, int version, unsigned long long flags,
                            DriverFunction& out) {
  static const Find find = open_driver();
  if (find == nullptr) return Status::success;
  CUdriverProcAddressQueryResult result{};
  const CUresult status = find(name, &out.function, version, flags, &result);
  if (status == CUDA_SUCCESS) out.result = static_cast<int>(result);
  return static_cast<Status>(status);
}

}  // namespace dlcert::shim
