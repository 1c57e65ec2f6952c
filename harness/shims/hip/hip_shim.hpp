// SPDX-License-Identifier: Apache-2.0
//
// HIP's runtime under the names that the entry points of common/ use, and what it has differently
// from CUDA.

#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstring>

#include "shims/common/shim.hpp"

#define DLCERT_GPU(name) hip##name
#define DLCERT_NAME(name) "hip" name
#define DLCERT_GPU_ATTRIBUTE(name) hipDeviceAttribute##name

using NativeProperties = hipDeviceProp_t;
using NativeAttributes = hipPointerAttribute_t;
using DeviceAttribute = hipDeviceAttribute_t;
using CooperativeBytes = unsigned int;

inline constexpr int warp_size = 64;
inline constexpr unsigned int pinned_flags = hipHostMallocPortable | hipHostMallocMapped |
                                             hipHostMallocWriteCombined | hipHostMallocNumaUser |
                                             hipHostMallocCoherent | hipHostMallocNonCoherent;
inline constexpr unsigned int register_flags =
    hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory;
inline constexpr unsigned int external_wait = 0;  // ROCm 5 has none
inline constexpr unsigned int event_flags = hipEventBlockingSync | hipEventDisableTiming |
                                            hipEventInterprocess | hipEventReleaseToDevice |
                                            hipEventReleaseToSystem;

/// ROCm 5 checks none.
inline bool are_instantiation_flags(unsigned long long /*flags*/) {
  return true;
}

inline void describe_more(const dlcert::driver::DeviceProperties& /*found*/, hipDeviceProp_t& out) {
  out.gcnArch = 900;
  std::strncpy(out.gcnArchName, "gfx900", sizeof out.gcnArchName - 1);
}

/// Before ROCm 6 the address of unknown memory is an invalid value, and managed memory is host
/// memory with a mark.
inline dlcert::shim::Status describe_pointer(const dlcert::driver::PointerAttributes& found,
                                             hipPointerAttribute_t& out) {
  using dlcert::driver::MemoryKind;
  if (found.kind == MemoryKind::pageable) return dlcert::shim::Status::invalid_value;
  out = {};
  out.memoryType = found.kind == MemoryKind::device ? hipMemoryTypeDevice : hipMemoryTypeHost;
  out.device = found.device;
  out.devicePointer = found.device_pointer;
  out.hostPointer = found.host_pointer;
  out.isManaged = found.kind == MemoryKind::managed ? 1 : 0;
  return dlcert::shim::Status::success;
}

/// That of the world.
inline int runtime_version(const dlcert::shim::SimulatedDriver& driver) {
  return driver.version();
}
