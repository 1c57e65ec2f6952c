// SPDX-License-Identifier: Apache-2.0
//
// CUDA's runtime under the names that the entry points of common/ use, and what it has differently
// from HIP.

#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "shims/common/shim.hpp"
#include "shims/cuda/cuda_graph_names.hpp"

#define DLCERT_GPU(name) cuda##name
#define DLCERT_NAME(name) "cuda" name
#define DLCERT_GPU_ATTRIBUTE(name) cudaDevAttr##name

using NativeProperties = cudaDeviceProp;
using NativeAttributes = cudaPointerAttributes;
using DeviceAttribute = cudaDeviceAttr;
using CooperativeBytes = std::size_t;

inline constexpr int warp_size = 32;
inline constexpr unsigned int pinned_flags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
inline constexpr unsigned int register_flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                               cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
inline constexpr unsigned int external_wait = cudaEventWaitExternal;
inline constexpr unsigned int event_flags =
    cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

/// Uploading has a call of its own, and what devices launch is not released on launch.
inline bool are_instantiation_flags(unsigned long long flags) {
  constexpr unsigned long long exclusive =
      cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagDeviceLaunch;
  return (flags & ~(exclusive | cudaGraphInstantiateFlagUseNodePriority)) == 0 &&
         (flags & exclusive) != exclusive;
}

inline cudaMemoryType memory_type(dlcert::driver::MemoryKind kind) {
  switch (kind) {
    case dlcert::driver::MemoryKind::device:
      return cudaMemoryTypeDevice;
    case dlcert::driver::MemoryKind::pinned:
      return cudaMemoryTypeHost;
    case dlcert::driver::MemoryKind::managed:
      return cudaMemoryTypeManaged;
    default:
      return cudaMemoryTypeUnregistered;
  }
}

/// Memory that CUDA does not know is no error.
inline dlcert::shim::Status describe_pointer(const dlcert::driver::PointerAttributes& found,
                                             cudaPointerAttributes& out) {
  out = {};
  out.type = memory_type(found.kind);
  out.device = found.device < 0 ? cudaInvalidDeviceId : found.device;
  out.devicePointer = found.device_pointer;
  out.hostPointer = found.host_pointer;
  return dlcert::shim::Status::success;
}

/// That of the headers, unless the world is to have another one.
inline int runtime_version(const dlcert::shim::SimulatedDriver& driver) {
  return driver.options().version != 0 ? driver.version() : CUDART_VERSION;
}
