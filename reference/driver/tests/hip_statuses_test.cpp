// SPDX-License-Identifier: Apache-2.0

#include "hip/hip_api.hpp"
#include "vendor_statuses_test.inc"
