// SPDX-License-Identifier: Apache-2.0
//
// The vendors' tables of errors, compiled in whether or not the vendor's library is there.

#pragma once

#include <cstddef>
#include <span>

namespace dlcert::driver {

struct StatusRow {
  int number = 0;
  const char* name = nullptr;
  const char* text = nullptr;
};

/// In ascending order of the numbers. Static storage.
[[nodiscard]] std::span<const StatusRow> cuda_statuses() noexcept;
[[nodiscard]] std::span<const StatusRow> hip_statuses() noexcept;

[[nodiscard]] constexpr bool is_ascending(std::span<const StatusRow> rows) noexcept {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i - 1].number >= rows[i].number) return false;
  }
  return true;
}

}  // namespace dlcert::driver
