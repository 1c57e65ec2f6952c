// SPDX-License-Identifier: Apache-2.0
#include "runner/trial.hpp"

#include <gtest/gtest.h>

#include <set>

namespace dlcert {
namespace {

using End = UnitOutcome::End;

Trial recorded(std::string verdict, std::uint64_t cases, std::uint64_t requested = 100) {
  Trial trial;
  trial.outcome.end = End::recorded;
  trial.outcome.record.verdict = std::move(verdict);
  trial.outcome.record.cases = cases;
  trial.outcome.record.requested = requested;
  return trial;
}

Verdict verdict_of(const Trial& trial) {
  return to_result(trial, {}).verdict;
}

TEST(ToResult, TakesTheRecordsWord) {
  EXPECT_EQ(verdict_of(recorded("pass", 100)), Verdict::pass);
  EXPECT_EQ(verdict_of(recorded("fail", 3)), Verdict::fail);
  EXPECT_EQ(verdict_of(recorded("not applicable", 0)), Verdict::not_applicable);
  EXPECT_EQ(verdict_of(recorded("inconclusive", 1)), Verdict::inconclusive);
}

TEST(ToResult, ForgivesNoVacuousPass) {
  const CheckResult result = to_result(recorded("pass", 0), {});
  EXPECT_EQ(result.verdict, Verdict::inconclusive);
  EXPECT_EQ(result.record.reason, "vacuous: no case ran");
}

TEST(ToResult, ForgivesNoMissingCases) {
  Trial trial = recorded("pass", 60);
  EXPECT_EQ(to_result(trial, {}).record.reason, "only 60 of 100 cases are accounted for");
  trial.outcome.record.unclaimed = 30;
  trial.outcome.record.not_formable = 10;
  EXPECT_EQ(verdict_of(trial), Verdict::pass);
}

TEST(ToResult, KnowsNoOtherWords) {
  EXPECT_EQ(verdict_of(recorded("PASS", 100)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(recorded("", 100)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(recorded("crash", 100)), Verdict::inconclusive);
}

TEST(ToResult, DeathsAreNeverPasses) {
  for (const auto& [end, verdict] :
       {std::pair{End::crashed, Verdict::crash}, std::pair{End::exhausted, Verdict::crash},
        std::pair{End::hung, Verdict::timeout}, std::pair{End::missing, Verdict::not_run}}) {
    Trial trial = recorded("pass", 100);
    trial.outcome.end = end;
    EXPECT_EQ(verdict_of(trial), verdict);
  }
}

TEST(ToResult, SaysWhyNothingRan) {
  Trial trial;
  EXPECT_EQ(to_result(trial, {}).record.reason, "not run yet");
  trial.loading = "ended by SIGSEGV while loading";
  EXPECT_EQ(to_result(trial, {}).record.reason, "ended by SIGSEGV while loading");
}

TEST(ToResult, FlakyIsNoFailure) {
  Trial trial = recorded("fail", 3);
  trial.flaky = true;
  EXPECT_EQ(verdict_of(trial), Verdict::flaky);
}

TEST(ToResult, NamesWhatItTakes) {
  Trial trial = recorded("fail", 3);
  trial.after = "capsule.export.name";
  EXPECT_EQ(to_result(trial, {}).after, "after capsule.export.name");
}

TEST(Suspicious, IsWhatWentWrong) {
  EXPECT_FALSE(suspicious(recorded("pass", 1).outcome));
  EXPECT_FALSE(suspicious(recorded("inconclusive", 1).outcome));
  EXPECT_TRUE(suspicious(recorded("fail", 1).outcome));
  UnitOutcome outcome;
  EXPECT_FALSE(suspicious(outcome));
  for (const End end : {End::crashed, End::hung, End::exhausted}) {
    outcome.end = end;
    EXPECT_TRUE(suspicious(outcome));
  }
}

class MakeTrials : public testing::Test {
 protected:
  MakeTrials() {
    inventory.checks = {{.requirement = "a.one", .sentence = "first"},
                        {.requirement = "a.one", .sentence = "second", .rows = 7},
                        {.requirement = "a.two", .sentence = "first", .own_process = true}};
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

TEST_F(MakeTrials, OtherPartiesOrSeedsDrawOtherwise) {
  const std::vector<std::uint64_t> acme = seeds();
  plan.requirements[0].producer = "other";
  EXPECT_NE(seeds()[0], acme[0]);
  EXPECT_EQ(seeds()[2], acme[2]);
  options.seed = 43;
  EXPECT_NE(seeds()[2], acme[2]);
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
