// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "register/profile.hpp"

namespace dlcert {

Selection selection_of(const Options& options) {
  Selection selection;
  selection.ids = options.ids;
  selection.areas = options.areas;
  selection.features = options.features;
  for (const std::string& level : options.levels)
    selection.levels.push_back(level_from_text(level));
  if (!options.role.empty()) selection.role = role_from_text(options.role);
  return selection;
}

Policies policies_of(const Options& options, const Register& known) {
  const std::string_view set =
      options.policy_set.empty() ? standard_policies : std::string_view{options.policy_set};
  return resolve_policies(known, set, options.policies);
}

Settings settings_of(const Options& options, const Register& known) {
  Settings settings = default_settings(known);
  if (!options.spec.empty()) settings.spec = options.spec;
  if (!options.array_api.empty()) settings.array_api = options.array_api;
  if (!options.runtime.empty()) settings.runtime = options.runtime;
  settings.driver = options.driver;
  settings.policies = policies_of(options, known).values;
  return settings;
}

}  // namespace dlcert
