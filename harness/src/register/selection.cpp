// SPDX-License-Identifier: Apache-2.0
#include "register/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "register/features.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"

namespace dlcert {
namespace {

template <typename Value>
bool empty_or_contains(const std::vector<Value>& chosen, const Value& value) {
  return chosen.empty() || std::ranges::find(chosen, value) != chosen.end();
}

bool names_any(const std::vector<std::string>& patterns, std::string_view id) {
  return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
           return names(pattern, id);
         });
}

void require_known(const Register& known, const Selection& selection) {
  for (const std::string& pattern : selection.ids) {
    const bool found = std::ranges::any_of(
        known.requirements(), [&](const Requirement& r) { return names(pattern, r.id); });
    if (!found && !is_glob(pattern))
      throw std::invalid_argument{
          fmt::format("unknown requirement '{}'{}", pattern, did_you_mean(known.nearest(pattern)))};
  }
  std::set<std::string> areas;
  for (const Requirement& requirement : known.requirements())
    areas.insert(requirement.area);
  const std::vector<std::string> area_names{areas.begin(), areas.end()};
  for (const std::string& area : selection.areas)
    if (!areas.contains(area))
      throw std::invalid_argument{
          fmt::format("unknown area '{}': expected {}", area, fmt::join(area_names, ", "))};
  for (const std::string& feature : selection.features)
    if (known.find_feature(feature) == nullptr)
      throw std::invalid_argument{
          fmt::format("unknown feature '{}'{}", feature,
                      did_you_mean(nearest_name(feature, known.feature_ids())))};
}

bool is_part_of_any(const Register& known, const Requirement& requirement,
                    const std::vector<std::string>& features) {
  return features.empty() || std::ranges::any_of(features, [&](const std::string& feature) {
           return is_part_of(known, requirement, feature);
         });
}

}  // namespace

bool Selection::is_whole() const {
  return ids.empty() && areas.empty() && features.empty() && levels.empty() && !role;
}

bool names(std::string_view pattern, std::string_view id) {
  return matches_glob(pattern, id) ||
         (id.starts_with(pattern) && id.substr(pattern.size()).starts_with('.'));
}

bool binds(const Requirement& requirement, Role role) {
  return requirement.role == "both" ? role != Role::runtime : requirement.role == to_text(role);
}

std::vector<const Requirement*> select(const Register& known, const Selection& selection) {
  require_known(known, selection);
  std::vector<const Requirement*> selected;
  for (const Requirement& requirement : known.requirements())
    if (names_any(selection.ids, requirement.id) &&
        empty_or_contains(selection.areas, requirement.area) &&
        is_part_of_any(known, requirement, selection.features) &&
        empty_or_contains(selection.levels, requirement.level) &&
        (!selection.role || binds(requirement, *selection.role)))
      selected.push_back(&requirement);
  return selected;
}

}  // namespace dlcert
