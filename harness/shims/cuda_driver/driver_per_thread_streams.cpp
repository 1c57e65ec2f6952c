// SPDX-License-Identifier: Apache-2.0
//
// The same under their names with _ptsz and _ptds: handle 0 is the per-thread default stream.

#define CUDA_API_PER_THREAD_DEFAULT_STREAM

#include "shims/cuda_driver/driver_work.inc"
