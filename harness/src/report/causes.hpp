// SPDX-License-Identifier: Apache-2.0
//
// What brings a reader of many failures near to their cause, without a claim to know it: the
// simplest failure first, and which failures say the same. Neither is learned from known faults.
// How far they lead is measured on the mutants (fixtures/mutants/README.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/results.hpp"

namespace dlcert {

// All broken results, none left out, the simplest first: that with the least product of steps,
// choices and the case's index (each plus one) of a counterexample. Those without one come last;
// ties stay in the order of the results.
std::vector<const RequirementResult*> simplest_first(const Results& results);

// The requirements other than that of `result`, in alphabetical order, that the same library broke
// with the same message, whatever numbers stand in it, or by the same end of its process in the
// same call.
std::set<std::string> with_same_message(const Results& results, const RequirementResult& result);

}  // namespace dlcert
