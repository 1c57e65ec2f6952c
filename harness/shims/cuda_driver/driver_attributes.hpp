// SPDX-License-Identifier: Apache-2.0
//
// Attributes of devices. They have the numbers that the runtime gives them, and here some more.

#pragma once

#include "dlcert/driver/simulated.hpp"

namespace dlcert::shim {

/// The value of CU_DEVICE_ATTRIBUTE_*; false where there is none of that number.
bool find_attribute(const driver::DeviceProperties& of, int attribute, int& out);

}  // namespace dlcert::shim
