// SPDX-License-Identifier: Apache-2.0
//
// Enums that are written as texts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace dlcert {

// The value of an enum whose values, counted from 0, are written as `texts`. Throws
// std::runtime_error for another text: "expected a level (MUST, SHOULD, MAY) but found 'OUGHT'".
template <typename Enum, std::size_t count>
Enum enum_from_text(std::string_view text, const std::array<std::string_view, count>& texts,
                    std::string_view what) {
  const auto found = std::ranges::find(texts, text);
  if (found == texts.end())
    throw std::runtime_error{
        fmt::format("expected a {} ({}) but found '{}'", what, fmt::join(texts, ", "), text)};
  return static_cast<Enum>(found - texts.begin());
}

}  // namespace dlcert
