// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <system_error>

#include "register/rules.hpp"

namespace dlcert {

std::string refusal_of_whole_number(std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end || number < least || number > most)
    return fmt::format("expected a whole number from {} to {} but found '{}'", least, most, text);
  text = std::to_string(number);
  return {};
}

std::string refusal_of_rules(const std::string& text) try {
  rules_from_text(text);
  return {};
} catch (const std::runtime_error& error) {
  return error.what();
}

std::string refusal_of_seconds(const std::string& text) {
  constexpr double least = 0.001, most = 1'000'000;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool in_range = number >= least && number <= most;  // false for nan
  if (error == std::errc{} && rest == end && in_range) return {};
  return fmt::format("expected seconds from {} to {:.0f} but found '{}'", least, most, text);
}

}  // namespace dlcert
