// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a whole run: its exit code and the reasons. The verdicts on its requirements are
// decided in records/decide.hpp.
#pragma once

#include <string>
#include <vector>

#include "report/results.hpp"

namespace dlcert {

// In the order in which they apply.
enum ExitCode : int {
  exit_usage = 2,  // the command line or an adapter is wrong; no verdict
  // What binds (RequirementResult::binding) failed, crashed or timed out, or the library's process
  // died outside of its checks.
  exit_failed = 1,
  // Nothing was selected, a check ran no case, what binds is inconclusive or not run, a role gave
  // no evidence or was hardly tested, a required feature is not full, something of the baseline is
  // lost, or workers did not go on (Results::problems).
  exit_vacuous = 3,
  exit_waivers = 4,  // an expired or obsolete waiver, an unexpected pass
  exit_flaky = 5,    // a failure, or a death before the first check, that did not repeat
  exit_certified = 0,
};
inline constexpr int exit_not_applicable = 77;  // of `dlcert verdict`, as CTest's SKIP_RETURN_CODE

struct RunVerdict {
  int exit_code = exit_certified;
  std::vector<std::string> reasons;  // one line each, the decisive first; empty when certified
};

// `results` are complete, with waivers applied, their scope, and the baseline where there is one.
RunVerdict judge(const Results& results);

// The part of judge() that no requirement's own verdict tells: a fault of the adapter, deaths and
// workers that did not go on, missing evidence, roles that were hardly tested, what is required,
// the baseline, and waivers of rules that have no result.
RunVerdict judge_beside_requirements(const Results& results);

// Returns whether this result alone keeps the exit code from being 0.
bool counts(const RequirementResult& result);

// Returns whether it is a warning: the library broke a rule that it need not keep.
bool warns(const RequirementResult& result);

}  // namespace dlcert
