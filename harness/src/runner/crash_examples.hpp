// SPDX-License-Identifier: Apache-2.0
//
// Counterexamples of crashes, hangs, and failures whose worker could not shrink or describe them.
#pragma once

#include <vector>

#include "runner/trial.hpp"
#include "runner/unit_runner.hpp"

namespace dlcert {

// Gives each confirmed crash or hang in a case a counterexample: if `shrink`, the smallest case
// that still crashes or hangs; otherwise, or where none is found, the calls of the case as it was
// drawn. One that takes earlier cases or checks gets none, and its message says so.
void describe_crashes(std::vector<Trial>& trials, const UnitRunner& runner, bool shrink);

// Gives each failure whose worker ended before it had told the calls a counterexample with calls:
// those of the smallest case that it had found, made again by a worker of its own. A case that does
// not fail there stays without.
void describe_failures(std::vector<Trial>& trials, const UnitRunner& runner);

}  // namespace dlcert
