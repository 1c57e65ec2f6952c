// SPDX-License-Identifier: Apache-2.0
#include "records/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dlcert {
namespace {

// The cases that ended in a way that a pass may hold.
std::uint64_t accounted_for(const UnitRecord& record) {
  return record.cases + record.declined + record.not_judged + record.unclaimed +
         record.not_formable + record.discarded;
}

// How many of the cases must meet the rule.
std::uint64_t least(std::uint64_t asked, std::uint64_t one_in) {
  return std::max<std::uint64_t>(1, (asked + one_in - 1) / std::max<std::uint64_t>(1, one_in));
}

// "cudaMemGetInfo is not modelled (12 cases)"
std::string limits_text(const UnitRecord& record) {
  std::vector<std::string> limits;
  for (const auto& [limit, cases] : record.limits)
    limits.push_back(fmt::format("{} ({} {})", limit, cases, cases == 1 ? "case" : "cases"));
  return fmt::format("{}", fmt::join(limits, ", "));
}

// The verdict on a record without a failure, whose cases all ended in a way that a pass may hold.
Decision decide_by_share(const UnitRecord& record, std::uint64_t one_in) {
  const std::uint64_t asked = asked_cases(record);
  const std::uint64_t needed = least(asked, one_in);
  if (record.met >= needed) return {Verdict::pass};
  if (record.met + record.not_judged >= needed) return {Verdict::not_judged, limits_text(record)};
  if (record.met + record.not_judged + record.declined >= needed)
    return {Verdict::not_applicable, fmt::format("{} of {} cases exercised the requirement: {}",
                                                 record.met, asked, record.why_declined)};
  if (record.cases == 0) return {Verdict::inconclusive, "no case ran"};
  return {Verdict::inconclusive,
          fmt::format("only {} of {} cases exercised the requirement, but one in {} must",
                      record.met, asked, one_in)};
}

}  // namespace

std::uint64_t asked_cases(const UnitRecord& record) {
  return record.requested - std::min(record.requested, record.unclaimed);
}

bool ran_no_case(const UnitRecord& record) {
  return accounted_for(record) == record.discarded && record.discarded == record.requested;
}

Decision decide_record(const UnitRecord& record, std::uint64_t one_in) {
  if (!record.inapplicable.empty()) return {Verdict::not_applicable, record.inapplicable};
  if (record.failed && record.happened_once)
    return {Verdict::flaky,
            "the library gave an error once in its process: the same case passed when it was "
            "repeated at once"};
  if (record.failed) return {Verdict::fail};
  if (record.inconclusive != 0) return {Verdict::inconclusive, record.why_inconclusive};
  const bool untried = record.cases + record.declined + record.not_judged == 0;
  if (untried && record.unclaimed != 0)
    return {Verdict::not_applicable,
            fmt::format("the library does not claim {}", record.what_unclaimed)};
  if (untried && record.not_formable != 0)
    return {Verdict::not_applicable, "the library's interface cannot express any of the cases"};
  if (ran_no_case(record)) return {Verdict::inconclusive, "no case ran"};
  if (accounted_for(record) < record.requested)
    return {Verdict::inconclusive, fmt::format("only {} of {} cases have a result",
                                               accounted_for(record), record.requested)};
  return decide_by_share(record, one_in);
}

Decision decide_check(const CheckFacts& facts) {
  if (facts.end == UnitEnd::crashed && !facts.own_fault.empty())
    return {Verdict::inconclusive, std::string{facts.own_fault}};
  // What a library makes of an answer that only dlcert would give says nothing of the library.
  if (!facts.limit.empty())
    return {Verdict::not_judged, fmt::format("{} ({})", facts.limit, facts.record.message)};
  if (!facts.repeated)
    return {Verdict::flaky,
            "the failure did not repeat in a new worker process with the same seed"};
  switch (facts.end) {
    case UnitEnd::missing:
      return {Verdict::not_run, facts.problem.empty() ? "not run yet" : std::string{facts.problem}};
    case UnitEnd::recorded:
      return decide_record(facts.record, facts.one_in);
    case UnitEnd::damaged:
      return {Verdict::inconclusive,
              fmt::format("the results of the worker process are damaged: {}", facts.problem)};
    case UnitEnd::hung:
      return {Verdict::timeout};
    case UnitEnd::crashed:
    case UnitEnd::exhausted:
      break;
  }
  return {Verdict::crash};
}

namespace {

// The checks that are not judged are left out where the cases of the others are enough.
std::vector<Verdict> deciding(std::span<const Judged> checks) {
  std::uint64_t met = 0;
  std::uint64_t asked = 0;
  std::uint64_t one_in = 1;
  bool passed = false;
  for (const Judged& check : checks) {
    met += check.met;
    asked += check.asked;
    one_in = std::max(one_in, check.one_in);
    passed |= check.verdict == Verdict::pass;
  }
  const bool enough = passed && met >= least(asked, one_in);
  std::vector<Verdict> verdicts;
  for (const Judged& check : checks)
    if (!enough || check.verdict != Verdict::not_judged) verdicts.push_back(check.verdict);
  return verdicts;
}

}  // namespace

Verdict decide_requirement(bool applies, std::span<const Judged> checks, Waiving waiving) {
  if (!applies) return Verdict::not_applicable;
  const Verdict verdict = worst(deciding(checks));
  if (waiving == Waiving::failures_accepted && can_be_waived(verdict)) return Verdict::waived;
  if (waiving == Waiving::failure_expected && verdict == Verdict::pass)
    return Verdict::unexpected_pass;
  return verdict;
}

Verdict decide_follower(const Follower& follower) {
  if (!broken(follower.verdict)) return follower.verdict;
  const bool keeps_level =
      (follower.corrupts || follower.owner_too_new) && follower.binding && !follower.owner_binding;
  if (!keeps_level) return Verdict::consequence;
  return follower.owner_waived ? Verdict::waived : follower.verdict;
}

}  // namespace dlcert
