// SPDX-License-Identifier: Apache-2.0
//
// The arguments of `__dlpack__` and `from_dlpack`, not validated yet.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dlcert::reference {

/// The argument was not given.
struct Absent {
  friend bool operator==(Absent, Absent) = default;
};
/// The argument was given as None.
struct None {
  friend bool operator==(None, None) = default;
};

/// An argument as a caller may pass it, of the right type or not. Text is borrowed.
using Argument = std::variant<Absent, None, bool, std::int64_t,
                              std::pair<std::int64_t, std::int64_t>, double, std::string_view>;

[[nodiscard]] inline bool is_given(const Argument& argument) noexcept {
  return argument.index() > 1;
}
[[nodiscard]] std::string to_string(const Argument& argument);

struct ExportRequest {
  Argument stream = Absent{};
  Argument max_version = Absent{};
  Argument dl_device = Absent{};
  Argument copy = Absent{};
};

struct ImportRequest {
  Argument device = Absent{};
  Argument copy = Absent{};
};

}  // namespace dlcert::reference
