// SPDX-License-Identifier: Apache-2.0
//
// Runs units in workers: in the ways that a run needs, with its worker executable, adapters,
// settings and limits.
#pragma once

#include <functional>
#include <vector>

#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {

class UnitRunner {
 public:
  // Called for each outcome as soon as it is known (PoolObserver::unit_ended).
  using UnitEnded = std::function<void(std::uint32_t unit, const UnitOutcome&)>;
  // Called for each job, which may be a part of a call: for the deaths and problems in it.
  using JobEnded = std::function<void(const JobOutcome&)>;

  // `tick` is called now and then while anything runs. `options` must outlive the runner.
  // `described`: what the adapters said of themselves (Job::described).
  UnitRunner(const RunOptions& options, std::function<void()> tick,
             std::vector<AdapterInfo> described = {}, JobEnded job_ended = {});

  // Runs the units in parallel workers, each of which runs as many as it claims.
  JobOutcome run_shared(std::vector<Unit> units, const UnitEnded& unit_ended) const;
  // Runs the units in parallel, each in a fresh worker.
  JobOutcome run_each_alone(std::vector<Unit> units, const UnitEnded& unit_ended = {}) const;
  // Runs the units in one fresh worker, and in another where one ends.
  JobOutcome run_together(std::vector<Unit> units) const;
  // Runs the units in one fresh worker, in this order, and returns the outcome of the last.
  UnitOutcome run_in_order(std::vector<Unit> units) const;
  // Finds the smallest cases that end their process or hang. Each unit names the case to start
  // from. Where a fork of what has loaded the libraries does not tell, each candidate loads them.
  JobOutcome shrink(const std::vector<Unit>& units) const;
  // Whether an adapter said that it is wrong itself: nothing is run any more.
  bool found_adapter_fault() const { return !adapter_fault_.empty(); }

 private:
  Job job(std::vector<Unit> units) const;
  Limits limits() const;
  JobOutcome run(Job job, const Limits& limits, unsigned workers,
                 const UnitEnded& unit_ended) const;

  const RunOptions& options_;
  std::function<void()> tick_;
  std::vector<AdapterInfo> described_;
  JobEnded job_ended_;
  mutable SeenCalls seen_;             // in all jobs so far
  mutable std::string adapter_fault_;  // empty: none
  unsigned workers_;
};

}  // namespace dlcert
