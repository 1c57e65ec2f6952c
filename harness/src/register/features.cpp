// SPDX-License-Identifier: Apache-2.0
#include "register/features.hpp"

#include <algorithm>

namespace dlcert {

std::vector<const Feature*> features_of(const Register& known, const Requirement& requirement,
                                        Role role, Platform platform) {
  if (role != Role::runtime && platform != Platform::any) {
    const auto of_vendor = std::ranges::find(known.features(), platform, &Feature::platform);
    if (of_vendor != known.features().end()) return {&*of_vendor};
  }
  const Feature& own = *known.find_feature(requirement.feature);
  if (own.counted_in.empty()) return {&own};
  std::vector<const Feature*> counted;
  for (const std::string& id : own.counted_in)
    counted.push_back(known.find_feature(id));
  return counted;
}

bool is_part_of(const Register& known, const Requirement& requirement, std::string_view feature) {
  const Feature& own = *known.find_feature(requirement.feature);
  return own.id == feature || std::ranges::find(own.counted_in, feature) != own.counted_in.end();
}

bool is_optional(const Register& known, const Requirement& requirement, Role role) {
  return requirement.level == Level::may ||
         contains(known.find_feature(requirement.feature)->optional, requirement.id, role);
}

bool shows(const Feature& feature, const Requirement& requirement, Role role) {
  if (!feature.claimed_with.empty()) return false;
  return feature.shows.empty() || contains(feature.shows, requirement.id, role);
}

}  // namespace dlcert
