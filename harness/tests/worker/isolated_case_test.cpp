// SPDX-License-Identifier: Apache-2.0
#include "worker/isolated_case.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include <dlcert/suite/spy.hpp>

#include "records/decide.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

const Party isolated_party{spy_library(), "dlcert"};
const Settings default_settings_of_cases;
int bodies_run = 0;  // of bodies, in this process

UnitRecord run_isolated(void (*body)(Case&), const Unit& unit = {.seed = 1, .cases = 20}) {
  const Check check{.sentence = "it holds", .isolation = Isolation::process_per_case, .body = body};
  const Binding binding{
      isolated_party, isolated_party, check.role, default_settings_of_cases, {}, {}, {}, {}};
  Position position{};
  return run_unit(check, binding, unit, {.position = position});
}

TEST(IsolatedCase, SeesNothingOfTheCaseBeforeIt) {
  const UnitRecord record = run_isolated([](Case& c) {
    expect_equal("calls before", 0, bodies_run++);
    c.observe("seen");
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
  EXPECT_EQ(record.cases, 20u);
  EXPECT_EQ(record.observations.at("seen"), 20u);
  EXPECT_EQ(bodies_run, 0);
}

TEST(IsolatedCase, IsShrunkLikeAnyOther) {
  const UnitRecord record =
      run_isolated([](Case& c) { expect_equal("below 20", true, c.draw.below(1000) < 20); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_EQ(record.message, "below 20: expected true but found false");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{20}));
}

TEST(IsolatedCase, TellsItsCalls) {
  const UnitRecord record = run_isolated([](Case& c) {
    require(c.producer.create(compact_spec({0, 8, 1}, {}), Bytes(1)), "create");
    fail("always");
  });
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->trace.size(), 2u);
  EXPECT_EQ(record.counterexample->program.size(), 2u);
}

TEST(IsolatedCase, IsAsInconclusiveAsItSays) {
  const UnitRecord record = run_isolated([](Case&) { throw Inconclusive{"nothing to see"}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record).reason, "nothing to see");
}

TEST(IsolatedCase, EndsThisProcessAsItEndsItsOwn) {
  EXPECT_EXIT(run_isolated([](Case&) { std::raise(SIGTERM); }), testing::KilledBySignal(SIGTERM),
              "");
  EXPECT_EXIT(run_isolated([](Case&) { ::_exit(7); }), testing::ExitedWithCode(7), "");
}

TEST(IsolatedCase, NeedsSimulatedDevices) {
  Settings on_hardware;
  on_hardware.driver = "cuda";
  const Check check{.sentence = "it holds",
                    .isolation = Isolation::process_per_case,
                    .body = [](Case&) { fail("it must not run"); }};
  const Binding binding{isolated_party, isolated_party, check.role, on_hardware, {}, {}, {}, {}};
  Position position{};
  const UnitRecord record =
      run_unit(check, binding, Unit{.seed = 1, .cases = 1}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(decide_record(record).reason, "needs simulated devices");
}

}  // namespace
}  // namespace dlcert
