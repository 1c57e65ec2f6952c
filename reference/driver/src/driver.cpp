// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/driver.hpp"

namespace dlcert::driver {

Driver::~Driver() = default;

}  // namespace dlcert::driver

/// Only its address counts: a process with two of them has two worlds.
extern "C" {
extern DLCERT_DRIVER_EXPORT const char dlcert_driver_world;
const char dlcert_driver_world = 1;
}
