// SPDX-License-Identifier: Apache-2.0
//
// One planned check on its way to a verdict.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {

struct Trial {
  std::size_t requirement = 0;  // index into the plan's requirements, and of the check in that
  std::size_t check = 0;
  std::string_view id;  // of the requirement; the plan's
  bool own_process = false;
  Unit unit;

  // A saved case is run again: it is what it is, neither confirmed nor shrunk.
  bool is_replay() const { return unit.only_case.has_value(); }

  UnitOutcome outcome;
  std::string loading;  // why workers could not load, if none took it up
  bool flaky = false;   // what the outcome says did not repeat
  std::string after;    // not empty: it repeats only after these requirements' checks
};

// The trials of a plan, in its order. Each repetition draws other seeds: from the run's seed, the
// result's key and the check.
std::vector<Trial> make_trials(const Plan& plan, const Inventory& inventory,
                               const RunOptions& options, unsigned repetition);

// The outcome is one that is not believed at once: a failure, or the end of the worker.
bool suspicious(const UnitOutcome& outcome);

// The verdict so far, and what is shown with it.
CheckResult to_result(const Trial& trial, const CheckInfo& check);

}  // namespace dlcert
