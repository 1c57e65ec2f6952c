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

// What a unit tells while it runs.
struct UnitReport {
  // Where the unit is; always written.
  Position& position;
  // Gets the record of a failure before it is shrunk, and again before it is described, either of
  // which may end the process. May be empty.
  std::function<void(const UnitRecord&)> preliminary = {};
  // Gets each event of a described case before its call is made. May be empty.
  std::function<void(std::string_view)> trace_line = {};
};

// Does not throw what bodies throw. `unit.only_case` runs one case, described; `unit.choices`
// replays that case.
UnitRecord run_unit(const Check& check, const Binding& binding, const Unit& unit,
                    const UnitReport& report);

// Sets the time of the last sign of life.
void beat(Position& position);

}  // namespace dlcert
