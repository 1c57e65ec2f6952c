// SPDX-License-Identifier: Apache-2.0
//
// The text of comma-separated lists and of numbers.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dlcert/cuda/visible_devices.hpp"

namespace dlcert::cuda {

/// Walks over what commas separate: n commas make n + 1 elements, perhaps empty.
class Elements {
 public:
  explicit Elements(std::string_view list) : rest_{list} {}

  [[nodiscard]] bool has_next() const noexcept { return has_next_; }
  std::string_view next() {
    const std::size_t comma = rest_.find(',');
    const std::string_view element = rest_.substr(0, comma);
    has_next_ = comma != std::string_view::npos;
    rest_.remove_prefix(has_next_ ? comma + 1 : rest_.size());
    return element;
  }

 private:
  std::string_view rest_;
  bool has_next_ = true;
};

/// "0" for zeros only.
inline std::string_view without_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return digits.substr(first == std::string_view::npos ? digits.size() - 1 : first);
}

/// 0 .. count - 1.
inline VisibleDevices first_ordinals(std::uint64_t count) {
  VisibleDevices devices;
  devices.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    devices.emplace_back(Ordinal{i});
  return devices;
}

/// For messages: on one line, in ASCII, and (shortened) not longer than a few dozen characters.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace dlcert::cuda
