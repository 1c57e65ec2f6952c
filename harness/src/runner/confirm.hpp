// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether a unit that went wrong goes wrong again: alone in a fresh worker with the same
// seed, or else after the checks that the same worker ran before it.
#pragma once

#include <vector>

#include "runner/trial.hpp"
#include "runner/unit_runner.hpp"

namespace dlcert {

// Repeats every trial that went wrong, except replays and what is not judged. Afterwards its
// outcome is
// - where it goes wrong again, the one of the repetition; `after` names the checks that it takes;
// - where a case was too slow, but only once, the passing one with a note;
// - otherwise the first one, with `repeated` false.
// `together`: all in one fresh worker, and nothing is looked for that must run before.
void confirm(std::vector<Trial>& trials, const UnitRunner& runner, bool together = false);

// Runs a few trials that met wrong values, but did not fail, each alone in a fresh worker. Sets
// Trial::values_repeated if the values come again.
void confirm_values(std::vector<Trial>& trials, const UnitRunner& runner);

}  // namespace dlcert
