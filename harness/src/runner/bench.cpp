// SPDX-License-Identifier: Apache-2.0
#include "runner/bench.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace dlcert {
namespace {

// All deaths of a run share this many times the time that one may take.
constexpr double shrink_shares = 4;

}  // namespace

Bench::Bench(const RunOptions& options, std::function<void()> tick)
    : options_{options},
      tick_{std::move(tick)},
      workers_{options.jobs > 0 ? options.jobs
                                : std::max(1u, std::thread::hardware_concurrency())} {}

JobOutcome Bench::together(std::vector<Unit> units, const Settled& settled) const {
  return run(job(std::move(units)), options_.case_seconds, workers_, settled);
}

JobOutcome Bench::alone(std::vector<Unit> units, double patience, const Settled& settled) const {
  Job each = job(std::move(units));
  each.units_per_worker = 1;
  return run(each, options_.case_seconds * patience, workers_, settled);
}

UnitOutcome Bench::last_of(std::vector<Unit> units, double patience) const {
  return std::move(
      run(job(std::move(units)), options_.case_seconds * patience, 1, {}).units.back());
}

JobOutcome Bench::shrink(std::vector<Unit> units) const {
  const auto deaths = static_cast<double>(std::max<std::size_t>(units.size(), 1));
  Job all = job(std::move(units));
  all.mode = Job::Mode::shrink;
  all.case_seconds = options_.case_seconds;
  all.shrink_candidates = options_.shrink_candidates;
  all.shrink_seconds = options_.shrink_seconds * std::min(1.0, shrink_shares * workers_ / deaths);
  // The worker limits each candidate and their sum; the runner only sees that it goes on.
  return run(all, options_.case_seconds + options_.load_seconds, workers_, {});
}

Job Bench::job(std::vector<Unit> units) const {
  Job job;
  job.adapters = options_.adapters;
  job.settings = options_.settings;
  job.units = std::move(units);
  return job;
}

JobOutcome Bench::run(const Job& job, double case_seconds, unsigned workers,
                      const Settled& settled) const {
  if (job.units.empty()) return {};
  const Limits limits{.load_seconds = options_.load_seconds,
                      .case_seconds = case_seconds,
                      .memory_bytes = options_.memory_bytes};
  return run_job(options_.worker, job, limits, workers, {settled, tick_});
}

}  // namespace dlcert
