// SPDX-License-Identifier: Apache-2.0
//
// One planned check while it is run, confirmed and described: the facts for its verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/plan.hpp"
#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {

struct Trial {
  std::size_t requirement = 0;  // index into the plan's requirements
  std::size_t check = 0;        // index into the checks of that requirement
  std::string_view id;          // of the requirement; in the plan
  bool own_process = false;
  Unit unit;
  std::uint64_t whole = 0;  // the cases that the run asked for; the unit may have a share of them

  // It repeats a saved case, whose outcome is neither confirmed nor shrunk.
  bool is_replay() const { return unit.only_case.has_value(); }

  UnitOutcome outcome;
  std::string loading;   // of a missing outcome: why no worker ran the unit, if that is known
  bool repeated = true;  // false: what went wrong did not go wrong again
  bool values_repeated = false;  // UnitRecord::wrong_values came again in a new worker
  std::string after;             // not empty: it goes wrong only after these requirements' checks
  std::optional<Consequence> consequence;  // it follows from another requirement
  std::vector<std::string>
      refuted;  // requirements from which it does not follow: it failed without
};

// The trials of a plan, in its order; those of checks that are not run have their outcome. Each
// repetition draws other seeds: from the run's seed, the result's key and the check.
std::vector<Trial> make_trials(const Plan& plan, const Inventory& inventory,
                               const RunOptions& options, unsigned repetition);

// What the facts so far amount to: the verdict (decide_check()) and what is shown with it.
CheckResult to_result(const Trial& trial, const CheckInfo& check);

}  // namespace dlcert
