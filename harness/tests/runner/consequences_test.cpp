// SPDX-License-Identifier: Apache-2.0
#include "runner/consequences.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <list>

#include "scripted_worker.hpp"

namespace dlcert {
namespace {

// Checks of one library as consumer, whose inputs may have a byte offset.
class Consequences : public testing::Test {
 protected:
  static constexpr std::string_view owner = "abi.data.byte-offset-applied";

  UnitRecord& add(std::string id, UnitEnd end = UnitEnd::recorded, Level level = Level::must) {
    PlannedRequirement& planned = plan_.requirements.emplace_back();
    planned.id = std::move(id);
    planned.level = level;
    planned.producer = own_name;
    planned.consumer = "acme";
    inventory_.checks.push_back({planned.id, "is_kept", "the rule is kept", Role::consumer});
    Trial& trial = trials_.emplace_back();
    trial.requirement = plan_.requirements.size() - 1;
    trial.unit.check = static_cast<std::uint32_t>(trial.requirement);
    trial.unit.cases = 20;  // the experiments have more
    trial.outcome.end = end;
    trial.outcome.record.requested = 20;
    return trial.outcome.record;
  }

  // Its smallest counterexample has a byte offset.
  UnitRecord& add_failure(std::string id, Level level = Level::must) {
    UnitRecord& record = add(std::move(id), UnitEnd::recorded, level);
    record.failed = true;
    record.message = "sum: expected 2 but found 3";
    record.inputs = InputProperties{} | InputProperty::byte_offset;
    record.counterexample.emplace().choices = {1, 2, 3};
    return record;
  }

  UnitRecord& add_crash(std::string id, std::string signature) {
    UnitRecord& record = add(std::move(id), UnitEnd::crashed);
    record.signature = std::move(signature);
    return record;
  }

  // The owner of the property, whose cases the library declined.
  void decline_owner() {
    UnitRecord& record = add(std::string{owner}, UnitEnd::recorded, Level::should);
    record.declined = 20;
    record.why_declined = "refused";
  }

  void find() {
    for (std::size_t i = 0; i < trials_.size(); ++i)
      trials_[i].id = plan_.requirements[i].id;
    RunOptions options;
    options.worker = SCRIPTED_WORKER;
    const UnitRunner runner{options, [] {}};
    find_consequences(trials_, plan_, inventory_, runner, std::chrono::minutes{1});
  }

  // Of the trial with this index: the requirement that it follows from, or "".
  std::string follows_from(std::size_t trial) const {
    return trials_.at(trial).consequence ? trials_.at(trial).consequence->of : "";
  }

  Plan plan_;
  Inventory inventory_;
  std::vector<Trial> trials_;
};

TEST_F(Consequences, WhatPassesWithoutThePropertyOfAFailedOwnerFollowsFromIt) {
  add_failure(std::string{owner});
  add_failure("kept.alpha");
  find();
  EXPECT_EQ(follows_from(0), "");
  EXPECT_EQ(follows_from(1), owner);
  EXPECT_EQ(trials_[1].consequence->without, std::vector<std::string>{"byte_offset"});
  EXPECT_EQ(trials_[1].consequence->cases, 2 * scripted::passes_without_properties);
}

TEST_F(Consequences, WhatFailsWithoutItIsShownByTheNewCounterexample) {
  add_failure(std::string{owner});
  add_failure("kept.alpha");
  trials_[1].unit.cases = 105;
  find();
  EXPECT_EQ(follows_from(1), "");
  const UnitRecord& record = trials_[1].outcome.record;
  EXPECT_EQ(record.message, "sum: expected 2 but found 5");
  EXPECT_EQ(record.counterexample->choices, (Choices{1, 2}));
  EXPECT_EQ(trials_[1].refuted, std::vector<std::string>{std::string{owner}});
}

TEST_F(Consequences, AnOwnerThatPassedExplainsNothing) {
  add(std::string{owner}).cases = 20;
  add_failure("kept.alpha");
  find();
  EXPECT_EQ(follows_from(1), "");
  EXPECT_EQ(trials_[1].outcome.record.message, "sum: expected 2 but found 3");
}

TEST_F(Consequences, WhatIsAboutThePropertyItselfIsNotJudgedWithoutIt) {
  const InputProperties elsewhere = InputProperties{} | InputProperty::other_device;
  add_failure("protocol.from.unsupported-device", Level::should).inputs = elsewhere;
  add_failure("protocol.from.device-cpu").inputs = elsewhere;
  find();
  EXPECT_EQ(follows_from(1), "");
}

TEST_F(Consequences, WhatTheLibraryDeclinedIsJudgedWithout) {
  decline_owner();
  add_failure("kept.alpha");
  find();
  EXPECT_EQ(follows_from(1), "");
  const UnitRecord& record = trials_[1].outcome.record;
  EXPECT_FALSE(record.failed);
  EXPECT_EQ(record.message, "judged without a byte offset, which the library declines");
}

TEST_F(Consequences, ARefusalExcusesNoCorruptedData) {
  decline_owner();
  add_failure("kept.alpha");
  plan_.requirements[1].corrupts = true;
  find();
  EXPECT_TRUE(trials_[1].outcome.record.failed);
}

TEST_F(Consequences, TheFirstFailedOwnerOfTheFactOwnsTheFailure) {
  add_failure("kept.gamma").inputs = 0;
  UnitRecord& alpha = add_failure("kept.alpha");
  alpha.inputs = 0;
  alpha.owners = {"kept.beta", "kept.gamma"};
  find();
  EXPECT_EQ(follows_from(1), "kept.gamma");
}

TEST_F(Consequences, AnOwnerThatFailedByTheFactOfAnotherOwnsNothing) {
  add_failure("kept.gamma").inputs = 0;
  trials_.back().outcome.record.owners = {"kept.beta"};
  add_failure("kept.beta").inputs = 0;
  UnitRecord& alpha = add_failure("kept.alpha");
  alpha.inputs = 0;
  alpha.owners = {"kept.gamma"};
  find();
  EXPECT_EQ(follows_from(2), "");
}

TEST_F(Consequences, AFactWhoseOwnerDidNotFailIsOwnedByTheOneThatStatesIt) {
  add_failure("kept.gamma").inputs = 0;
  trials_.back().outcome.record.owners = {"kept.beta"};
  UnitRecord& alpha = add_failure("kept.alpha");
  alpha.inputs = 0;
  alpha.owners = {"kept.gamma"};
  find();
  EXPECT_EQ(follows_from(1), "kept.gamma");
}

TEST_F(Consequences, CrashesAtOnePlaceAreOneFault) {
  add_crash("kept.gamma", "SIGSEGV in libacme.so+0x12").counterexample.emplace().choices = {1, 2};
  add_crash("kept.alpha", "SIGSEGV in libacme.so+0x12").counterexample.emplace().choices = {1};
  add_crash("kept.beta", "SIGSEGV in libacme.so+0x34");
  find();
  EXPECT_EQ(follows_from(0), "kept.alpha");
  EXPECT_EQ(follows_from(1), "");
  EXPECT_EQ(follows_from(2), "");
}

TEST_F(Consequences, ACrashBelongsToTheRequirementFromWhichMostCrashesAtItsPlaceFollow) {
  add_crash("kept.alpha", "SIGSEGV in libacme.so+0x12").counterexample.emplace();
  add_crash(std::string{owner}, "SIGSEGV in libacme.so+0x12").counterexample.emplace().choices = {
      1};
  add_crash("kept.gamma", "SIGSEGV in libacme.so+0x12").inputs =
      InputProperties{} | InputProperty::byte_offset;
  find();
  EXPECT_EQ(follows_from(2), owner);
  EXPECT_EQ(follows_from(0), owner);
  EXPECT_EQ(follows_from(1), "");
}

TEST_F(Consequences, ACrashBelongsToThePropertyThatAllItsCounterexamplesHave) {
  for (const char* const id : {"kept.alpha", "lifetime.deleter.null-skipped"})
    add_crash(id, "SIGSEGV in libacme.so+0x12").inputs =
        InputProperties{} | InputProperty::null_deleter;
  trials_[1].outcome.record.counterexample.emplace().choices = {1, 2, 3};
  trials_[0].outcome.record.counterexample.emplace().choices = {1};
  trials_[0].unit.cases = 105;  // fails without it
  find();
  EXPECT_EQ(follows_from(0), "lifetime.deleter.null-skipped");
}

}  // namespace
}  // namespace dlcert
