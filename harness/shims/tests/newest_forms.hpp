// SPDX-License-Identifier: Apache-2.0
//
// Calls of CUDA 12 in the form that CUDA 13 gave them, so that the tests of both are the same.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#if CUDART_VERSION < 13000
namespace dlcert::shim {

inline cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes,
                                        cudaMemLocation location, unsigned int flags,
                                        cudaStream_t stream) {
  return ::cudaMemPrefetchAsync_v2(memory, bytes, location, flags, stream);
}

inline cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                                 cudaMemLocation location) {
  return ::cudaMemAdvise_v2(memory, bytes, advice, location);
}

inline cudaError_t cudaMemcpyBatchAsync(void** to, const void** from, std::size_t* bytes,
                                        std::size_t count, cudaMemcpyAttributes* attributes,
                                        std::size_t* begins, std::size_t attribute_count,
                                        cudaStream_t stream) {
  std::size_t failed = 0;
  return ::cudaMemcpyBatchAsync(to, const_cast<void**>(from), bytes, count, attributes, begins,
                                attribute_count, &failed, stream);
}

inline cudaError_t cudaMemcpy3DBatchAsync(std::size_t count, cudaMemcpy3DBatchOp* operations,
                                          unsigned long long flags, cudaStream_t stream) {
  std::size_t failed = 0;
  return ::cudaMemcpy3DBatchAsync(count, operations, &failed, flags, stream);
}

}  // namespace dlcert::shim
#endif
