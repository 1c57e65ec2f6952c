// SPDX-License-Identifier: Apache-2.0
//
// Handle 0 is the legacy default stream.

#include "shims/cuda_driver/driver_work.inc"
