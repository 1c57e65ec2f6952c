// SPDX-License-Identifier: Apache-2.0
//
// What the workers of a run do, counted where it is done. Times vary from run to run and from
// machine to machine, these counts hardly do. Implemented in harness/src/party/work.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace dlcert {

enum class Work : std::uint8_t {
  worker_processes,  // started by the runner
  units_started,
  cases_drawn,  // also in place of one that was discarded
  cases_run,    // those, and what is replayed to shrink and describe a failure
  cases_met,    // of those that were drawn: they touched their rule
  cases_unclaimed,
  forks,          // of a worker, for a case or by its check
  bytes_made,     // of the elements of tensors that libraries were asked to make
  bytes_offered,  // of host memory, behind the tensors that the spy offers
};

// As the results call them.
inline constexpr std::array<std::string_view, 9> work_names{
    "worker_processes", "units_started", "cases_drawn", "cases_run",    "cases_met",
    "cases_unclaimed",  "forks",         "bytes_made",  "bytes_offered"};

using WorkCounters = std::array<std::atomic<std::uint64_t>, work_names.size()>;

// From now on this process and its forks count there: in memory that outlives them, if a crash is
// to lose nothing. Without it nothing is counted.
void count_work_in(WorkCounters& counters);

// Any thread, any fork.
void count_work(Work what, std::uint64_t more = 1);

}  // namespace dlcert
