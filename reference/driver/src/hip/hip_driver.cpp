// SPDX-License-Identifier: Apache-2.0

#include "hip/hip_api.hpp"
#include "vendor/vendor_driver.inc"
