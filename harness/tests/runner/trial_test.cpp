// SPDX-License-Identifier: Apache-2.0
#include "runner/trial.hpp"

#include <gtest/gtest.h>

#include <set>

namespace dlcert {
namespace {

Trial recorded(UnitRecord record) {
  Trial trial;
  trial.outcome.end = UnitEnd::recorded;
  trial.outcome.record = std::move(record);
  return trial;
}

Trial failed() {
  return recorded({.requested = 100, .cases = 3, .failed = true, .message = "broken"});
}

TEST(ToResult, ShowsTheFactsBesideTheVerdict) {
  Trial trial = failed();
  trial.unit.seed = 7;
  trial.outcome.output = "printed";
  const CheckResult result = to_result(
      trial,
      {.requirement = "a.one", .name = "holds", .sentence = "it holds", .role = Role::producer});
  EXPECT_EQ(result.verdict, Verdict::fail);
  EXPECT_EQ(result.name, "holds");
  EXPECT_EQ(result.sentence, "it holds");
  EXPECT_EQ(result.role, Role::producer);
  EXPECT_EQ(result.seed, 7u);
  EXPECT_EQ(result.record.message, "broken");
  EXPECT_EQ(result.output, "printed");
}

TEST(ToResult, GivesTheReasonOfTheDecision) {
  const CheckResult result = to_result(recorded({.requested = 5, .discarded = 5}), {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.reason, "no case ran");
}

TEST(ToResult, SaysWhyNothingRan) {
  Trial trial;
  EXPECT_EQ(to_result(trial, {}).verdict, Verdict::not_run);
  EXPECT_EQ(to_result(trial, {}).reason, "not run yet");
  trial.loading = "ended by SIGSEGV while loading";
  EXPECT_EQ(to_result(trial, {}).reason, "ended by SIGSEGV while loading");
}

TEST(ToResult, SaysHowARecordIsDamaged) {
  Trial trial;
  trial.outcome.end = UnitEnd::damaged;
  trial.outcome.problem = "record: cut";
  EXPECT_EQ(to_result(trial, {}).verdict, Verdict::inconclusive);
  EXPECT_EQ(to_result(trial, {}).reason,
            "the results of the worker process are damaged: record: cut");
}

TEST(ToResult, WhatDoesNotRepeatIsFlaky) {
  Trial trial = failed();
  trial.repeated = false;
  EXPECT_EQ(to_result(trial, {}).verdict, Verdict::flaky);
}

TEST(ToResult, NamesTheChecksThatAFailureTakes) {
  Trial trial = failed();
  trial.after = "capsule.export.name";
  EXPECT_EQ(to_result(trial, {}).after, "after capsule.export.name");
}

TEST(WentWrong, IsAFailureOrTheEndOfTheWorker) {
  EXPECT_FALSE(went_wrong(recorded({.requested = 1, .cases = 1}).outcome));
  EXPECT_FALSE(went_wrong(recorded({.requested = 1, .inconclusive = 1}).outcome));
  EXPECT_TRUE(went_wrong(failed().outcome));
  UnitOutcome outcome;
  for (const UnitEnd end : {UnitEnd::missing, UnitEnd::damaged}) {
    outcome.end = end;
    EXPECT_FALSE(went_wrong(outcome));
  }
  for (const UnitEnd end : {UnitEnd::crashed, UnitEnd::hung, UnitEnd::exhausted}) {
    outcome.end = end;
    EXPECT_TRUE(went_wrong(outcome));
  }
}

class MakeTrials : public testing::Test {
 protected:
  MakeTrials() {
    inventory.checks = {{.requirement = "a.one", .name = "first"},
                        {.requirement = "a.one", .name = "second", .rows = 7},
                        {.requirement = "a.two", .name = "first", .own_process = true}};
    inventory.adapters.resize(1);
    for (const auto& [id, producer] : {std::pair{"a.one", "acme"}, std::pair{"a.two", "acme"}}) {
      PlannedRequirement& planned = plan.requirements.emplace_back();
      planned.id = id;
      planned.producer = producer;
      planned.consumer = "dlcert";
    }
    plan_check(0, 0);
    plan_check(0, 1);
    plan_check(1, 2);
    options.seed = 42;
    options.cases = 1000;
  }

  PlannedCheck& plan_check(std::size_t requirement, std::uint32_t check) {
    PlannedCheck& planned = plan.requirements[requirement].checks.emplace_back();
    planned.check = check;
    planned.producer = 0;
    return planned;
  }

  std::vector<std::uint64_t> seeds(unsigned repetition = 0) const {
    std::vector<std::uint64_t> all;
    for (const Trial& trial : make_trials(plan, inventory, options, repetition))
      all.push_back(trial.unit.seed);
    return all;
  }

  Plan plan;
  Inventory inventory;
  RunOptions options;
};

TEST_F(MakeTrials, KeepTheOrderOfThePlan) {
  const std::vector<Trial> trials = make_trials(plan, inventory, options, 0);
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[1].id, "a.one");
  EXPECT_EQ(trials[1].requirement, 0u);
  EXPECT_EQ(trials[1].check, 1u);
  EXPECT_EQ(trials[0].unit.cases, 1000u);
  EXPECT_EQ(trials[1].unit.cases, 7u);
  EXPECT_FALSE(trials[0].own_process);
  EXPECT_TRUE(trials[2].own_process);
}

TEST_F(MakeTrials, EveryCheckHasASeedOfItsOwn) {
  const auto first = seeds(), second = seeds(1);
  std::set<std::uint64_t> distinct{first.begin(), first.end()};
  distinct.insert(second.begin(), second.end());
  EXPECT_EQ(distinct.size(), 6u);
  EXPECT_EQ(seeds(), first);
}

TEST_F(MakeTrials, ASeedDoesNotDependOnWhatElseRuns) {
  const std::vector<std::uint64_t> all = seeds();
  plan.requirements.erase(plan.requirements.begin());
  EXPECT_EQ(seeds().at(0), all[2]);
}

TEST_F(MakeTrials, ASeedIsThatOfTheWorkerRunByHand) {
  const CheckInfo& check = inventory.checks.at(0);
  EXPECT_EQ(seeds().at(0),
            unit_seed(options.seed, {.requirement = check.requirement,
                                     .check = check.name,
                                     .role = check.role,
                                     .platform = check.platform,
                                     .parties = names_with_harness(Role::producer, "acme")}));
}

TEST_F(MakeTrials, OtherPartiesOrSeedsDrawOtherwise) {
  const std::vector<std::uint64_t> acme = seeds();
  plan.requirements[0].producer = "other";
  EXPECT_NE(seeds()[0], acme[0]);
  EXPECT_EQ(seeds()[2], acme[2]);
  options.seed = 43;
  EXPECT_NE(seeds()[2], acme[2]);
}

TEST_F(MakeTrials, OfALibraryInAnInterpreterTakeFewProcesses) {
  for (CheckInfo& check : inventory.checks)
    check.process_per_case = true;
  inventory.checks[1].rows = 70;
  std::vector<Trial> trials = make_trials(plan, inventory, options, 0);
  EXPECT_EQ(trials[0].unit.cases, 100u);
  EXPECT_EQ(trials[1].unit.cases, 70u);
  EXPECT_EQ(to_result(trials[1], inventory.checks[1]).whole, 0u);

  inventory.adapters[0].fork_hooks = true;
  trials = make_trials(plan, inventory, options, 0);
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.unit.cases, 25u);
    EXPECT_EQ(to_result(trial, inventory.checks[0]).whole, trial.check == 1 ? 70u : 1000u);
  }
  EXPECT_EQ(trials[1].unit.spread_over, 70u);
}

TEST_F(MakeTrials, AReplayBringsItsCase) {
  plan.requirements[0].checks[0].replay =
      Replay{.seed = 7, .cases = 50, .case_index = 3, .choices = {1, 2}};
  plan.requirements[0].checks[1].replay =
      Replay{.seed = 8, .cases = 7, .case_index = 4, .choices = {}};
  const std::vector<Trial> trials = make_trials(plan, inventory, options, 0);
  EXPECT_TRUE(trials[0].is_replay());
  EXPECT_EQ(trials[0].unit.seed, 7u);
  EXPECT_EQ(trials[0].unit.cases, 50u);
  EXPECT_EQ(trials[0].unit.only_case, 3u);
  EXPECT_EQ(trials[0].unit.choices, (Choices{1, 2}));
  EXPECT_EQ(trials[1].unit.only_case, 4u);
  EXPECT_FALSE(trials[1].unit.choices.has_value());  // a row is named by its index
  EXPECT_FALSE(trials[2].is_replay());
}

}  // namespace
}  // namespace dlcert
