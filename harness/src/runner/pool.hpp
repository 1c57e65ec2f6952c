// SPDX-License-Identifier: Apache-2.0
//
// A job and the workers that run it: started, watched, replaced when they die, until every unit has
// an outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runner/watch.hpp"
#include "worker/job.hpp"

namespace dlcert {

struct UnitOutcome {
  enum class End : std::uint8_t {
    missing,    // no worker took it up; JobOutcome::loading says why
    recorded,   // its record is sealed
    crashed,    // the worker ended by itself while it ran, or right behind it
    hung,       // a case exceeded the time limit
    exhausted,  // a case exceeded the memory limit
  };
  End end = End::missing;
  UnitRecord record;     // of recorded; otherwise what is known: the verdict, the cases that ended,
                         // the message
  std::string text;      // the sealed record as it was written
  bool in_case = false;  // the worker ended inside the case below
  std::uint64_t case_index = 0;
  std::uint64_t case_seed = 0;
  std::vector<std::uint32_t> before;  // the units that the same worker had run, in order
  std::string output;                 // what the worker had printed; kept unless the unit passed
  std::string trace;                  // of the case that was being described when the worker ended
};

struct JobOutcome {
  std::vector<UnitOutcome> units;
  std::string loading;  // not empty: workers kept ending before they ran anything, and how
};

struct PoolObserver {
  std::function<void(std::uint32_t unit, const UnitOutcome&)> settled;
  std::function<void()> tick;  // about fifty times a second
};

// Runs `job` in up to `workers` processes of the worker executable at `program`. Returns when every
// unit has an outcome and no process is left. Throws std::system_error when `program` cannot be
// started or the machine lacks resources.
JobOutcome run_job(const std::string& program, const Job& job, const Limits& limits,
                   unsigned workers, const PoolObserver& observer);

}  // namespace dlcert
