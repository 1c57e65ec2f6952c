// SPDX-License-Identifier: Apache-2.0
//
// HIP's runtime under the names that vendor_driver.inc uses, and what it has differently from CUDA.

#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include "dlcert/driver/driver.hpp"

#define DLCERT_GPU(name) hip##name

// ROCm 5.2 declares it, but its library lacks it.
#pragma weak hipLaunchHostFunc

namespace dlcert::driver::vendor_api {

using NativeAttributes = hipPointerAttribute_t;
using NativeProperties = hipDeviceProp_t;

inline constexpr std::string_view driver_name = "hip";
inline constexpr Vendor vendor = Vendor::rocm;

inline hipError_t allocate_pinned(void** out, std::size_t bytes) {
  return hipHostMalloc(out, bytes, hipHostMallocDefault);
}

inline hipError_t release_pinned(void* memory) {
  return hipHostFree(memory);
}

inline hipError_t read_uuid(int device, const hipDeviceProp_t& /*found*/, DeviceProperties& out) {
  hipUUID uuid{};
  static_assert(sizeof uuid.bytes == sizeof out.uuid);
  const hipError_t error = hipDeviceGetUuid(&uuid, device);
  if (error == hipSuccess) std::memcpy(out.uuid.data(), uuid.bytes, sizeof out.uuid);
  return error;
}

inline hipError_t read_context(int device, int& active) {
  unsigned int flags = 0;
  return hipDevicePrimaryCtxGetState(device, &flags, &active);
}

/// Whether the attributes are of memory that HIP knows. Before ROCm 6 there is no such type.
inline bool is_known(const hipPointerAttribute_t& attributes) {
  return attributes.devicePointer != nullptr || attributes.hostPointer != nullptr;
}

/// Before ROCm 6, HIP calls the address of unknown memory an invalid value. That is no error here,
/// and leaves none behind that was not there before.
inline hipError_t read_attributes(const void* memory, hipPointerAttribute_t& out) {
  const bool had_error = hipPeekAtLastError() != hipSuccess;
  const hipError_t error = hipPointerGetAttributes(&out, memory);
  if (error != hipErrorInvalidValue) return error;
  if (!had_error) static_cast<void>(hipGetLastError());
  out = {};
  return hipSuccess;
}

/// The field was renamed in ROCm 6.
template <class Attributes>
hipMemoryType type_of(const Attributes& attributes) {
  if constexpr (requires { attributes.memoryType; }) {
    return attributes.memoryType;
  } else {
    return attributes.type;
  }
}

inline MemoryKind kind_of(const hipPointerAttribute_t& attributes) {
  if (attributes.isManaged != 0) return MemoryKind::managed;
  if (!is_known(attributes)) return MemoryKind::pageable;
  switch (type_of(attributes)) {
    case hipMemoryTypeHost:
      return MemoryKind::pinned;
    case hipMemoryTypeDevice:
      return MemoryKind::device;
    default:
      return MemoryKind::pageable;
  }
}

/// HIP has no number for a stream, and an address can come back.
inline hipError_t read_stream_id(hipStream_t /*stream*/, unsigned long long& /*out*/) {
  return hipErrorNotSupported;
}

/// A host function as a callback, which HIP calls even after an error of the device.
struct HostCall {
  HostFunction function;
  void* data;

  static void run(hipStream_t /*stream*/, hipError_t error, void* self) {
    const std::unique_ptr<HostCall> call(static_cast<HostCall*>(self));
    if (error == hipSuccess) call->function(call->data);
  }
};

inline hipError_t launch_host_function(hipStream_t stream, HostFunction function, void* data) {
  if (hipLaunchHostFunc != nullptr) return hipLaunchHostFunc(stream, function, data);
  if (function == nullptr) return hipErrorInvalidValue;
  auto call = std::make_unique<HostCall>(HostCall{function, data});
  const hipError_t error = hipStreamAddCallback(stream, HostCall::run, call.get(), 0);
  if (error == hipSuccess) static_cast<void>(call.release());
  return error;
}

}  // namespace dlcert::driver::vendor_api
