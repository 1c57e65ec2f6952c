// SPDX-License-Identifier: Apache-2.0
#include "report/wrong_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlcert {
namespace {

std::string_view owner_of_values(Role role) {
  return role == Role::producer ? "protocol.export.values" : "protocol.from.new-array";
}

struct Accusation {
  std::string adapter;
  Role role;
  std::string text;
  bool repeated;
};

void accuse(Results& results, const Accusation& accusation) {
  const auto owner = std::ranges::find_if(results.results, [&](const RequirementResult& result) {
    return result.requirement == owner_of_values(accusation.role) && !result.checks.empty() &&
           tested_party(result) == accusation.adapter && tested_role(result) == accusation.role;
  });
  if (owner == results.results.end() || broken(owner->verdict)) return;
  if (owner->verdict == Verdict::flaky && !accusation.repeated) return;
  const auto passed = std::ranges::find(owner->checks, Verdict::pass, &CheckResult::verdict);
  CheckResult& check = passed == owner->checks.end() ? owner->checks.front() : *passed;
  check.verdict = accusation.repeated ? Verdict::fail : Verdict::flaky;
  check.record.failed = true;
  check.record.message = accusation.text;
  check.reason = accusation.repeated ? "" : "the cases of this requirement found no wrong value";
  owner->verdict = check.verdict;
  owner->reason = check.reason;
}

}  // namespace

void judge_values(Results& results, const std::vector<EarlyValues>& early) {
  std::vector<Accusation> accusations;
  for (const RequirementResult& result : results.results)
    for (const CheckResult& check : result.checks)
      if (!check.record.wrong_values.empty())
        accusations.push_back(
            {tested_party(result), Role::producer,
             fmt::format("in a case of {}: {}", result.requirement, check.record.wrong_values),
             check.values_repeated});
  for (const EarlyValues& one : early)
    accusations.push_back({one.adapter, one.role, "in the preflight: " + one.text, false});
  std::ranges::stable_sort(accusations, std::greater{}, &Accusation::repeated);
  for (const Accusation& accusation : accusations)
    accuse(results, accusation);
}

}  // namespace dlcert
