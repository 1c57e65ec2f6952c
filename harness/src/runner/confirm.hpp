// SPDX-License-Identifier: Apache-2.0
//
// Whether what went wrong goes wrong again: alone in a fresh worker with the same seed, or else
// behind the checks that the same worker ran before it.
#pragma once

#include <vector>

#include "runner/bench.hpp"
#include "runner/trial.hpp"

namespace dlcert {

// Repeats every suspicious trial but replays. Afterwards its outcome is
// - the repeated one, where it goes wrong again; `after` names the checks that it takes;
// - the passing one with a note, of a case that was only once too slow;
// - the first one marked as flaky, otherwise.
void confirm(std::vector<Trial>& trials, const Bench& bench);

}  // namespace dlcert
