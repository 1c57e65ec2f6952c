// SPDX-License-Identifier: Apache-2.0
#include "register/version_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace dlcert {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Takes the next run of digits or of letters off the front; empty at the end.
std::string_view take_part(std::string_view& version) {
  std::size_t begin = 0;
  while (begin < version.size() && !is_digit(version[begin]) && !is_letter(version[begin]))
    ++begin;
  std::size_t end = begin;
  while (end < version.size() &&
         (is_digit(version[begin]) ? is_digit(version[end]) : is_letter(version[end])))
    ++end;
  const std::string_view part = version.substr(begin, end - begin);
  version.remove_prefix(end);
  return part;
}

bool is_word(std::string_view part) {
  return !part.empty() && is_letter(part.front());
}

int sign(std::string_view a, std::string_view b) {
  const int order = a.compare(b);
  return (order > 0) - (order < 0);
}

int compare_numbers(std::string_view a, std::string_view b) {
  const auto significant = [](std::string_view digits) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  a = significant(a);
  b = significant(b);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return sign(a, b);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const std::string_view part_a = take_part(a), part_b = take_part(b);
    if (is_word(part_a) != is_word(part_b)) return is_word(part_a) ? -1 : 1;
    const int order = is_word(part_a) ? sign(part_a, part_b) : compare_numbers(part_a, part_b);
    if (order != 0) return order;
  }
  return 0;
}

VersionRange::Bound VersionRange::parse_bound(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Relation>, 6> operators{{
      {"<=", Relation::less_equal},
      {">=", Relation::greater_equal},
      {"==", Relation::equal},
      {"<", Relation::less},
      {">", Relation::greater},
      {"=", Relation::equal},
  }};
  Bound bound{Relation::equal, {}};
  for (const auto& [symbol, relation] : operators) {
    if (!text.starts_with(symbol)) continue;
    bound.relation = relation;
    text = trimmed(text.substr(symbol.size()));
    break;
  }
  if (text.empty() || !is_digit(text.front()))
    throw std::runtime_error{
        fmt::format("expected a version range such as '>=2.0, <2.4' but found '{}'", text)};
  bound.version = text;
  return bound;
}

VersionRange VersionRange::parse(std::string_view text) {
  VersionRange range;
  range.text_ = text;
  if (trimmed(text) == "*") return range;
  while (true) {
    const std::size_t comma = text.find(',');
    range.bounds_.push_back(parse_bound(trimmed(text.substr(0, comma))));
    if (comma == std::string_view::npos) return range;
    text.remove_prefix(comma + 1);
  }
}

VersionRange VersionRange::exactly(std::string_view version) {
  return parse(version.empty() || !is_digit(version.front()) ? "*" : version);
}

bool VersionRange::Bound::admits(std::string_view candidate) const {
  const int order = compare_versions(candidate, version);
  switch (relation) {
    case Relation::less:
      return order < 0;
    case Relation::less_equal:
      return order <= 0;
    case Relation::equal:
      return order == 0;
    case Relation::greater_equal:
      return order >= 0;
    case Relation::greater:
      return order > 0;
  }
  return false;
}

bool VersionRange::contains(std::string_view version) const {
  for (const Bound& bound : bounds_)
    if (!bound.admits(version)) return false;
  return true;
}

}  // namespace dlcert
