// SPDX-License-Identifier: Apache-2.0
//
// Counterexamples of crashes and hangs: they end their process, so that it cannot shrink or
// describe them itself.
#pragma once

#include <vector>

#include "runner/bench.hpp"
#include "runner/trial.hpp"

namespace dlcert {

// Gives each confirmed death in a case the smallest case that still dies, if `shrink`, and
// otherwise or where none is found the calls of the case as it was. A death that needs earlier
// cases or checks gets none, and its message says so.
void describe_deaths(std::vector<Trial>& trials, const Bench& bench, bool shrink);

}  // namespace dlcert
