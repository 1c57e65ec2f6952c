// SPDX-License-Identifier: Apache-2.0
//
// The same under their names with _spt: handle 0 is the per-thread default stream.

#define HIP_API_PER_THREAD_DEFAULT_STREAM

#include "shims/hip/hip_shim.hpp"
#include "shims/common/default_stream_work.inc"
