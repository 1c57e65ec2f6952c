// SPDX-License-Identifier: Apache-2.0
//
// Findings outside of the check that tests their rule: a death before the first check, a wrong
// value in the preflight or in a case that is about another rule, an exception that nobody could
// catch. Each is judged by its own rule and accuses no other.
#pragma once

#include <vector>

#include "report/results.hpp"

namespace dlcert {

// Adds the deaths before the first check to complete results. If a check crashed or timed out, its
// verdict stands for the deaths that repeated. If a death came again later in the run, the two are
// one death.
void add_early_deaths(Results& results, const std::vector<EarlyDeath>& deaths);

// Judges wrong values that no check of the requirement on values has met. The requirement of the
// role, protocol.export.values or protocol.from.new-array, fails if the difference came again in a
// new process (CheckResult::values_repeated), and is flaky otherwise. Changes nothing if that
// requirement is not among the results or has failed itself, or if the adapter was at fault.
// `results` are complete, without waivers applied.
void judge_values(Results& results, const std::vector<EarlyValues>& early);

// Judges exceptions of finalizers, deleters and threads, which a library may raise in a check of
// any requirement. The first check of lifetime.no-unraisable-errors between the same parties fails,
// unless it has failed already. Changes only verdicts of checks. Does nothing if that requirement
// was not selected or has no check.
void judge_unraisable(std::vector<RequirementResult>& results);

}  // namespace dlcert
