// SPDX-License-Identifier: Apache-2.0
#include "runner/pool.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runner/runner.hpp"
#include "scripted_worker.hpp"

namespace dlcert {
namespace {

using scripted::Script;

JobOutcome run(std::initializer_list<Script> scripts, unsigned workers = 1) {
  Job job;
  for (const Script script : scripts) {
    Unit& unit = job.units.emplace_back();
    unit.check = static_cast<std::uint32_t>(job.units.size() + 10);
    unit.seed = static_cast<std::uint64_t>(script);
    unit.cases = 5;
  }
  return run_job(SCRIPTED_WORKER, job, {}, workers, {});
}

TEST(Pool, AnEndBehindTheLastUnitIsNobodysFailure) {
  const JobOutcome outcome = run({Script::passes, Script::passes_and_dies_at_the_end});
  for (const UnitOutcome& unit : outcome.units)
    EXPECT_EQ(unit.end, UnitEnd::recorded);
  ASSERT_EQ(outcome.deaths.size(), 1u);
  EXPECT_EQ(outcome.deaths[0].when, "exiting");
  EXPECT_TRUE(outcome.deaths[0].how.starts_with("ended by SIGABRT")) << outcome.deaths[0].how;
  EXPECT_EQ(outcome.deaths[0].after, (std::vector<std::uint32_t>{11, 12}));
}

TEST(Pool, AnEndThatMayBeOthersDoingIsAProblemOfTheRun) {
  const JobOutcome outcome = run({Script::passes_and_is_killed_at_the_end});
  EXPECT_EQ(outcome.units[0].end, UnitEnd::recorded);
  EXPECT_TRUE(outcome.deaths.empty());
  ASSERT_EQ(outcome.problems.size(), 1u);
  EXPECT_TRUE(outcome.problems[0].starts_with("a worker process ended by SIGKILL"))
      << outcome.problems[0];
}

TEST(Pool, WhatTheWorkerItselfCannotDoIsAProblemOfTheRun) {
  const JobOutcome outcome = run({Script::passes_and_cannot_go_on, Script::passes});
  for (const UnitOutcome& unit : outcome.units)
    EXPECT_EQ(unit.end, UnitEnd::recorded);
  EXPECT_TRUE(outcome.deaths.empty());
  EXPECT_EQ(outcome.problems, std::vector<std::string>{"the machine lacks memory"});
}

TEST(Pool, AFaultOfTheAdapterEndsTheJob) {
  const JobOutcome outcome =
      run({Script::is_slow, Script::finds_a_fault_of_the_adapter, Script::passes}, 2);
  EXPECT_TRUE(outcome.adapter_fault);
  EXPECT_EQ(outcome.loading, "adapter 'acme': a fault of the adapter: a typo");
  EXPECT_EQ(outcome.loading_output, "Traceback\n");
  for (const UnitOutcome& unit : outcome.units)
    EXPECT_EQ(unit.end, UnitEnd::missing);
  EXPECT_TRUE(outcome.problems.empty());
  EXPECT_TRUE(outcome.deaths.empty());
}

TEST(Pool, AnEndBehindALimitSaysWhichLimit) {
  const JobOutcome outcome = run({Script::dies_behind_a_limit, Script::passes});
  EXPECT_EQ(outcome.units[0].end, UnitEnd::crashed);
  EXPECT_EQ(outcome.units[0].limit, "cudaMemGetInfo is not modelled");
  EXPECT_EQ(outcome.units[1].limit, "");
}

TEST(TakeInventory, OfAWorkerOfAnotherBuildIsRefused) {
  RunOptions options;
  options.worker = SCRIPTED_WORKER;
  try {
    take_inventory(options);
    FAIL() << "taken";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(SCRIPTED_WORKER), std::string::npos) << text;
    EXPECT_NE(text.find("but found dlcert 0.0"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace dlcert
