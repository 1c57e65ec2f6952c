// SPDX-License-Identifier: Apache-2.0
#include "runner/unit_runner.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace dlcert {
namespace {

// All crashes of a run share this many times the shrinking time of one.
constexpr double shrink_shares = 4;

// What a unit needs of its process: the vendor of the devices, and whether the library must not
// have been called in it.
using ProcessNeeds = std::pair<Platform, bool>;

// The units that one process can run, in their order.
std::map<ProcessNeeds, std::vector<std::uint32_t>> by_process_needs(
    const std::vector<Unit>& units) {
  std::map<ProcessNeeds, std::vector<std::uint32_t>> groups;
  for (std::uint32_t index = 0; index < units.size(); ++index) {
    const Platform platform = units[index].platform;
    groups[{platform == Platform::any ? Platform::cuda : platform, units[index].process_per_case}]
        .push_back(index);
  }
  return groups;
}

}  // namespace

UnitRunner::UnitRunner(const RunOptions& options, std::function<void()> tick,
                       std::vector<AdapterInfo> described, JobEnded job_ended)
    : options_{options},
      tick_{std::move(tick)},
      described_{std::move(described)},
      job_ended_{std::move(job_ended)},
      workers_{options.jobs > 0 ? options.jobs
                                : std::max(1u, std::thread::hardware_concurrency())} {}

JobOutcome UnitRunner::run_shared(std::vector<Unit> units, const UnitEnded& unit_ended) const {
  return run(job(std::move(units)), limits(), workers_, unit_ended);
}

JobOutcome UnitRunner::run_each_alone(std::vector<Unit> units, const UnitEnded& unit_ended) const {
  Job each = job(std::move(units));
  each.units_per_worker = 1;
  return run(each, limits(), workers_, unit_ended);
}

JobOutcome UnitRunner::run_together(std::vector<Unit> units) const {
  return run(job(std::move(units)), limits(), 1, {});
}

UnitOutcome UnitRunner::run_in_order(std::vector<Unit> units) const {
  return std::move(run(job(std::move(units)), limits(), 1, {}).units.back());
}

JobOutcome UnitRunner::shrink(const std::vector<Unit>& units) const {
  const auto crashes = static_cast<double>(std::max<std::size_t>(units.size(), 1));
  Job all = job(units);
  all.mode = Job::Mode::shrink;
  all.case_seconds = options_.case_seconds;
  all.shrink_candidates = options_.shrink_candidates;
  all.shrink_seconds = options_.shrink_seconds * std::min(1.0, shrink_shares * workers_ / crashes);
  // The worker itself limits each candidate, and their sum; here it only has to stay alive.
  Limits generous = limits();
  generous.case_seconds += options_.load_seconds;
  generous.patience = 1;
  JobOutcome shrunk = run(all, generous, workers_, {});

  std::vector<std::size_t> untold;
  all.units.clear();
  all.load_each_candidate = true;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (shrunk.units[i].record.inconclusive != 0) {
      untold.push_back(i);
      all.units.push_back(units[i]);
    }
  JobOutcome again = run(all, generous, workers_, {});
  for (std::size_t i = 0; i < untold.size(); ++i)
    shrunk.units[untold[i]] = std::move(again.units[i]);
  return shrunk;
}

Limits UnitRunner::limits() const {
  return {.load_seconds = options_.load_seconds,
          .case_seconds = options_.case_seconds,
          .memory_bytes = options_.memory_bytes};
}

Job UnitRunner::job(std::vector<Unit> units) const {
  Job job;
  job.adapters = options_.adapters;
  job.described = described_;
  job.settings = options_.settings;
  job.units = std::move(units);
  job.explain = options_.explain;
  return job;
}

// Units with other needs of their process are a job of their own.
JobOutcome UnitRunner::run(Job job, const Limits& limits, unsigned workers,
                           const UnitEnded& unit_ended) const {
  const std::vector<Unit> all = std::move(job.units);
  JobOutcome whole;
  whole.units.resize(all.size());
  for (const auto& [needs, indices] : by_process_needs(all)) {
    if (found_adapter_fault()) break;
    job.platform = needs.first;
    job.units.clear();
    for (const std::uint32_t index : indices)
      job.units.push_back(all[index]);
    const auto note = [&, &chosen = indices](std::uint32_t unit, const UnitOutcome& outcome) {
      if (unit_ended) unit_ended(chosen[unit], outcome);
    };
    JobOutcome part = run_job(options_.worker, job, limits, workers, {note, tick_}, &seen_);
    if (job_ended_) job_ended_(part);
    if (part.adapter_fault) adapter_fault_ = part.loading;
    if (!part.loading.empty()) whole.loading = std::move(part.loading);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      for (std::uint32_t& earlier : part.units[i].before)
        earlier = indices[earlier];
      whole.units[indices[i]] = std::move(part.units[i]);
    }
  }
  if (found_adapter_fault()) whole.loading = adapter_fault_;
  return whole;
}

}  // namespace dlcert
