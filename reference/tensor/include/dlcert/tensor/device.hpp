// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlpack/dlpack.h>

#include <string>

namespace dlcert::reference {

/// The one device of plain host memory.
inline constexpr DLDevice cpu_device{kDLCPU, 0};

[[nodiscard]] constexpr bool same_device(DLDevice a, DLDevice b) noexcept {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

/// "(1, 0)", the way that `__dlpack_device__` reports it.
[[nodiscard]] std::string to_string(DLDevice device);

}  // namespace dlcert::reference
