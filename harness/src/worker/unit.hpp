// SPDX-License-Identifier: Apache-2.0
//
// All cases of one check between two parties, in this process: counted exactly, the first failure
// shrunk and described.
#pragma once

#include <functional>

#include "records/job.hpp"
#include "records/records.hpp"
#include "worker/case_run.hpp"

namespace dlcert {

// Where a unit reports while it runs.
struct UnitReport {
  // The position of the worker, which is kept up to date.
  Position& position;
  // Gets the record of a failure before the failing case is shrunk, and again before it is
  // described: either may end the process. May be empty.
  std::function<void(const UnitRecord&)> preliminary = {};
  // Gets each event of a described case before its call is made. May be empty.
  std::function<void(std::string_view)> trace_line = {};
  bool explain = true;  // Job::explain
};

// Runs the unit's cases up to the first failure that is not minor (Case::minor), or else all cases.
// Shrinks and describes, if asked, that failure or else the first minor one. With `unit.only_case`
// or `unit.choices`, runs and describes one case only. Returns facts, no verdict. Does not throw
// what bodies throw.
UnitRecord run_unit(const Check& check, const Binding& binding, const Unit& unit,
                    const UnitReport& report);

// Tells the runner that the worker makes progress.
void beat(Position& position);

}  // namespace dlcert
