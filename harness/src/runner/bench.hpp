// SPDX-License-Identifier: Apache-2.0
//
// Where units are run, and the ways in which the runner runs them: the worker executable with the
// adapters, settings and limits of one run.
#pragma once

#include <functional>
#include <vector>

#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {

class Bench {
 public:
  // `tick` is called now and then while anything runs. `options` outlives the bench.
  Bench(const RunOptions& options, std::function<void()> tick);

  using Settled = std::function<void(std::uint32_t unit, const UnitOutcome&)>;

  // In parallel workers, as many units to a worker as it claims.
  JobOutcome together(std::vector<Unit> units, const Settled& settled) const;
  // In parallel, each in a fresh worker. `patience` multiplies the time limit of a case.
  JobOutcome alone(std::vector<Unit> units, double patience, const Settled& settled = {}) const;
  // In one fresh worker, in this order. The outcome of the last.
  UnitOutcome last_of(std::vector<Unit> units, double patience) const;
  // The smallest cases that end their process. Each unit names its case.
  JobOutcome shrink(std::vector<Unit> units) const;

 private:
  Job job(std::vector<Unit> units) const;
  JobOutcome run(Job job, double case_seconds, unsigned workers, const Settled& settled) const;

  const RunOptions& options_;
  std::function<void()> tick_;
  unsigned workers_;
};

}  // namespace dlcert
