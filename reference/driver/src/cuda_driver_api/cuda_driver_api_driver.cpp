// SPDX-License-Identifier: Apache-2.0

#include "cuda_driver_api/cuda_driver_api.hpp"
#include "vendor/vendor_driver.inc"
