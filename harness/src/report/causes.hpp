// SPDX-License-Identifier: Apache-2.0
//
// Which of many failures a reader should look at first: those from which the others likely follow.
// What follows from what is written down in conformance/causes.json. Advice: verdicts, counts and
// exit codes never depend on it. How far it leads is measured on the mutants
// (fixtures/mutants/README.md).
#pragma once

#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// Sets RequirementResult::cause of each broken result that follows from another one of the same
// library, in whatever role, proven or likely, and empties all others. A result that is
// waived or not judged is no cause.
void find_causes(Results& results, const Register& known);

// Whether its cause is proven for each broken check (CheckResult::consequence).
bool is_proven_consequence(const RequirementResult& result);

// All broken results, none left out, the simplest first: that with the least product of steps,
// choices and the case's index (each plus one) of a counterexample. Those without one come last;
// ties stay in the order of the results.
std::vector<const RequirementResult*> simplest_first(const Results& results);

// Those of them without a cause: first those that, or a consequence of which, is no mere warning.
std::vector<const RequirementResult*> headlines(const Results& results);

// Those of them of the same library whose cause is the requirement of `headline`.
std::vector<const RequirementResult*> consequences(const Results& results,
                                                   const RequirementResult& headline);

}  // namespace dlcert
