// SPDX-License-Identifier: Apache-2.0

#include "testbench/visible_rules.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

namespace dlcert::testbench {
namespace {

using Entries = std::vector<std::string>;

// The ways in which libraries break the rules.
enum class Breach : std::uint8_t {
  none,
  variable_ignored,
  blanks_kept,
  order_lost,
  text_behind_number_refused,
  invalid_skipped,
  duplicate_kept,
  duplicate_skipped,
  duplicate_ends,
  invalid_start_ignored,
  identifiers_unknown,
};

struct BreachOfRule {
  Breach breach;
  std::string_view requirement;
};

constexpr std::array<BreachOfRule, 10> breaches{{
    {Breach::variable_ignored, "devices.visible.env-name"},
    {Breach::blanks_kept, "devices.visible.index-list"},
    {Breach::order_lost, "devices.visible.index-list"},
    {Breach::text_behind_number_refused, "devices.visible.strtoul-prefix"},
    {Breach::invalid_skipped, "devices.visible.stop-at-invalid"},
    {Breach::duplicate_kept, "devices.visible.duplicate-empties"},
    {Breach::duplicate_skipped, "devices.visible.duplicate-empties"},
    {Breach::duplicate_ends, "devices.visible.duplicate-empties"},
    {Breach::invalid_start_ignored, "devices.visible.empty-string"},
    {Breach::identifiers_unknown, "devices.visible.uuid-prefix-list"},
}};

Entries all_ordinals() {
  Entries ordinals;
  for (int i = 0; i < 64; ++i)
    ordinals.push_back(std::to_string(i));
  return ordinals;
}

Entries elements_of(const std::string& value) {
  Entries elements;
  for (const auto part : std::views::split(value, ','))
    elements.emplace_back(part.begin(), part.end());
  if (elements.empty()) elements.emplace_back();
  return elements;
}

// The ordinal with which an element begins, without leading zeros; nothing: it is invalid.
std::optional<std::string> ordinal_in(std::string_view element, Breach breach) {
  constexpr std::string_view blanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";
  constexpr std::string_view digits = "0123456789";
  if (breach != Breach::blanks_kept) {
    element.remove_prefix(std::min(element.find_first_not_of(blanks), element.size()));
    element.remove_suffix(element.size() - (element.find_last_not_of(blanks) + 1));
  }
  const bool negative = element.starts_with('-');
  if (negative || element.starts_with('+')) element.remove_prefix(1);
  const std::string_view number = element.substr(0, element.find_first_not_of(digits));
  if (number.empty()) return std::nullopt;
  if (number.size() < element.size() && breach == Breach::text_behind_number_refused)
    return std::nullopt;
  const std::size_t first = number.find_first_not_of('0');
  if (first == number.npos) return "0";
  if (negative) return std::nullopt;
  return std::string{number.substr(first)};
}

std::optional<std::string> identifier_in(const std::string& element, std::string_view prefix) {
  return element.starts_with(prefix) ? std::optional{element} : std::nullopt;
}

// Adds an entry to the list. Returns false if the list ends here.
bool add(Entries& list, std::string entry, Breach breach) {
  if (std::ranges::find(list, entry) == list.end() || breach == Breach::duplicate_kept) {
    list.push_back(std::move(entry));
    return true;
  }
  if (breach == Breach::duplicate_skipped) return true;
  if (breach != Breach::duplicate_ends) list.clear();
  return false;
}

Entries listed_with(const std::optional<std::string>& value, Breach breach) {
  if (!value || breach == Breach::variable_ignored) return all_ordinals();
  std::string_view prefix;
  for (const std::string_view one : {"GPU-", "MIG-"})
    if (value->starts_with(one) && breach != Breach::identifiers_unknown) prefix = one;
  Entries list;
  bool is_first = true;
  for (const std::string& element : elements_of(*value)) {
    std::optional<std::string> entry =
        prefix.empty() ? ordinal_in(element, breach) : identifier_in(element, prefix);
    if (!entry && is_first && breach == Breach::invalid_start_ignored) return all_ordinals();
    is_first = false;
    if (!entry && breach == Breach::invalid_skipped) continue;
    if (!entry || !add(list, *std::move(entry), breach)) break;
  }
  if (breach == Breach::order_lost) std::ranges::sort(list);
  return list;
}

// Nothing: the list has identifiers.
std::optional<std::int64_t> counted(const Entries& list, std::int64_t existing) {
  std::int64_t count = 0;
  for (const std::string& entry : list) {
    if (entry.find_first_not_of("0123456789") != entry.npos) return std::nullopt;
    // Devices have numbers of less than ten digits.
    if (entry.size() > 9 || std::stoll(entry) >= existing) break;
    ++count;
  }
  return count;
}

template <typename Explains>
Owners owners_of(const Explains& explains) {
  Owners owners;
  for (const auto& [breach, requirement] : breaches)
    if (explains(breach) && std::ranges::find(owners, requirement) == owners.end())
      owners.push_back(requirement);
  return owners;
}

}  // namespace

std::vector<std::string> listed(const std::optional<std::string>& value) {
  return listed_with(value, Breach::none);
}

Owners owners_of_list(const std::optional<std::string>& value,
                      const std::vector<std::string>& found) {
  if (found == listed(value)) return {};
  return owners_of([&](Breach breach) { return listed_with(value, breach) == found; });
}

Owners owners_of_count(const std::optional<std::string>& value, std::int64_t existing,
                       std::int64_t of_runtime, std::int64_t found) {
  const auto by_rules = counted(listed(value), existing);
  if (by_rules == found) return {};
  Owners owners = owners_of(
      [&](Breach breach) { return counted(listed_with(value, breach), existing) == found; });
  if (by_rules == 0 && found == of_runtime) owners.push_back("devices.count.empty-list-zero");
  return owners;
}

}  // namespace dlcert::testbench
