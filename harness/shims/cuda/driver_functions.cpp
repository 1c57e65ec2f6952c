// SPDX-License-Identifier: Apache-2.0

#include "shims/cuda/driver_functions.hpp"

#include <dlfcn.h>

#include <string>

namespace dlcert::shim {
namespace {

// cuGetProcAddress_v2, with its enumeration as a number.
using Find = int (*)(const char* name, void** out, int version, unsigned long long flags,
                     int* result);

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
  return static_cast<Status>(find(name, &out.function, version, flags, &out.result));
}

}  // namespace dlcert::shim
