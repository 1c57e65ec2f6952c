// SPDX-License-Identifier: Apache-2.0

#include "vendor/vendor_drivers.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "dlcert/driver/library_folder.hpp"

namespace dlcert::driver {
namespace {

[[noreturn]] void throw_loader_error(const VendorModule& module) {
  throw std::runtime_error("driver '" + std::string(module.driver) + "': " + ::dlerror());
}

}  // namespace

std::unique_ptr<Driver> load_driver(const VendorModule& module,
                                    const std::filesystem::path& folder) {
  const std::string name(module.driver);
  const std::filesystem::path file = folder / ("libdlcert_driver_" + name + ".so");
  if (!std::filesystem::exists(file)) {
    throw std::runtime_error("driver '" + name + "' was not built here (" +
                             std::string(module.toolkit) + " not found)");
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_loader_error(module);
  void* const symbol = ::dlsym(library, "dlcert_make_driver");
  if (symbol == nullptr) throw_loader_error(module);
  const auto make = reinterpret_cast<decltype(&dlcert_make_driver)>(symbol);
  return std::unique_ptr<Driver>(make());
}

std::unique_ptr<Driver> make_cuda_driver() {
  return load_driver({"cuda", "CUDA Toolkit"}, library_folder());
}

std::unique_ptr<Driver> make_cuda_driver_api_driver() {
  return load_driver({"cuda-driver", "CUDA Toolkit 13"}, library_folder());
}

std::unique_ptr<Driver> make_hip_driver() {
  return load_driver({"hip", "ROCm HIP"}, library_folder());
}

}  // namespace dlcert::driver
