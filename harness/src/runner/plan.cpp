// SPDX-License-Identifier: Apache-2.0
#include "runner/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "register/profile.hpp"
#include "runner/pair_plan.hpp"

namespace dlcert {
namespace {

bool has_role(const AdapterInfo& adapter, Role role) {
  switch (role) {
    case Role::producer:
      return adapter.producer;
    case Role::consumer:
      return adapter.consumer;
    case Role::runtime:
      break;
  }
  return adapter.enumerates;
}

// "needs capsules, create"; empty for no needs.
std::string needs_text(Needs missing) {
  return missing == 0 ? std::string{} : fmt::format("needs {}", fmt::join(names_of(missing), ", "));
}

std::string_view name_of(Platform platform) {
  if (platform == Platform::any) return "further";
  return platform == Platform::rocm ? "ROCm" : "CUDA";
}

// Why a check whose functions the adapter offers does not apply to it; empty: it does.
std::string why_not_there(const CheckInfo& check, const AdapterInfo& adapter) {
  if (std::string other = built_for_another(adapter.properties, check.platform); !other.empty())
    return other;
  const auto without = adapter.no_tensors_on.find(std::string{to_text(check.role)});
  if (!check.device_tensors || without == adapter.no_tensors_on.end()) return {};
  if (std::ranges::find(without->second, check.platform) == without->second.end()) return {};
  return fmt::format("the library does not claim tensors on {} devices", name_of(check.platform));
}

class Planner {
 public:
  Planner(const Inventory& inventory, const Selection& selection, const Settings& settings,
          const Strictness& strictness)
      : inventory_{inventory},
        selection_{selection},
        settings_{settings},
        strictness_{strictness} {}

  void add(const Requirement& requirement, std::vector<PlannedRequirement>& out) const;

 private:
  std::vector<std::uint32_t> checks_of(const Requirement& requirement) const;
  std::vector<Role> roles_of(const Requirement& requirement,
                             const std::vector<std::uint32_t>& checks) const;
  PlannedRequirement plan(const Requirement& requirement, int adapter, Role role,
                          const std::vector<std::uint32_t>& checks) const;
  std::string why_not_applicable(const Requirement& requirement, const AdapterInfo& adapter,
                                 Role role, const std::vector<std::uint32_t>& checks) const;

  const Inventory& inventory_;
  const Selection& selection_;
  const Settings& settings_;
  const Strictness& strictness_;
};

std::vector<std::uint32_t> Planner::checks_of(const Requirement& requirement) const {
  std::vector<std::uint32_t> checks;
  for (std::uint32_t i = 0; i < inventory_.checks.size(); ++i)
    if (inventory_.checks[i].requirement == requirement.id && !inventory_.checks[i].pair)
      checks.push_back(i);
  return checks;
}

// The roles that the requirement's checks test; of one without checks, the roles that it binds.
std::vector<Role> Planner::roles_of(const Requirement& requirement,
                                    const std::vector<std::uint32_t>& checks) const {
  std::vector<Role> roles;
  for (const Role role : all_roles) {
    const bool tested = std::ranges::any_of(
        checks, [&](std::uint32_t check) { return inventory_.checks[check].role == role; });
    const bool bound = checks.empty() ? binds(requirement, role) : tested;
    if (bound && selection_.role.value_or(role) == role) roles.push_back(role);
  }
  return roles;
}

std::string Planner::why_not_applicable(const Requirement& requirement, const AdapterInfo& adapter,
                                        Role role, const std::vector<std::uint32_t>& checks) const {
  if (!has_role(adapter, role)) return fmt::format("{} is not a {}", adapter.name, to_text(role));
  if (!requirement.excused.empty()) return "excused: " + requirement.excused;
  if (requirement.c_level != "yes") return requirement.c_level;
  Needs missing = 0;
  std::string elsewhere;
  for (const std::uint32_t check : checks) {
    const CheckInfo& info = inventory_.checks[check];
    const Needs not_offered = info.needs & ~adapter.offers;
    missing |= not_offered;
    if (not_offered != 0) continue;
    elsewhere = why_not_there(info, adapter);
    if (elsewhere.empty()) return {};
  }
  return missing == 0 ? elsewhere : needs_text(missing);
}

PlannedRequirement Planner::plan(const Requirement& requirement, int adapter, Role role,
                                 const std::vector<std::uint32_t>& checks) const {
  const AdapterInfo& info = inventory_.adapters[static_cast<std::size_t>(adapter)];
  PlannedRequirement planned;
  planned.id = requirement.id;
  const Standards standards = standards_of(settings_, info.declared);
  planned.corrupts = !requirement.about.empty();
  set_standing(planned, standing_of(requirement, standards, settings_, strictness_));
  const PartyNames names = names_with_harness(role, info.name);
  planned.producer = names.producer;
  planned.consumer = names.consumer;

  planned.reason = left_out(requirement, standards, strictness_.rules);
  std::vector<std::uint32_t> of_role;
  std::ranges::copy_if(checks, std::back_inserter(of_role),
                       [&](std::uint32_t c) { return inventory_.checks[c].role == role; });
  if (planned.reason.empty()) planned.reason = why_not_applicable(requirement, info, role, of_role);
  if (!planned.reason.empty()) {
    planned.applies = false;
  } else if (of_role.empty()) {
    planned.reason = "no check tests this requirement";
  } else {
    for (const std::uint32_t check : of_role) {
      PlannedCheck& added = planned.checks.emplace_back();
      added.check = check;
      added.lacking = needs_text(inventory_.checks[check].needs & ~info.offers);
      if (added.lacking.empty()) added.lacking = why_not_there(inventory_.checks[check], info);
      (role == Role::consumer ? added.consumer : added.producer) = adapter;
    }
  }
  return planned;
}

void Planner::add(const Requirement& requirement, std::vector<PlannedRequirement>& out) const {
  const bool named = std::ranges::find(selection_.ids, requirement.id) != selection_.ids.end();
  const std::vector<std::uint32_t> checks = checks_of(requirement);
  for (std::size_t i = 0; i < inventory_.adapters.size(); ++i) {
    const Standards standards = standards_of(settings_, inventory_.adapters[i].declared);
    if (!named && !left_out(requirement, standards, strictness_.rules).empty()) continue;
    for (const Role role : roles_of(requirement, checks))
      out.push_back(plan(requirement, static_cast<int>(i), role, checks));
  }
}

}  // namespace

void set_standing(PlannedRequirement& planned, Standing standing) {
  planned.level = standing.level;
  planned.binding = standing.binding;
  planned.grace = std::move(standing.grace);
}

void require_distinct_names(const std::vector<AdapterInfo>& adapters) {
  std::set<std::string_view> seen{own_name};
  for (const AdapterInfo& adapter : adapters)
    if (!seen.insert(adapter.name).second)
      throw std::invalid_argument{fmt::format("adapter '{}': expected a unique name but found '{}'",
                                              adapter.path, adapter.name)};
}

Plan make_plan(const Register& known, const Inventory& inventory, const Selection& selection,
               const Settings& settings, const Strictness& strictness) {
  require_distinct_names(inventory.adapters);
  const Planner planner{inventory, selection, settings, strictness};
  Plan plan;
  plan.filtered = !selection.is_whole();
  for (const Requirement* const requirement : select(known, selection))
    planner.add(*requirement, plan.requirements);
  return plan;
}

Plan replay_plan(const Results& counterexample, const Register& known, const Inventory& inventory,
                 bool strict) {
  const RequirementResult& result = counterexample.results.front();
  const CheckResult& check = result.checks.front();
  const Counterexample& example = *check.record.counterexample;
  Selection selection;
  selection.ids = {result.requirement};
  selection.role = check.role;
  const Strictness strictness{strict || counterexample.strict, counterexample.chosen,
                              rules_of(counterexample.rules)};
  const Settings& settings = counterexample.settings;
  Plan plan = is_pair(result) ? plan_pairs(known, inventory, selection, settings, strictness, {})
                              : make_plan(known, inventory, selection, settings, strictness);
  if (is_pair(result))
    std::erase_if(plan.requirements, [&](const PlannedRequirement& planned) {
      return planned.producer != result.producer || planned.consumer != result.consumer;
    });
  for (PlannedRequirement& requirement : plan.requirements) {
    std::erase_if(requirement.checks, [&](const PlannedCheck& planned) {
      const CheckInfo& info = inventory.checks.at(planned.check);
      return info.name != check.name || info.platform != check.platform;
    });
    for (PlannedCheck& planned : requirement.checks)
      planned.replay =
          Replay{check.seed, check.record.requested, example.case_index, example.choices};
  }
  std::erase_if(plan.requirements, [](const PlannedRequirement& r) { return r.checks.empty(); });
  if (plan.requirements.empty())
    throw std::invalid_argument{fmt::format("no {} of this run can repeat the check '{}' of {}",
                                            to_text(check.role), check.name, result.requirement)};
  return plan;
}

}  // namespace dlcert
