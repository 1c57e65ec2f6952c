// SPDX-License-Identifier: Apache-2.0
#include "report/summary.hpp"

#include <algorithm>
#include <numeric>

namespace dlcert {

std::size_t AreaSummary::total() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

std::string area_of(const RequirementResult& result, const Register& known) {
  const Requirement* const requirement = known.find(result.requirement);
  return requirement == nullptr ? "unknown" : requirement->area;
}

std::vector<AreaSummary> summarise_areas(const Results& results, const Register& known) {
  std::vector<AreaSummary> areas;
  AreaSummary all{"all"};
  for (const RequirementResult& result : results.results) {
    const std::string area = area_of(result, known);
    auto found = std::ranges::find(areas, area, &AreaSummary::area);
    if (found == areas.end()) found = areas.insert(areas.end(), AreaSummary{area});
    const auto verdict = static_cast<std::size_t>(result.verdict);
    ++found->counts.at(verdict);
    ++all.counts.at(verdict);
  }
  areas.push_back(std::move(all));
  return areas;
}

bool tested(const RequirementResult& result) {
  return result.verdict != Verdict::not_applicable && result.verdict != Verdict::not_judged &&
         result.verdict != Verdict::not_run && result.verdict != Verdict::inconclusive;
}

bool judges_runtimes(const Results& results) {
  return results.settings.driver == "simulated";
}

std::vector<RoleSummary> summarise_roles(const Results& results) {
  std::vector<RoleSummary> roles;
  for (const AdapterInfo& adapter : results.adapters) {
    if (adapter.producer) roles.push_back({&adapter, Role::producer});
    if (adapter.consumer) roles.push_back({&adapter, Role::consumer});
    if (adapter.enumerates && judges_runtimes(results)) roles.push_back({&adapter, Role::runtime});
  }
  for (const RequirementResult& result : results.results) {
    const auto role = std::ranges::find_if(roles, [&](const RoleSummary& summary) {
      return summary.adapter->name == tested_party(result) && summary.role == tested_role(result);
    });
    if (role == roles.end()) continue;
    ++role->selected;
    // What is waived is not kept: no certificate rests on it.
    if (tested(result) && result.verdict != Verdict::waived) ++role->tested;
  }
  return roles;
}

std::string python_text(const Results& results) {
  return results.python ? "Python " + results.python->version + ", " : std::string{};
}

}  // namespace dlcert
