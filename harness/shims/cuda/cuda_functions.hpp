// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// What programs set of kernels on the device is void.
void forget_functions(SimulatedDriver& driver, int device);

}  // namespace dlcert::shim
