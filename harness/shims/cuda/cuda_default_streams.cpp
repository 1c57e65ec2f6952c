// SPDX-License-Identifier: Apache-2.0
//
// Handle 0 is the legacy default stream.

#include "shims/cuda/cuda_driver_entry_points.inc"
#include "shims/cuda/cuda_stream_work.inc"
