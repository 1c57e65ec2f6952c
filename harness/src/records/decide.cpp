// SPDX-License-Identifier: Apache-2.0
#include "records/decide.hpp"

#include <fmt/format.h>

namespace dlcert {
namespace {

// The cases that ended in a way that a pass may hold.
std::uint64_t accounted_for(const UnitRecord& record) {
  return record.cases + record.unclaimed + record.not_formable + record.discarded;
}

}  // namespace

bool ran_no_case(const UnitRecord& record) {
  return accounted_for(record) == record.discarded && record.discarded == record.requested;
}

Decision decide_record(const UnitRecord& record) {
  if (!record.inapplicable.empty()) return {Verdict::not_applicable, record.inapplicable};
  if (record.failed) return {Verdict::fail};
  if (record.inconclusive != 0) return {Verdict::inconclusive, record.why_inconclusive};
  if (record.cases == 0 && record.unclaimed != 0)
    return {Verdict::not_applicable,
            fmt::format("the library does not claim {}", record.what_unclaimed)};
  if (record.cases == 0 && record.not_formable != 0)
    return {Verdict::not_applicable, "the library's interface cannot form any of the cases"};
  if (ran_no_case(record)) return {Verdict::inconclusive, "vacuous: no case ran"};
  if (accounted_for(record) < record.requested)
    return {Verdict::inconclusive, fmt::format("only {} of {} cases are accounted for",
                                               accounted_for(record), record.requested)};
  if (record.cases == 0) return {Verdict::inconclusive, "vacuous: no case ran"};
  return {Verdict::pass};
}

Decision decide_check(const CheckFacts& facts) {
  if (facts.end == UnitEnd::crashed && !facts.own_fault.empty())
    return {Verdict::inconclusive, std::string{facts.own_fault}};
  if (!facts.repeated)
    return {Verdict::flaky, "it did not repeat in a fresh worker with the same seed"};
  switch (facts.end) {
    case UnitEnd::missing:
      return {Verdict::not_run, facts.problem.empty() ? "not run yet" : std::string{facts.problem}};
    case UnitEnd::recorded:
      return decide_record(facts.record);
    case UnitEnd::damaged:
      return {Verdict::inconclusive, fmt::format("its record is damaged: {}", facts.problem)};
    case UnitEnd::hung:
      return {Verdict::timeout};
    case UnitEnd::crashed:
    case UnitEnd::exhausted:
      break;
  }
  return {Verdict::crash};
}

Verdict decide_requirement(bool applies, std::span<const Verdict> checks, Waiving waiving) {
  if (!applies) return Verdict::not_applicable;
  const Verdict verdict = worst(checks);
  if (waiving == Waiving::failures_accepted && can_be_waived(verdict)) return Verdict::waived;
  if (waiving == Waiving::failure_expected && verdict == Verdict::pass)
    return Verdict::unexpected_pass;
  return verdict;
}

}  // namespace dlcert
