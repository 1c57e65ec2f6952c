// SPDX-License-Identifier: Apache-2.0
//
// CUDA's runtime under the names that vendor_driver.inc uses, and what it has differently from HIP.

#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

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

/// Only the driver API tells, which the runtime has loaded as soon as there can be a context.
inline cudaError_t read_context(int device, int& active) {
  using GetState = int (*)(int device, unsigned int* flags, int* active);
  void* const driver_api = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver_api == nullptr) return cudaSuccess;
  void* const symbol = ::dlsym(driver_api, "cuDevicePrimaryCtxGetState");
  unsigned int flags = 0;
  const auto error =
      symbol == nullptr
          ? cudaErrorNotSupported
          : static_cast<cudaError_t>(reinterpret_cast<GetState>(symbol)(device, &flags, &active));
  ::dlclose(driver_api);
  return error == cudaErrorInitializationError ? cudaSuccess : error;
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
