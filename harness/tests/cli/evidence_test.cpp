// SPDX-License-Identifier: Apache-2.0
//
// Nothing is certified without evidence, and what is certified says what it covers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

class Evidence : public testing::Test {
 protected:
  Output certify(const char* adapter, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"certify",
                                       "--adapter",
                                       adapter,
                                       "--cases",
                                       "30",
                                       "--results",
                                       folder_.path("results.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlcert_program(arguments);
  }
  Results results() const { return results_from_json(read_file(folder_.path("results.json"))); }

  Coverage coverage(Role role, std::string_view feature) const {
    const Results read = results();
    for (const FeatureScope& scope : read.scope.features)
      if (scope.role == role && scope.feature == feature) return scope.coverage;
    return Coverage::not_claimed;
  }

  TemporaryFolder folder_;
};

TEST_F(Evidence, OfALibraryThatClaimsNothingIsMissing) {
  const Output output = certify(NARROW_CLAIMS_NOTHING);
  EXPECT_EQ(output.exit_code, 3) << output.out;
  EXPECT_TRUE(contains(output.out, "no evidence of narrow as producer")) << output.out;
  EXPECT_TRUE(contains(output.out, "no evidence of narrow as consumer")) << output.out;
  EXPECT_TRUE(contains(output.out, "`dlcert smoke` shows what the library refuses"));
}

TEST_F(Evidence, OfALibraryThatCannotFormAnythingIsMissing) {
  EXPECT_EQ(certify(NARROW_FORMS_NOTHING, {"--no-preflight"}).exit_code, 3);
  for (const RoleScope& role : results().scope.roles)
    EXPECT_FALSE(role.has_evidence());
}

TEST_F(Evidence, OfTensorsWithoutElementsIsMissing) {
  const Output output = certify(NARROW_EMPTY);
  EXPECT_EQ(output.exit_code, 3) << output.out;
}

TEST_F(Evidence, OfOneCaseInAHundredIsTooLittleForARule) {
  const Output output = certify(NARROW_FORMS_ONE_IN_100, {"--seed", "3"});
  EXPECT_EQ(output.exit_code, 1) << output.out;
  EXPECT_NE(output.out.find("formed the same call before"), std::string::npos) << output.out;
  for (const RequirementResult& result : results().results)
    for (const CheckResult& check : result.checks)
      EXPECT_TRUE(check.fact || check.verdict != Verdict::pass || check.record.requested < 20 ||
                  check.record.met * 10 >= asked_cases(check.record))
          << result.requirement << ": " << check.sentence;
}

TEST_F(Evidence, OfALibraryOfRank0IsEnoughAndItsScopeIsShown) {
  const Output output = certify(NARROW_RANK_0);
  EXPECT_EQ(output.exit_code, 0) << output.out;
  EXPECT_NE(coverage(Role::producer, "layouts"), Coverage::full);
  EXPECT_NE(coverage(Role::producer, "cpu-exchange"), Coverage::not_claimed);
  EXPECT_TRUE(contains(output.out, "  not claimed: ")) << output.out;
}

TEST_F(Evidence, OfImagesIsEnough) {
  const Output output = certify(NARROW_IMAGES);
  EXPECT_EQ(output.exit_code, 0) << output.out;
  EXPECT_EQ(coverage(Role::producer, "cpu-exchange-legacy"), Coverage::full);
}

TEST_F(Evidence, OfImagesIsTooLittleWhereItsClaimsAreNotKnown) {
  const Output output = certify(NARROW_IMAGES_UNKNOWN, {"--junit", folder_.path("junit.xml"),
                                                        "--markdown", folder_.path("results.md")});
  EXPECT_EQ(output.exit_code, 1) << "the process ended where claims were asked for\n" << output.out;
  const std::string junit = read_file(folder_.path("junit.xml"));
  for (const RoleScope& role : results().scope.roles) {
    EXPECT_TRUE(role.has_evidence());
    ASSERT_TRUE(role.core);
    const std::string too_little = fmt::format("too little tested: narrow as {}: {}",
                                               to_text(role.role), core_text(*role.core));
    EXPECT_TRUE(contains(output.out, too_little)) << output.out;
    EXPECT_TRUE(contains(read_file(folder_.path("results.md")), too_little));
    EXPECT_TRUE(
        contains(junit, fmt::format("name=\"dlcert.core.{}\" value=\"too little tested: {}\"",
                                    to_text(role.role), core_text(*role.core))));
  }
  EXPECT_EQ(std::ranges::count_if(
                results().reasons,
                [](const std::string& reason) { return reason.starts_with("too little tested"); }),
            2);
  EXPECT_TRUE(contains(results().reasons[0], "failed outside of checks (claims): ended by SIGABRT"))
      << results().reasons[0];
  EXPECT_EQ(certify(NARROW_IMAGES_UNKNOWN, {"--fixture"}).exit_code, 1)
      << "of CTest's <name>/certify";
  EXPECT_EQ(certify(NARROW_IMAGES_UNKNOWN, {"--area", "lifetime"}).exit_code, 1) << "a selection";
}

TEST_F(Evidence, OfALibraryOfReadOnlyTensorsIsEnoughAndItsScopeIsShown) {
  const Output output = certify(NARROW_READ_ONLY);
  EXPECT_EQ(output.exit_code, 0) << output.out;
  EXPECT_EQ(coverage(Role::producer, "cpu-exchange"), Coverage::partial);
}

TEST_F(Evidence, OfImmutableArraysIsEnough) {
  const Output output = certify(NARROW_IMMUTABLE);
  EXPECT_EQ(output.exit_code, 0) << output.out;
}

TEST_F(Evidence, OfAConsumerThatCannotReadIsWhatItExportsAgain) {
  const Output output = certify(NARROW_WITHOUT_READ);
  EXPECT_EQ(output.exit_code, 0) << output.out;
  const Results read = results();
  const auto consumer = std::ranges::find(read.scope.roles, Role::consumer, &RoleScope::role);
  ASSERT_NE(consumer, read.scope.roles.end());
  EXPECT_GT(consumer->evidence.found, 0u);
  EXPECT_GT(consumer->evidence.by_export, 0u);
}

// ---- verdict --feature --------------------------------------------------------------------------

TEST_F(Evidence, OfAFeatureThatIsToBeClaimedIsATestOfItsOwn) {
  const auto verdict = [&](const char* adapter, const char* feature) {
    return dlcert_program({"verdict", "--feature", feature, "--adapter", adapter, "--cases", "30"});
  };
  const Output claimed = verdict(NARROW_IMMUTABLE, "layouts");
  EXPECT_EQ(claimed.exit_code, 0) << claimed.out << claimed.err;
  EXPECT_TRUE(contains(claimed.out, "layouts  narrow as producer: full\n")) << claimed.out;
  EXPECT_TRUE(contains(claimed.out, "also claimed: dtypes  narrow as producer: ")) << claimed.out;
  const Output missing = verdict(NARROW_IMMUTABLE, "capsules");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(contains(missing.out, "capsules  is not claimed, but must be claimed\n"))
      << missing.out;
  const Output unknown = verdict(NARROW_IMMUTABLE, "capsule");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'capsules'?")) << unknown.err;
}

TEST_F(Evidence, OfAFeatureComesWithTheFailuresThatHaveNoTestOfTheirOwn) {
  const Output output = dlcert_program(
      {"verdict", "--feature", "dtypes", "--adapter", DELETES_TWICE_ADAPTER, "--cases", "30"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_TRUE(contains(output.out, "lifetime.deleter.exactly-once  fail")) << output.out;
}

TEST_F(Evidence, OfNeitherARequirementNorAFeatureIsAnError) {
  const Output output = dlcert_program({"verdict", "--adapter", NARROW_IMMUTABLE});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err, "dlcert: expected a requirement, or a feature with --feature\n");
}

// ---- --require and --baseline -------------------------------------------------------------------

TEST_F(Evidence, ThatAFeatureIsFullCanBeRequired) {
  EXPECT_EQ(certify(REFERENCE_ADAPTER, {"--require", "layouts", "--require", "dtypes"}).exit_code,
            0);
  const Output output = certify(NARROW_RANK_0, {"--require", "layouts"});
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_TRUE(contains(output.out, "layouts is required of narrow as producer, but it is "))
      << output.out;
}

TEST_F(Evidence, OfAWholeFeatureCannotBeRequiredOfASelection) {
  const Output output = certify(REFERENCE_ADAPTER, {"--area", "lifetime", "--require", "layouts"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(
      output.err,
      "dlcert: --require: expected a certification of all requirements but found a selection\n");
}

TEST_F(Evidence, OfAnUnknownFeatureCannotBeRequired) {
  const Output output = certify(REFERENCE_ADAPTER, {"--require", "layout"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err,
            "dlcert: --require: expected a feature but found 'layout' (did you mean 'layouts'?)\n");
}

TEST_F(Evidence, ThatIsLessThanLastTimeIsToldAndExitsWithThree) {
  EXPECT_EQ(certify(NARROW_IMMUTABLE).exit_code, 0);
  const std::string baseline = folder_.path("baseline.json");
  std::ofstream{baseline} << read_file(folder_.path("results.json"));
  EXPECT_EQ(certify(NARROW_IMMUTABLE, {"--baseline", baseline}).exit_code, 0);
  const Output output = certify(NARROW_RANK_0, {"--baseline", baseline});
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_TRUE(contains(output.out, "  lost     narrow as producer: layouts was ")) << output.out;
  EXPECT_FALSE(results().baseline->lost.empty());
}

TEST_F(Evidence, OfFewerKindsOfTensorsThanLastTimeIsLessThoughEveryRuleIsTested) {
  ASSERT_EQ(certify(NARROW_IMMUTABLE).exit_code, 0);
  const std::string baseline = folder_.path("baseline.json");
  std::ofstream{baseline} << read_file(folder_.path("results.json"));
  const Output output = certify(NARROW_FEWER_KINDS, {"--baseline", baseline});
  EXPECT_EQ(output.exit_code, 3) << output.out;
  for (const char* kind : {"cpu-high-rank", "int64"})
    for (const char* role : {"producer", "consumer"})
      EXPECT_TRUE(contains(output.out, fmt::format("  lost     narrow as {}: tensors of the kind "
                                                   "{} were claimed but are no longer claimed\n",
                                                   role, kind)))
          << output.out;
  EXPECT_EQ(results().baseline->lost.size(), 4u) << output.out;
  const Output unasked = certify(NARROW_FEWER_KINDS, {"--baseline", baseline, "--no-preflight"});
  EXPECT_EQ(unasked.exit_code, 0) << unasked.out;
  EXPECT_TRUE(
      contains(unasked.out, "claims of narrow: recorded in the baseline, not recorded in this run"))
      << unasked.out;
}

TEST_F(Evidence, IsNotHeldAgainstResultsThatAreNone) {
  const std::string file = folder_.path("other.json");
  std::ofstream{file} << "{}";
  const Output output = certify(NARROW_IMMUTABLE, {"--baseline", file});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err,
            "dlcert: " + file + ": expected a member \"schema_version\" but found none\n");
}

// ---- What no requirement tells ------------------------------------------------------------------

TEST_F(Evidence, OfADeathOutsideOfChecksIsToldByTheFixture) {
  const Output output = certify(NARROW_DIES_WHEN_CLOSED, {"--fixture"});
  EXPECT_EQ(output.exit_code, 1) << output.out;
  for (const RequirementResult& result : results().results)
    EXPECT_FALSE(counts(result)) << result.requirement << ": nothing else would tell it";
}

TEST_F(Evidence, OfADeathOutsideOfChecksIsToldByAVerdictThatRanAlone) {
  const Output output = dlcert_program({"verdict", "lifetime.deleter.exactly-once", "--adapter",
                                        NARROW_DIES_WHEN_CLOSED, "--cases", "30"});
  EXPECT_EQ(output.exit_code, 1) << output.out;
  EXPECT_TRUE(contains(output.out, "failed outside of checks (closing): ended by SIGABRT"))
      << output.out;
}

TEST_F(Evidence, OfWhatIsRequiredOrWasThereIsAskedByTheFixture) {
  EXPECT_EQ(certify(NARROW_IMMUTABLE, {"--fixture"}).exit_code, 0);
  const std::string baseline = folder_.path("baseline.json");
  std::ofstream{baseline} << read_file(folder_.path("results.json"));
  EXPECT_EQ(certify(NARROW_IMMUTABLE, {"--fixture", "--require", "capsules"}).exit_code, 3);
  EXPECT_EQ(certify(NARROW_RANK_0, {"--fixture", "--baseline", baseline}).exit_code, 3);
}

}  // namespace
}  // namespace dlcert
