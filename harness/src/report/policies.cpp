// SPDX-License-Identifier: Apache-2.0
#include "report/policies.hpp"

#include <fmt/format.h>

#include "register/profile.hpp"

namespace dlcert {

std::vector<std::string> single_policies(const Results& results, const Register& known) {
  const Policies of_set = resolve_policies(known, results.policy_set, {});
  std::vector<std::string> single;
  for (const auto& [name, value] : results.settings.policies) {
    const auto given = of_set.values.find(name);
    const bool same = given != of_set.values.end() && given->second == value &&
                      of_set.chosen.contains(name) == results.chosen.contains(name);
    if (!same) single.push_back(fmt::format("{}={}", name, value));
  }
  return single;
}

std::string policies_text(const Results& results, const Register& known) {
  std::string text = fmt::format("policies {}", results.policy_set);
  for (const std::string& policy : single_policies(results, known))
    text += ", " + policy;
  return text;
}

}  // namespace dlcert
