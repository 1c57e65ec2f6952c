// SPDX-License-Identifier: Apache-2.0
//
// Counterexamples of crashes and hangs, whose worker could not shrink or describe them itself.
#pragma once

#include <vector>

#include "runner/trial.hpp"
#include "runner/unit_runner.hpp"

namespace dlcert {

// Gives each confirmed crash or hang in a case a counterexample: if `shrink`, the smallest case
// that still crashes or hangs; otherwise, or where none is found, the calls of the case as it was
// drawn. One that takes earlier cases or checks gets none, and its message says so.
void describe_crashes(std::vector<Trial>& trials, const UnitRunner& runner, bool shrink);

}  // namespace dlcert
