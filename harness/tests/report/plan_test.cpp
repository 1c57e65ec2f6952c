// SPDX-License-Identifier: Apache-2.0
#include "report/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/profile.hpp"
#include "sample.hpp"

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

TEST_F(Planning, ARoleThatTheAdapterLacksIsNotApplicable) {
  const PlannedRequirement lacking = entry("kept.alpha sink->dlcert");
  EXPECT_EQ(lacking.verdict, Verdict::not_applicable);
  EXPECT_EQ(lacking.reason, "sink is no producer");
}

TEST_F(Planning, NeedsThatAreNotOfferedAreNotApplicable) {
  EXPECT_EQ(entry("kept.beta dlcert->acme").checks.size(), 1u);
  EXPECT_EQ(entry("kept.beta dlcert->sink").reason, "needs read");
  EXPECT_EQ(entry("kept.gamma acme->dlcert").verdict, Verdict::not_applicable);
}

TEST_F(Planning, EveryReasonNotToTestIsKept) {
  EXPECT_EQ(entry("kept.python dlcert->acme").reason, "python-only");
  EXPECT_EQ(entry("kept.excused dlcert->acme").reason, "excused: cannot be seen");
}

TEST_F(Planning, ARuleWithoutChecksIsNotRun) {
  std::erase_if(inventory_.checks, [](const CheckInfo& c) { return c.requirement == "kept.beta"; });
  EXPECT_EQ(entry("kept.beta dlcert->acme").verdict, Verdict::not_run);
  EXPECT_EQ(entry("kept.beta dlcert->acme").reason, "no check tests it");
}

TEST_F(Planning, TheProfileLeavesOutWhatDoesNotBind) {
  EXPECT_FALSE(planned("kept.delta dlcert->acme"));
  settings_.spec = {0, 8};
  EXPECT_TRUE(planned("kept.delta dlcert->acme"));
  EXPECT_FALSE(planned("kept.gamma acme->dlcert"));
}

TEST_F(Planning, RuntimeRulesBindWhoDeclaresThemOrEverybodyWhenAsked) {
  EXPECT_FALSE(planned("kept.torch dlcert->acme"));
  EXPECT_TRUE(planned("kept.torch dlcert->sink"));
  settings_.runtime = "torch-2.4";
  EXPECT_TRUE(planned("kept.torch dlcert->acme"));
  settings_.runtime = "none";
  EXPECT_FALSE(planned("kept.torch dlcert->sink"));
}

TEST_F(Planning, AnAreaWithoutChecksIsLeftOutUnlessNamed) {
  EXPECT_FALSE(planned("bare.one acme->dlcert"));
  selection_.ids = {"bare.one"};
  EXPECT_EQ(entry("bare.one acme->dlcert").reason, "no check tests it");
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
            "adapter '/lib/sink.so': expected a name of its own but found 'acme'");
  inventory_.adapters[1].name = own_name;
  EXPECT_EQ(planning_error(*this, [&] { plan(); }),
            "adapter '/lib/sink.so': expected a name of its own but found 'dlcert'");
}

TEST_F(Planning, PoliciesAreResolved) {
  EXPECT_EQ(resolve_policies(known_, {}).at("taste"), "sweet");
  EXPECT_EQ(resolve_policies(known_, {"taste=sour"}).at("taste"), "sour");
  EXPECT_EQ(planning_error(*this, [&] { resolve_policies(known_, {"tast=sour"}); }),
            "unknown policy 'tast', did you mean 'taste'?");
  EXPECT_EQ(planning_error(*this, [&] { resolve_policies(known_, {"taste=salty"}); }),
            "policy taste: expected sour, sweet but found 'salty'");
  EXPECT_EQ(planning_error(*this, [&] { resolve_policies(known_, {"taste"}); }),
            "policy taste: expected sour, sweet but found ''");
}

}  // namespace
}  // namespace dlcert
