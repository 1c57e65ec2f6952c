// SPDX-License-Identifier: Apache-2.0
#include "report/side_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace dlcert {
namespace {

constexpr std::string_view owner_of_unraisable = "lifetime.no-unraisable-errors";

std::string_view owner_of_values(Role role) {
  return role == Role::producer ? "protocol.export.values" : "protocol.from.new-array";
}

void fail_check(CheckResult& check, Verdict verdict, std::string message) {
  check.verdict = verdict;
  check.record.failed = true;
  check.record.message = std::move(message);
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
  fail_check(check, accusation.repeated ? Verdict::fail : Verdict::flaky, accusation.text);
  check.reason = accusation.repeated ? "" : "the cases of this requirement found no wrong value";
  decide_by_checks(*owner);
}

// The first error that a check of the requirement has met, and where; empty: none.
std::string first_unraisable(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    for (const std::string& warning : check.record.warnings)
      if (warning.starts_with(unraisable_prefix))
        return fmt::format("{}, while dlcert tested {} ({})", warning, result.requirement,
                           check.name);
  return {};
}

}  // namespace

void add_early_deaths(Results& results, const std::vector<EarlyDeath>& deaths) {
  const auto ends_process = [](const CheckResult& check) {
    return check.verdict == Verdict::crash || check.verdict == Verdict::timeout;
  };
  const bool reported_by_check = std::ranges::any_of(results.results, [&](const auto& result) {
    return std::ranges::any_of(result.checks, ends_process);
  });
  for (const EarlyDeath& early : deaths) {
    if (early.repeated && reported_by_check) continue;
    const auto same = std::ranges::find_if(results.deaths, [&](const Death& death) {
      return death.when == early.when && death.how == early.how;
    });
    if (same != results.deaths.end()) {
      ++same->times;
      same->repeated = true;
      continue;
    }
    results.deaths.push_back({.when = early.when,
                              .how = early.how,
                              .after = {},
                              .output = early.output,
                              .steps = early.steps,
                              .repeated = early.repeated});
  }
}

void judge_values(Results& results, const std::vector<EarlyValues>& early) {
  if (results.adapter_fault) return;
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

void judge_unraisable(std::vector<RequirementResult>& results) {
  for (const RequirementResult& result : results) {
    std::string error = first_unraisable(result);
    if (error.empty()) continue;
    const auto judged = std::ranges::find_if(results, [&](const RequirementResult& one) {
      return one.requirement == owner_of_unraisable && one.producer == result.producer &&
             one.consumer == result.consumer && !one.checks.empty();
    });
    if (judged == results.end() || judged->checks.front().verdict != Verdict::pass) continue;
    fail_check(judged->checks.front(), Verdict::fail, std::move(error));
  }
}

}  // namespace dlcert
