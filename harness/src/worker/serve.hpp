// SPDX-License-Identifier: Apache-2.0
//
// The work of a worker: it loads the adapters, claims units until none is left, and records each.
#pragma once

#include "records/job.hpp"
#include "records/records.hpp"

namespace dlcert {

// The process that runs implementations. Closes and unloads them, sets Phase::finished and ends: by
// exit(3) when no unit is left to claim, else by _exit(2). Exit statuses: 0; with Position::reason
// set, 2 the worker cannot go on, 3 an adapter cannot be loaded or describes itself otherwise. Not
// leak-checked by sanitizers, which would count what an implementation leaked on purpose: --local
// is.
[[noreturn]] void serve(Records& records, std::size_t worker_number, const Suite& suite);

// The record's JSON within a slot's capacity: what does not fit is shortened, the program first.
std::string fitting_json(UnitRecord record);

}  // namespace dlcert
