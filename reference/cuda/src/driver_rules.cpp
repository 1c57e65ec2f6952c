// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/driver_rules.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "elements.hpp"

namespace dlcert::cuda {
namespace {

// Numbers that an int may not hold could be read as others.
constexpr std::uint64_t documented_ordinals = std::uint64_t{1} << 31;

bool is_documented_character(char character) {
  return (character >= ' ' && character <= '~') || (character >= '\t' && character <= '\r');
}

bool is_letter_in(char character, std::string_view letters) {
  return letters.find(character) != std::string_view::npos;
}

// Whether it begins as an identifier would, blanks and case aside.
bool looks_like_identifier(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\v\f\r");
  if (first == std::string_view::npos || text.size() - first < 4 || text[first + 3] != '-')
    return false;
  std::string start{text.substr(first, 3)};
  std::ranges::transform(start, start.begin(), [](char c) {
    return is_letter_in(c, "gpumi") ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return start == "GPU" || start == "MIG";
}

bool is_documented_identifier(std::string_view element) {
  const std::string_view digits = element.substr(std::string_view{"GPU-"}.size());
  return !digits.empty() && digits.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// Leading zeros may mean another base.
bool is_documented_number(std::string_view element) {
  const std::size_t first = element.find_first_not_of(" \t\n\v\f\r+-");
  if (first == std::string_view::npos || element[first] < '0' || element[first] > '9') return true;
  const std::string_view rest = element.substr(first);
  const std::size_t end = rest.find_first_not_of("0123456789");
  const std::string_view digits = rest.substr(0, end);
  const bool has_other_base =
      rest[0] == '0' && (digits.size() > 1 || (rest.size() > 1 && is_letter_in(rest[1], "xXbB")));
  return !has_other_base && Ordinal{digits}.value() < documented_ordinals;
}

}  // namespace

DriverRules::DriverRules(std::uint64_t devices, Environment environment)
    : VisibleDeviceRules{driver::Vendor::cuda, std::move(environment)}, devices_{devices} {}

VisibleDevices DriverRules::unset() const {
  return first_ordinals(devices_);
}

bool DriverRules::is_blank(char character) const {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

Element DriverRules::sign_without_digits(std::string_view element) const {
  return {Element::Kind::end_of_list, element};
}

std::size_t DriverRules::most_digits() const {
  return std::numeric_limits<std::size_t>::max();
}

bool DriverRules::is_documented(std::optional<std::string_view> value) const {
  if (!value) return true;
  if (!std::ranges::all_of(*value, is_documented_character)) return false;
  const std::string_view prefix = identifier_prefix(*value);
  return prefix.empty() ? are_documented_ordinals(*value)
                        : are_documented_identifiers(*value, prefix);
}

bool DriverRules::are_documented_ordinals(std::string_view value) const {
  for (Elements elements{value}; elements.has_next();) {
    const std::string_view element = elements.next();
    if (looks_like_identifier(element) || !is_documented_number(element)) return false;
    const Element understood = read(element, {});
    if (understood.kind != Element::Kind::ordinal) return true;
    // It ends the list, but whether a repetition behind it is seen is nowhere said.
    if (Ordinal{understood.text}.value() >= devices_)
      return !devices_or_throw(parse(value)).empty();
  }
  return true;
}

bool DriverRules::are_documented_identifiers(std::string_view value,
                                             std::string_view prefix) const {
  // What device an instance of a GPU becomes depends on the instances there are.
  if (prefix == "MIG-") return false;
  std::vector<std::string_view> identifiers;
  for (Elements elements{value}; elements.has_next();) {
    const std::string_view element = elements.next();
    if (looks_like_identifier(element) && !element.starts_with(prefix)) return false;
    if (!element.starts_with(prefix)) break;
    if (!is_documented_identifier(element)) return false;
    identifiers.push_back(element);
  }
  // Nor is it said what naming a GPU twice does, in full or in parts.
  std::ranges::sort(identifiers);
  return std::ranges::adjacent_find(identifiers, [](auto shorter, auto longer) {
           return longer.starts_with(shorter);
         }) == identifiers.end();
}

}  // namespace dlcert::cuda
