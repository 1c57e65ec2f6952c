// SPDX-License-Identifier: Apache-2.0
//
// Minor failures (Case::minor), behind which a unit looks for a more serious one.
#include <gtest/gtest.h>

#include "records/decide.hpp"
#include "unit_run.hpp"

namespace dlcert {
namespace {

using unit_run::run;

void expect_right_name() {
  fail("wrong name");
}

TEST(UnitMinorFailures, FailsByAMinorFailureAlone) {
  const UnitRecord record = run([](Case& c) {
    c.minor(expect_right_name);
    c.minor([] { fail("wrong flag"); });
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_EQ(record.message, "wrong name");
  EXPECT_EQ(record.met, record.cases);
  EXPECT_EQ(run([](Case& c) { c.minor([] {}); }).failed, false);
}

TEST(UnitMinorFailures, FailsByAMinorFailureHoweverTheBodyEnds) {
  const auto message = [](void (*body)(Case&)) { return run(body).message; };
  EXPECT_EQ(message([](Case& c) {
              c.minor(expect_right_name);
              throw Declined{"copied"};
            }),
            "wrong name");
  EXPECT_EQ(message([](Case& c) {
              c.minor(expect_right_name);
              throw NotFormable{};
            }),
            "wrong name");
  EXPECT_EQ(message([](Case& c) {
              c.minor(expect_right_name);
              throw Inconclusive{"nothing was seen"};
            }),
            "wrong name");
}

TEST(UnitMinorFailures, ReportsTheFailureThatIsNotMinor) {
  const UnitRecord record = run([](Case& c) {
    c.minor(expect_right_name);
    expect_equal("elements", Bytes(1), Bytes(2));
  });
  EXPECT_EQ(record.message, "elements: expected 1 bytes 00 but found 2 bytes 0000");
}

TEST(UnitMinorFailures, KeepsNoSeriousFailureAsMinor) {
  const auto message = [](void (*body)(Case&)) { return run(body).message; };
  EXPECT_EQ(message([](Case& c) {
              c.minor([] { expect_equal("elements", Bytes(1), Bytes(2)); });
              fail("later");
            }),
            "elements: expected 1 bytes 00 but found 2 bytes 0000");
  EXPECT_EQ(message([](Case& c) {
              c.minor([] { throw AdapterFault{{"a fault of the adapter", {}, {}}}; });
              fail("later");
            }),
            "a fault of the adapter");
}

// The serious failure is in few cases, the minor one in all.
void fail_seldom(Case& c) {
  const std::uint64_t drawn = c.draw.below(1000);
  c.minor(expect_right_name);
  expect(drawn < 900, "not ordered: {}", drawn);
}

TEST(UnitMinorFailures, LooksForAMoreSeriousFailureBehindAMinorOne) {
  const UnitRecord record = run(fail_seldom);
  EXPECT_EQ(record.message, "not ordered: 900");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{900}));
  EXPECT_LT(record.cases, 100u);
}

}  // namespace
}  // namespace dlcert
