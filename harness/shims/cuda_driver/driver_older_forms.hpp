// SPDX-License-Identifier: Apache-2.0
//
// Forms of functions that cuda.h no longer declares by default, and which libraries built with
// older headers call. Included behind the undefinition of the name, where it is a macro.

#pragma once

#include <cuda.h>

#undef cuCtxCreate
#undef cuDeviceGetUuid
#undef cuEventElapsedTime
#undef cuGetProcAddress

extern "C" {
CUresult cuCtxCreate_v2(CUcontext* out, unsigned int flags, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid* out, CUdevice device);
CUresult cuEventElapsedTime(float* out, CUevent start, CUevent end);
CUresult cuGetProcAddress(const char* name, void** out, int version, cuuint64_t flags);
}
