// SPDX-License-Identifier: Apache-2.0
//
// The driver of the process. There is one, chosen once: by name, or by the first use.

#pragma once

#include <string_view>

#include "dlcert/driver/driver.hpp"
#include "dlcert/driver/export.hpp"

namespace dlcert::driver {

/// The driver in use. The first call chooses the one that the environment variable DLCERT_DRIVER
/// names, else the simulated one, and throws what `select_driver` throws. Lives until the process
/// ends. May be called from any thread.
[[nodiscard]] DLCERT_DRIVER_EXPORT Driver& driver();

/// Chooses "simulated", "cuda" or "hip" and returns it. Naming the driver in use is allowed.
/// Throws, in one line, std::invalid_argument for another name, std::logic_error when another
/// driver is in use, and std::runtime_error when this machine cannot offer the driver; then nothing
/// is chosen. May be called from any thread.
DLCERT_DRIVER_EXPORT Driver& select_driver(std::string_view name);

}  // namespace dlcert::driver
