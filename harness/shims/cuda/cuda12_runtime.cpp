// SPDX-License-Identifier: Apache-2.0
//
// Entry points that CUDA 12 has and 13 has no more.

#include "shims/cuda/cuda_shim.hpp"

extern "C" cudaError_t cudaEventElapsedTime_v2(float* out, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(out, start, end);
}

extern "C" cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
