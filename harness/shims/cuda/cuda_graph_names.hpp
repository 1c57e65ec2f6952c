// SPDX-License-Identifier: Apache-2.0
//
// What CUDA 13 has under these names, 12 has under others.

#pragma once

#include <cuda_runtime_api.h>

#if CUDART_VERSION < 13000
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#endif
