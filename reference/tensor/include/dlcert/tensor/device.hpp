// SPDX-License-Identifier: Apache-2.0
//
// Devices are those of DLPack. Devices of CUDA and ROCm bear the numbers that the driver gives them
// in this process, in exports and imports alike: an imported tensor keeps the index that its
// producer gave, and is refused where the driver knows its memory as that of another device.

#pragma once

#include <dlpack/dlpack.h>

#include <bit>
#include <cstdint>
#include <string>

#include "dlcert/driver/driver.hpp"

namespace dlcert::reference {

/// The one device of plain host memory.
inline constexpr DLDevice cpu_device{kDLCPU, 0};

/// Compares type and index as one number, since each export and import asks.
[[nodiscard]] constexpr bool same_device(DLDevice a, DLDevice b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Whether work on memory of this type is enqueued on streams of the device that it names. Pinned
/// and managed memory belongs to all devices.
[[nodiscard]] constexpr bool has_streams(DLDevice device) noexcept {
  return device.device_type == kDLCUDA || device.device_type == kDLROCM;
}

/// True for the CPU, for the devices of the driver in use, and for the pinned and managed memory of
/// its vendor, whose index is 0 (dlpack.h, DLDevice::device_id). Any thread.
[[nodiscard]] bool is_available(DLDevice device);

/// What the driver calls the memory of an available device.
[[nodiscard]] driver::MemoryKind memory_kind(DLDevice device) noexcept;

/// The driver's number of the device whose streams the calling thread uses for such memory: the one
/// that `device` names, else the current one. Not for the CPU. Throws a DeviceError.
[[nodiscard]] int ordinal_of(DLDevice device);

/// "(1, 0)", the way that `__dlpack_device__` reports it.
[[nodiscard]] std::string to_string(DLDevice device);

}  // namespace dlcert::reference
