// SPDX-License-Identifier: Apache-2.0
//
// The driver API by name and version. Source: cuda.h, cuGetProcAddress.

#pragma once

#include <cstdint>
#include <string_view>

namespace dlcert::shim {

enum class DefaultStream : std::uint8_t { legacy, per_thread };

/// A symbol that a name means from a version of CUDA on.
struct DriverForm {
  std::string_view name;    ///< "cuMemAlloc"
  int version = 0;          ///< 3020
  DefaultStream stream{};   ///< what handle 0 is in it
  std::string_view symbol;  ///< "cuMemAlloc_v2"
  int (*function)() = nullptr;
};

/// The newest form of the name that is no newer than `version`; where the per-thread default stream
/// is asked for and the name has forms for it, one of these. NULL when there is none.
const DriverForm* find_driver_form(std::string_view name, int version, DefaultStream stream);

/// Whether any version up to `version` has the name.
bool has_driver_name(std::string_view name, int version);

}  // namespace dlcert::shim
