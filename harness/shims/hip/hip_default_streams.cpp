// SPDX-License-Identifier: Apache-2.0
//
// Handle 0 is the legacy default stream.

#include "shims/hip/hip_shim.hpp"
#include "shims/common/default_stream_work.inc"
