// SPDX-License-Identifier: Apache-2.0
//
// Counts the work of a run's workers. Times vary between runs and between machines; these counts
// hardly vary. Implemented in harness/src/party/work.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace dlcert {

// The counters.
enum class Work : std::uint8_t {
  worker_processes,  // started by the runner
  units_started,
  cases_drawn,  // including cases drawn in place of discarded ones
  cases_run,    // drawn cases, and replays that shrink and describe a failure
  cases_met,    // drawn cases that exercised their requirement
  cases_unclaimed,
  forks,          // by a worker for a case, or by its check
  bytes_made,     // of elements of tensors that libraries were asked to make
  bytes_offered,  // of host memory of tensors that dlcert hands over
};

// The names of the counters in the results.
inline constexpr std::array<std::string_view, 9> work_names{
    "worker_processes", "units_started", "cases_drawn", "cases_run",    "cases_met",
    "cases_unclaimed",  "forks",         "bytes_made",  "bytes_offered"};

using WorkCounters = std::array<std::atomic<std::uint64_t>, work_names.size()>;

// Makes this process and its forks count in `counters`, which must outlive them. If a crash must
// not lose the counts, share that memory with the runner. Nothing is counted before the first call.
void count_work_in(WorkCounters& counters);

// Adds `more` to a counter. Any thread and any fork may call it.
void count_work(Work what, std::uint64_t more = 1);

}  // namespace dlcert
