// SPDX-License-Identifier: Apache-2.0
//
// CUDA's runtime under the names that vendor_driver.inc uses, and what it has differently from HIP.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "dlcert/driver/driver.hpp"

#define DLCERT_GPU(name) cuda##name

namespace dlcert::driver::vendor_api {

using NativeAttributes = cudaPointerAttributes;
using NativeProperties = cudaDeviceProp;

inline constexpr std::string_view driver_name = "cuda";
inline constexpr Vendor vendor = Vendor::cuda;

inline cudaError_t allocate_pinned(void** out, std::size_t bytes) {
  return cudaHostAlloc(out, bytes, cudaHostAllocDefault);
}

inline cudaError_t release_pinned(void* memory) {
  return cudaFreeHost(memory);
}

inline cudaError_t read_uuid(int /*device*/, const cudaDeviceProp& found, DeviceProperties& out) {
  static_assert(sizeof found.uuid.bytes == sizeof out.uuid);
  std::memcpy(out.uuid.data(), found.uuid.bytes, sizeof out.uuid);
  return cudaSuccess;
}

inline cudaError_t read_attributes(const void* memory, cudaPointerAttributes& out) {
  return cudaPointerGetAttributes(&out, memory);
}

inline MemoryKind kind_of(const cudaPointerAttributes& attributes) {
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return MemoryKind::pinned;
    case cudaMemoryTypeDevice:
      return MemoryKind::device;
    case cudaMemoryTypeManaged:
      return MemoryKind::managed;
    default:
      return MemoryKind::pageable;
  }
}

inline cudaError_t read_stream_id(cudaStream_t stream, unsigned long long& out) {
  return cudaStreamGetId(stream, &out);
}

inline cudaError_t launch_host_function(cudaStream_t stream, HostFunction function, void* data) {
  return cudaLaunchHostFunc(stream, function, data);
}

}  // namespace dlcert::driver::vendor_api
