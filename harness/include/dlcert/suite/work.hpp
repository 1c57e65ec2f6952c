// SPDX-License-Identifier: Apache-2.0
//
// Counts what the workers of a run do. Times vary between runs and between machines; these counts
// hardly vary. Implemented in harness/src/party/work.cpp.
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

// Makes this process and its forks count in `counters`, which outlives them. Share that memory with
// the runner if a crash must not lose counts. Before the first call nothing is counted.
void count_work_in(WorkCounters& counters);

// Adds to a counter. Any thread and any fork may call it.
void count_work(Work what, std::uint64_t more = 1);

}  // namespace dlcert
