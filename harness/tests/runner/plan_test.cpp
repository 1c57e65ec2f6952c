// SPDX-License-Identifier: Apache-2.0
#include "runner/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "register/profile.hpp"
#include "runner/trial.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

class Planning : public testing::Test {
 protected:
  Planning() { settings_ = default_settings(known_); }

  Plan plan() const { return make_plan(known_, inventory_, selection_, settings_); }

  // "requirement producer->consumer" of every entry.
  std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const PlannedRequirement& planned : plan().requirements)
      keys.push_back(planned.id + " " + planned.producer + "->" + planned.consumer);
    return keys;
  }

  PlannedRequirement entry(const std::string& key) const {
    for (const PlannedRequirement& planned : plan().requirements)
      if (planned.id + " " + planned.producer + "->" + planned.consumer == key) return planned;
    ADD_FAILURE() << key << " is not planned";
    return {};
  }

  bool planned(const std::string& key) const { return std::ranges::count(keys(), key) == 1; }

  Register known_ = sample::sample_register();
  Inventory inventory_ = sample::inventory();
  Selection selection_;
  Settings settings_;
};

TEST_F(Planning, BindsEachAdapterToTheHarnessInEachRole) {
  const PlannedRequirement produced = entry("kept.alpha acme->dlcert");
  ASSERT_EQ(produced.checks.size(), 1u);
  EXPECT_EQ(produced.checks[0].check, 0u);
  EXPECT_EQ(produced.checks[0].producer, 0);
  EXPECT_EQ(produced.checks[0].consumer, spy_index);
  const PlannedRequirement consumed = entry("kept.alpha dlcert->sink");
  ASSERT_EQ(consumed.checks.size(), 1u);
  EXPECT_EQ(consumed.checks[0].check, 1u);
  EXPECT_EQ(consumed.checks[0].consumer, 1);
  EXPECT_FALSE(plan().filtered);
}

TEST_F(Planning, AFeatureIsASelection) {
  selection_.features = {"kept"};
  EXPECT_TRUE(planned("kept.alpha acme->dlcert"));
  EXPECT_FALSE(planned("kept.hardware dlcert->acme")) << "of another feature";
  EXPECT_TRUE(plan().filtered);
}

TEST_F(Planning, WhatTheUserAskedForBinds) {
  const auto binding = [&](const Strictness& strictness) {
    std::vector<std::string> ids;
    for (const PlannedRequirement& planned :
         make_plan(known_, inventory_, selection_, settings_, strictness).requirements)
      if (planned.binding && planned.consumer == "acme") ids.push_back(planned.id);
    return ids;
  };
  using Ids = std::vector<std::string>;
  selection_.ids = {"kept.alpha", "kept.beta"};
  EXPECT_EQ(binding({}), Ids{"kept.alpha"});
  EXPECT_EQ(binding({true, {}}), (Ids{"kept.alpha", "kept.beta"}));
  EXPECT_EQ(binding({false, {"taste"}}), (Ids{"kept.alpha", "kept.beta"}));
}

TEST_F(Planning, RequirementsOfLaterRulesAreLeftOut) {
  const auto late = [&](const RulesVersion& rules) {
    for (PlannedRequirement& planned :
         make_plan(known_, inventory_, selection_, settings_, {false, {}, rules}).requirements)
      if (planned.id == "kept.late" && planned.consumer == "acme")
        return std::optional{std::move(planned)};
    return std::optional<PlannedRequirement>{};
  };
  EXPECT_FALSE(late({}));
  EXPECT_FALSE(late({"90.0", true}));
  EXPECT_FALSE(late({"90.1"}).value().binding);
  EXPECT_EQ(late({"90.1"}).value().grace, "new in dlcert 90.1: it binds from dlcert 90.2 on");
  EXPECT_TRUE(late({"90.1", true}).value().binding);
  EXPECT_TRUE(late({"90.2"}).value().binding);
  selection_.ids = {"kept.late"};
  EXPECT_EQ(late({"0.1", true}).value().reason, "since dlcert 90.1") << "it was named";
}

TEST_F(Planning, ARoleThatTheAdapterLacksIsNotApplicable) {
  const PlannedRequirement lacking = entry("kept.alpha sink->dlcert");
  EXPECT_FALSE(lacking.applies);
  EXPECT_EQ(lacking.reason, "sink is not a producer");
}

TEST_F(Planning, NeedsThatAreNotOfferedAreNotApplicable) {
  EXPECT_EQ(entry("kept.beta dlcert->acme").checks.size(), 1u);
  EXPECT_EQ(entry("kept.beta dlcert->sink").reason, "needs read");
  EXPECT_FALSE(entry("kept.gamma acme->dlcert").applies);
}

TEST_F(Planning, ALibraryOfOneVendorIsNotAskedOnTheOthersDevices) {
  inventory_.adapters[0].properties = DLCERT_CUDA_ALONE;
  CheckInfo& check = inventory_.checks[2];
  ASSERT_EQ(check.requirement, "kept.beta");
  check.platform = Platform::cuda;
  EXPECT_TRUE(entry("kept.beta dlcert->acme").applies);
  CheckInfo other = check;
  other.platform = Platform::rocm;
  inventory_.checks.push_back(other);
  const PlannedRequirement both = entry("kept.beta dlcert->acme");
  ASSERT_EQ(both.checks.size(), 2u);
  EXPECT_EQ(both.checks[0].lacking, "");
  EXPECT_EQ(both.checks[1].lacking, "the library is built for CUDA only");
  inventory_.checks[2].platform = Platform::rocm;
  EXPECT_EQ(entry("kept.beta dlcert->acme").reason, "the library is built for CUDA only");
}

TEST_F(Planning, ALibraryWithoutTensorsOnDevicesIsNotAskedForThem) {
  inventory_.adapters[0].no_tensors_on = {{"producer", {Platform::cuda}},
                                          {"consumer", {Platform::rocm}}};
  CheckInfo& check = inventory_.checks[2];
  ASSERT_EQ(check.requirement, "kept.beta");
  check.platform = Platform::cuda;
  check.device_tensors = true;
  CheckInfo other = check;
  other.platform = Platform::rocm;
  inventory_.checks.push_back(other);
  CheckInfo offers = other;  // descriptors of tensors that the library need not have
  offers.device_tensors = false;
  inventory_.checks.push_back(offers);
  const PlannedRequirement all = entry("kept.beta dlcert->acme");
  ASSERT_EQ(all.checks.size(), 3u);
  EXPECT_EQ(all.checks[0].lacking, "") << "its producer has none on CUDA";
  EXPECT_EQ(all.checks[1].lacking, "the library does not claim tensors on ROCm devices");
  EXPECT_EQ(all.checks[2].lacking, "");
}

TEST_F(Planning, OfARuleThatIsTestedACheckThatNeedsMoreIsNotRun) {
  CheckInfo more = inventory_.checks[2];  // of kept.beta
  ASSERT_EQ(more.requirement, "kept.beta");
  more.sentence = "the rule is kept when memory is short";
  more.needs = more.needs | Can::fail_allocation;
  inventory_.checks.push_back(more);
  const PlannedRequirement beta = entry("kept.beta dlcert->acme");
  ASSERT_EQ(beta.checks.size(), 2u);
  EXPECT_EQ(beta.checks[0].lacking, "");
  EXPECT_EQ(beta.checks[1].lacking, "needs fail_allocation");

  const RunOptions options;
  for (const Trial& trial : make_trials(plan(), inventory_, options, 0)) {
    const CheckInfo& check =
        inventory_.checks[plan().requirements[trial.requirement].checks[trial.check].check];
    const bool left_out = check.sentence == more.sentence;
    EXPECT_EQ(trial.outcome.end, left_out ? UnitEnd::recorded : UnitEnd::missing);
    if (!left_out) continue;
    EXPECT_EQ(to_result(trial, check).verdict, Verdict::not_applicable);
    EXPECT_EQ(to_result(trial, check).reason, "needs fail_allocation");
  }
}

TEST_F(Planning, EveryReasonNotToTestIsKept) {
  EXPECT_EQ(entry("kept.hardware dlcert->acme").reason, "hardware-only");
  EXPECT_EQ(entry("kept.excused dlcert->acme").reason, "excused: cannot be seen");
}

TEST_F(Planning, ARuleWithoutChecksIsNotRun) {
  std::erase_if(inventory_.checks, [](const CheckInfo& c) { return c.requirement == "kept.beta"; });
  EXPECT_TRUE(entry("kept.beta dlcert->acme").applies);
  EXPECT_EQ(entry("kept.beta dlcert->acme").reason, "no check tests this requirement");
}

TEST_F(Planning, TheProfileLeavesOutWhatDoesNotBind) {
  EXPECT_FALSE(planned("kept.delta dlcert->acme"));
  settings_.spec = "0.8";
  EXPECT_TRUE(planned("kept.delta dlcert->acme"));
  EXPECT_FALSE(planned("kept.gamma acme->dlcert"));
}

TEST_F(Planning, EachLibraryIsJudgedByTheVersionThatItDeclares) {
  inventory_.adapters[0].declared.dlpack = "0.8";
  EXPECT_TRUE(planned("kept.delta dlcert->acme"));
  EXPECT_FALSE(planned("kept.gamma acme->dlcert"));
  EXPECT_FALSE(planned("kept.delta dlcert->sink")) << "it declares nothing: the newest";
  settings_.spec = "1.3";
  EXPECT_FALSE(planned("kept.delta dlcert->acme"));
}

TEST_F(Planning, RuntimeRulesBindWhoDeclaresThemOrEverybodyWhenAsked) {
  EXPECT_FALSE(planned("kept.torch dlcert->acme"));
  EXPECT_TRUE(planned("kept.torch dlcert->sink"));
  settings_.runtime = "torch-2.4";
  EXPECT_TRUE(planned("kept.torch dlcert->acme"));
  settings_.runtime = "none";
  EXPECT_FALSE(planned("kept.torch dlcert->sink"));
}

TEST_F(Planning, AnAreaWithoutChecksIsNotRunUnlessLeftOut) {
  EXPECT_EQ(entry("bare.one acme->dlcert").reason, "no check tests this requirement");
  EXPECT_TRUE(entry("bare.one acme->dlcert").applies);
  selection_.areas = {"kept"};
  EXPECT_FALSE(planned("bare.one acme->dlcert"));
  selection_.areas.clear();
  selection_.ids = {"kept.delta"};
  EXPECT_EQ(entry("kept.delta dlcert->acme").reason, "until DLPack 1.0");
}

TEST_F(Planning, SelectsByIdGlobBeginningAreaLevelAndRole) {
  const auto count = [&](const Selection& selection) {
    selection_ = selection;
    EXPECT_TRUE(plan().filtered);
    return keys().size();
  };
  EXPECT_EQ(count({.ids = {"kept.alpha"}}), 4u);
  EXPECT_EQ(count({.ids = {"*.alpha", "kept.b?ta"}}), 6u);
  EXPECT_EQ(count({.ids = {"kept"}, .levels = {Level::should}}), 2u);
  EXPECT_EQ(count({.ids = {"kept.alpha"}, .role = Role::consumer}), 2u);
  EXPECT_EQ(count({.areas = {"kept"}, .levels = {Level::may}}), 0u);
  EXPECT_EQ(count({.ids = {"nothing.*"}}), 0u);
}

std::string planning_error(const Planning&, const std::function<void()>& act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Planning, NamesTheNearestMatchOfAnUnknownId) {
  selection_.ids = {"kept.alpa"};
  EXPECT_EQ(planning_error(*this, [&] { plan(); }),
            "unknown requirement 'kept.alpa', did you mean 'kept.alpha'?");
  selection_ = {.areas = {"abi"}};
  EXPECT_EQ(planning_error(*this, [&] { plan(); }), "unknown area 'abi': expected bare, kept");
}

TEST_F(Planning, RefusesAdaptersThatCannotBeToldApart) {
  inventory_.adapters[1].name = "acme";
  EXPECT_EQ(planning_error(*this, [&] { plan(); }),
            "adapter '/lib/sink.so': expected a unique name but found 'acme'");
  inventory_.adapters[1].name = own_name;
  EXPECT_EQ(planning_error(*this, [&] { plan(); }),
            "adapter '/lib/sink.so': expected a unique name but found 'dlcert'");
}

Results counterexample() {
  RequirementResult failed = sample::result("kept.beta", Level::must, Verdict::fail, "wrong");
  failed.checks.front().record.counterexample = Counterexample{{5, 6}, 17, 9, 3, {}, {}};
  Results results = sample::passing();
  results.results = {failed};
  return results;
}

TEST_F(Planning, ASavedCounterexampleIsRepeatedAlone) {
  const Plan plan = replay_plan(counterexample(), known_, inventory_);
  ASSERT_EQ(plan.requirements.size(), 1u);
  EXPECT_EQ(plan.requirements[0].consumer, "acme");
  const Replay& replay = plan.requirements[0].checks.at(0).replay.value();
  EXPECT_EQ(replay.seed, 18'000'000'000'000'000'000u);
  EXPECT_EQ(replay.case_index, 17u);
  EXPECT_EQ(replay.choices, (Choices{5, 6}));
}

TEST_F(Planning, ACounterexampleOfAnUnknownCheckIsRefused) {
  Results saved = counterexample();
  saved.results[0].checks[0].name = "another_check";
  EXPECT_EQ(planning_error(*this, [&] { replay_plan(saved, known_, inventory_); }),
            "no consumer of this run can repeat the check 'another_check' of kept.beta");
}

}  // namespace
}  // namespace dlcert
