// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program.hpp"

namespace dlcert {
namespace {

Output run_tests(const std::string& adapter, const std::string& filter) {
  return run_program(GTEST_FRONT_DOOR, {adapter, "--gtest_filter=" + filter});
}

TEST(GtestFrontDoor, ReportsEachRequirement) {
  const Output output =
      run_tests(DELETES_TWICE_ADAPTER,
                "*.deleter.exactly_once:*.memory_valid_until_deleter:*.capsule.name.legacy");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_TRUE(contains(output.out, "[  FAILED  ] Certification.lifetime.deleter.exactly_once"));
  EXPECT_TRUE(contains(output.out, "expected 1 but found 2"));
  EXPECT_TRUE(
      contains(output.out, "[       OK ] Certification.lifetime.memory_valid_until_deleter"));
  EXPECT_TRUE(contains(output.out, "[  SKIPPED ] Certification.capsule.name.legacy"));
}

TEST(GtestFrontDoor, RunsOnlyWhatAFilterLeaves) {
  const Output kept = run_tests(DELETES_TWICE_ADAPTER, "*.memory_valid_until_deleter");
  EXPECT_EQ(kept.exit_code, 0) << kept.out << kept.err;
  EXPECT_TRUE(contains(kept.out, "1 test from 1 test suite ran"));
  EXPECT_EQ(run_tests(DELETES_TWICE_ADAPTER, "*.deleter.exactly_once").exit_code, 1);
}

TEST(GtestFrontDoor, TellsWhatNoRequirementTells) {
  const std::string few = "*.certify:*.deleter.exactly_once";
  const Output empty = run_tests(NARROW_CLAIMS_NOTHING, few);
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_TRUE(contains(empty.out, "[  FAILED  ] Certification.certify")) << empty.out;
  EXPECT_TRUE(contains(empty.out, "no evidence of narrow as producer")) << empty.out;
  const Output dying = run_tests(NARROW_DIES_WHEN_CLOSED, few);
  EXPECT_EQ(dying.exit_code, 1);
  EXPECT_TRUE(contains(dying.out, "1 FAILED TEST")) << dying.out;
  EXPECT_TRUE(contains(dying.out, "failed outside of checks (closing): ended by SIGABRT"))
      << dying.out;
  EXPECT_EQ(run_tests(NARROW_IMMUTABLE, few).exit_code, 0);
  EXPECT_EQ(run_tests(NARROW_DIES_WHEN_CLOSED, "*.deleter.exactly_once").exit_code, 1)
      << "a selection has no certification that tells it";
}

TEST(GtestFrontDoor, FailsWhenTheAdapterIsMissing) {
  const Output output = run_tests("/no/such.so", "*.deleter.exactly_once");
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_TRUE(contains(output.out, "no such file"));
}

}  // namespace
}  // namespace dlcert
