// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/device.hpp"

#include <optional>

#include "driver_calls.hpp"

namespace dlcert::reference {
namespace {

using driver::MemoryKind;
using driver::Vendor;

struct Kind {
  Vendor vendor;
  MemoryKind memory;
};

std::optional<Kind> kind_of(DLDeviceType type) noexcept {
  switch (type) {
    case kDLCUDA:
      return Kind{Vendor::cuda, MemoryKind::device};
    case kDLCUDAHost:
      return Kind{Vendor::cuda, MemoryKind::pinned};
    case kDLCUDAManaged:
      return Kind{Vendor::cuda, MemoryKind::managed};
    case kDLROCM:
      return Kind{Vendor::rocm, MemoryKind::device};
    case kDLROCMHost:
      return Kind{Vendor::rocm, MemoryKind::pinned};
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_available(DLDevice device) {
  if (same_device(device, cpu_device)) return true;
  const std::optional<Kind> kind = kind_of(device.device_type);
  int count = 0;
  if (!kind || device.device_id < 0 || driver::driver().vendor() != kind->vendor ||
      driver::driver().device_count(count) != driver::Status::success || count == 0) {
    return false;
  }
  return device.device_id < (has_streams(device) ? count : 1);
}

MemoryKind memory_kind(DLDevice device) noexcept {
  const std::optional<Kind> kind = kind_of(device.device_type);
  return kind ? kind->memory : MemoryKind::pageable;
}

int ordinal_of(DLDevice device) {
  if (has_streams(device)) return device.device_id;
  int current = 0;
  require(driver::driver().current_device(current), "current_device");
  return current;
}

}  // namespace dlcert::reference
