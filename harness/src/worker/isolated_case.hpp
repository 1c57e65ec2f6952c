// SPDX-License-Identifier: Apache-2.0
//
// One case in a process of its own, which is forked from one that has loaded the library and called
// nothing of it but open().
#pragma once

#include "worker/case_run.hpp"

namespace dlcert {

// As run_case(), for checks with Isolation::process_per_case; `draw` learns the choices of a case
// that failed, or while a trace is written. Where the case ends its process, the
// calling process ends in the same way. Throws std::system_error when no process can be forked.
CaseOutcome run_case_in_new_process(const CasePlan& plan, Draw& draw, Observations* observations);

}  // namespace dlcert
