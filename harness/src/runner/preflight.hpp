// SPDX-License-Identifier: Apache-2.0
//
// The preflight: what adapters claim, tried by a worker before any rule is judged. Tells a fault of
// an adapter, which would come out as failures of many rules, from what may be the library's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "records/preflight.hpp"
#include "runner/runner.hpp"

namespace dlcert {

struct Preflight {
  PreflightFindings findings;  // one row for each role, device and layout that is claimed
  // How a stage ended that was not done, and in which call. That may be the library's fault: the
  // checks will tell, unless `findings` has a fault of the adapter from before.
  std::vector<std::string> broken_off;
  // The deaths of all adapters, only in the first adapter's entry: one process loads them all.
  // dlcert has repeated the stages that were not done. If a stage was done then, its findings are
  // here.
  std::vector<EarlyDeath> deaths;
  // An adapter said that it is wrong itself, which ended the stages.
  std::optional<FaultOfAdapter> fault;
};

// Tries the adapters of `inventory`, which could be loaded; in its order, of which each has an
// entry. Throws std::system_error when no worker can be started.
std::vector<Preflight> run_preflight(const Inventory& inventory, const RunOptions& options);

// Adds to the inventory what the preflight of its adapter of that name shows of the library: deaths
// and wrong values.
void note_early(const std::string& adapter, const Preflight& preflight, Inventory& inventory);

}  // namespace dlcert
