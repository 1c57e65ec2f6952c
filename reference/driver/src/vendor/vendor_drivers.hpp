// SPDX-License-Identifier: Apache-2.0
//
// The drivers over a vendor's runtime. Each is a module of its own, loaded when it is asked for, so
// that all else runs where there is no such runtime.

#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "dlcert/driver/driver.hpp"
#include "dlcert/driver/export.hpp"

namespace dlcert::driver {

/// Throw std::runtime_error, one line, when the module was not built or cannot be loaded, and when
/// the runtime has no device.
[[nodiscard]] std::unique_ptr<Driver> make_cuda_driver();
[[nodiscard]] std::unique_ptr<Driver> make_cuda_driver_api_driver();
[[nodiscard]] std::unique_ptr<Driver> make_hip_driver();

struct VendorModule {
  std::string_view driver;   ///< "cuda"
  std::string_view toolkit;  ///< what it is built with, for messages
};

/// From libdlcert_driver_<driver>.so in `folder`. The module stays loaded until the process ends.
[[nodiscard]] std::unique_ptr<Driver> load_driver(const VendorModule& module,
                                                  const std::filesystem::path& folder);

}  // namespace dlcert::driver

extern "C" {
/// What each module exports. The caller owns the result. Throws std::runtime_error, one line, when
/// the runtime has no device.
[[nodiscard]] DLCERT_DRIVER_EXPORT dlcert::driver::Driver* dlcert_make_driver();
}
