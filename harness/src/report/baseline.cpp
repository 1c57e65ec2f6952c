// SPDX-License-Identifier: Apache-2.0
#include "report/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "register/profile.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

// A condition of a run, as text.
using Conditions = std::map<std::string, std::string>;

Conditions conditions_of(const Results& results) {
  const Settings& settings = results.settings;
  Conditions conditions{{"dlcert", results.dlcert_version},
                        {"driver", settings.driver},
                        {"seed", std::to_string(results.seed)},
                        {"cases", std::to_string(results.cases)},
                        {"repeat", std::to_string(results.repeat)},
                        {"policy set", results.policy_set},
                        {"strict", results.strict ? "yes" : "no"},
                        {"rules", results.rules.empty() ? "those of its dlcert" : results.rules}};
  for (const auto& [policy, value] : settings.policies)
    conditions["policy " + policy] = value;
  if (results.python) conditions["Python"] = results.python->version;
  for (const AdapterInfo& adapter : results.adapters) {
    conditions["version of " + adapter.name] = adapter.version;
    const Standards standards = standards_of(settings, adapter.declared);
    conditions["DLPack of " + adapter.name] = standards.dlpack;
    conditions["array API of " + adapter.name] = standards.array_api;
    conditions["runtime of " + adapter.name] = standards.runtime;
    conditions["claims of " + adapter.name] = adapter.claims ? "recorded" : "not recorded";
  }
  return conditions;
}

std::string value_in(const Conditions& conditions, const std::string& name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? "none" : found->second;
}

// One adapter in one role of one run: the unit of comparison.
struct Subject {
  std::string adapter;
  Role role;
  std::string text() const { return fmt::format("{} as {}", adapter, to_text(role)); }
};

class Comparison {
 public:
  Comparison(const Results& earlier, const Results& now) : earlier_{earlier}, now_{now} {}

  std::vector<std::string> differs() const;
  std::vector<std::string> lost() &&;

 private:
  void compare_roles();
  void compare_functions(const AdapterInfo& before, const AdapterInfo& after);
  void compare_claims(const AdapterInfo& before, const AdapterInfo& after);
  void compare_features(const Subject& subject);
  void compare_requirements(const Subject& subject);
  void lose(std::string what) { lost_.push_back(std::move(what)); }

  const Results& earlier_;
  const Results& now_;
  std::vector<std::string> lost_;
};

std::vector<std::string> Comparison::differs() const {
  const Conditions before = conditions_of(earlier_);
  const Conditions after = conditions_of(now_);
  std::set<std::string> names;
  for (const Conditions& conditions : {before, after})
    for (const auto& [name, value] : conditions)
      names.insert(name);
  std::vector<std::string> differing;
  for (const std::string& name : names)
    if (value_in(before, name) != value_in(after, name))
      differing.push_back(fmt::format("{}: {} in the baseline, {} in this run", name,
                                      value_in(before, name), value_in(after, name)));
  return differing;
}

std::vector<std::string> Comparison::lost() && {
  compare_roles();
  return std::move(lost_);
}

void Comparison::compare_roles() {
  for (const RoleScope& role : evidence_of(earlier_)) {
    const Subject subject{role.adapter, role.role};
    const auto after = std::ranges::find(now_.adapters, role.adapter, &AdapterInfo::name);
    if (after == now_.adapters.end()) {
      lose(fmt::format("{} was tested but is not part of this run", subject.text()));
      continue;
    }
    const bool declared = std::ranges::any_of(evidence_of(now_), [&](const RoleScope& other) {
      return other.adapter == role.adapter && other.role == role.role;
    });
    if (!declared) {
      lose(
          fmt::format("{} was tested but the adapter no longer declares the role", subject.text()));
      continue;
    }
    compare_features(subject);
    compare_requirements(subject);
  }
  for (const AdapterInfo& before : earlier_.adapters)
    if (const auto after = std::ranges::find(now_.adapters, before.name, &AdapterInfo::name);
        after != now_.adapters.end()) {
      compare_functions(before, *after);
      compare_claims(before, *after);
    }
}

void Comparison::compare_functions(const AdapterInfo& before, const AdapterInfo& after) {
  for (const auto& [group, functions] : before.groups) {
    const auto kept = after.groups.find(group);
    for (const std::string& function : functions)
      if (kept == after.groups.end() ||
          std::ranges::find(kept->second, function) == kept->second.end())
        lose(fmt::format("{}: the adapter had {}.{} but no longer has it", before.name, group,
                         function));
  }
}

// A tensor that is not claimed any more is drawn no more, and takes no requirement with it where
// others of its kind are left. A run without a preflight did not ask.
void Comparison::compare_claims(const AdapterInfo& before, const AdapterInfo& after) {
  if (!before.claims || !after.claims) return;
  for (const auto& [role, kinds] : *before.claims) {
    const auto kept = after.claims->find(role);
    for (const std::string& kind : kinds)
      if (kept == after.claims->end() ||
          std::ranges::find(kept->second, kind) == kept->second.end())
        lose(fmt::format("{} as {}: tensors of the kind {} were claimed but are no longer claimed",
                         before.name, role, kind));
  }
}

void Comparison::compare_features(const Subject& subject) {
  const auto covers = [&](const FeatureScope& scope) {
    return scope.adapter == subject.adapter && scope.role == subject.role;
  };
  for (const FeatureScope& before : earlier_.scope.features) {
    if (!covers(before)) continue;
    const auto after = std::ranges::find_if(now_.scope.features, [&](const FeatureScope& scope) {
      return covers(scope) && scope.feature == before.feature;
    });
    const Coverage now =
        after == now_.scope.features.end() ? Coverage::not_claimed : after->coverage;
    if (now > before.coverage)
      lose(fmt::format("{}: {} was {} and is now {}", subject.text(), before.feature,
                       to_text(before.coverage), to_text(now)));
  }
}

void Comparison::compare_requirements(const Subject& subject) {
  const auto of_subject = [&](const RequirementResult& result) {
    return tested_party(result) == subject.adapter && tested_role(result) == subject.role;
  };
  for (const RequirementResult& before : earlier_.results) {
    if (!of_subject(before) || !tested(before)) continue;
    const auto after = std::ranges::find_if(now_.results, [&](const RequirementResult& result) {
      return of_subject(result) && result.requirement == before.requirement;
    });
    if (after == now_.results.end())
      lose(fmt::format("{}: {} was tested but is not part of this run", subject.text(),
                       before.requirement));
    else if (!tested(*after) || after->verdict == Verdict::waived)
      if (before.verdict != Verdict::waived && after->grace.empty())
        lose(fmt::format("{}: {} was tested but is now {}{}{}", subject.text(), before.requirement,
                         to_text(after->verdict), after->reason.empty() ? "" : ": ",
                         after->reason));
  }
}

}  // namespace

Baseline compare_with(const Results& earlier, const Results& now, std::string file) {
  Comparison comparison{earlier, now};
  Baseline baseline{std::move(file), comparison.differs(), {}};
  baseline.lost = std::move(comparison).lost();
  return baseline;
}

std::string no_baseline(const Results& results) {
  if (!results.complete) return "the run did not finish";
  if (results.filtered) return "the results are those of a selection";
  return {};
}

}  // namespace dlcert
