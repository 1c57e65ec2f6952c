// SPDX-License-Identifier: Apache-2.0

#include "cuda/cuda_api.hpp"
#include "vendor/vendor_driver.inc"
