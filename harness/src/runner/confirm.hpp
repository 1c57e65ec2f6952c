// SPDX-License-Identifier: Apache-2.0
//
// Whether a unit that went wrong goes wrong again: alone in a fresh worker with the same seed, or
// else behind the checks that the same worker ran before it.
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

// Runs those that met wrong values alone in a fresh worker, unless they failed: a few, to see
// whether the values come again (Trial::values_repeated).
void confirm_values(std::vector<Trial>& trials, const UnitRunner& runner);

}  // namespace dlcert
