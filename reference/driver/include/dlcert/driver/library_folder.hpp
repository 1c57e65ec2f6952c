// SPDX-License-Identifier: Apache-2.0
//
// Where modules lie that need a vendor's toolkit and are loaded when they are asked for.

#pragma once

#include <filesystem>

#include "dlcert/driver/export.hpp"

namespace dlcert::driver {

/// The folder of libdlcert_driver.so. Throws std::runtime_error when the loader cannot tell.
[[nodiscard]] DLCERT_DRIVER_EXPORT std::filesystem::path library_folder();

}  // namespace dlcert::driver
