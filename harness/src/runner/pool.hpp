// SPDX-License-Identifier: Apache-2.0
//
// A job and the workers that run it: started, watched, replaced when they end, until every unit has
// an outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "records/decide.hpp"
#include "records/job.hpp"
#include "runner/watch.hpp"

namespace dlcert {

// What is known of a unit: facts, on which no verdict is given here.
struct UnitOutcome {
  UnitEnd end = UnitEnd::missing;
  // The worker's. Of a unit that ended its worker: the cases before, and as message how it ended.
  UnitRecord record;
  // Of damaged: what is wrong with its record. Of crashed, where the worker itself left: why.
  std::string problem;
  std::string text;  // in describe, preflight and load mode: the record as it was written

  // The worker ended inside this case.
  bool in_case = false;
  std::uint64_t case_index = 0;
  std::uint64_t case_seed = 0;
  std::string trace;  // of this case, if it was being described (add_trace())
  std::string limit;  // of dlcert's own, that this case had met; empty: none

  std::string slowness;  // not empty: what took longer than it should, and ended

  std::vector<std::uint32_t> before;  // the units that the same worker had run before, in order
  // What the worker had printed: of units that went wrong, and in these modes.
  std::string output;
};

// The unit failed, or its worker ended in it: what has to be confirmed before it is believed.
bool went_wrong(const UnitOutcome& outcome);

// A worker that ended, or hung, where no unit can be blamed for it.
struct WorkerDeath {
  std::string when;  // "loading", "between checks", "closing", "unloading", "exiting"
  std::string how;   // "ended by SIGSEGV", "did not end within 30 s of its last check"
  std::vector<std::uint32_t> after;  // the checks of the suite that it had run, in order
  std::string output;                // what it had printed
  std::vector<std::string> steps;  // the adapter's functions that were called; the last is at fault
};

struct JobOutcome {
  std::vector<UnitOutcome> units;
  std::vector<WorkerDeath> deaths;
  std::vector<std::string> problems;  // why workers did not begin or go on, distinct, one line each
  std::string loading;         // not empty: workers kept ending before they ran anything, and how
  std::string loading_output;  // what the last of them had printed
  // An adapter said that it is wrong itself: nothing else was begun. `loading` says how.
  bool adapter_fault = false;
};

// The calls that the libraries of a run were seen to form in its jobs (Records::formed_calls()).
using SeenCalls = std::vector<std::uint64_t>;

struct PoolObserver {
  // Called for each outcome; again for a unit whose worker ended right behind it.
  std::function<void(std::uint32_t unit, const UnitOutcome&)> unit_ended;
  std::function<void()> tick;  // about fifty times a second
};

// Runs `job` in up to `workers` processes of the worker executable at `program`. Returns when every
// unit has an outcome and no process is left. `seen`, where there is one, is what earlier jobs saw,
// and afterwards what this one saw as well. Throws std::system_error when `program` cannot be
// started or the machine lacks resources.
JobOutcome run_job(const std::string& program, const Job& job, const Limits& limits,
                   unsigned workers, const PoolObserver& observer, SeenCalls* seen = nullptr);

}  // namespace dlcert
