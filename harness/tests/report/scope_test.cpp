// SPDX-License-Identifier: Apache-2.0
#include "report/scope.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

const Register& known() {
  static const Register sample = sample::sample_register();
  return sample;
}

// The feature "kept" of acme as consumer.
FeatureScope kept(const Results& results) {
  const Scope scope = scope_of(results, known());
  const auto found = std::ranges::find(scope.features, "kept", &FeatureScope::feature);
  return found == scope.features.end() ? FeatureScope{} : *found;
}

TEST(Coverage, IsFullWhereEachRequirementOfTheFeatureWasTested) {
  const FeatureScope scope = kept(sample::passing());
  EXPECT_EQ(scope.adapter, "acme");
  EXPECT_EQ(scope.role, Role::consumer);
  EXPECT_EQ(scope.coverage, Coverage::full);
  EXPECT_EQ(scope.tested, 1u);
  EXPECT_EQ(scope.of, 1u);
}

TEST(Coverage, IsPartialWhereOneWasNotAndSaysWhy) {
  const FeatureScope scope = kept(sample::with(
      sample::result("kept.torch", Level::must, Verdict::not_applicable, "needs streams")));
  EXPECT_EQ(scope.coverage, Coverage::partial);
  EXPECT_EQ(scope.tested, 1u);
  EXPECT_EQ(scope.of, 2u);
  ASSERT_EQ(scope.missing.size(), 1u);
  EXPECT_EQ(scope.missing[0].requirement, "kept.torch");
  EXPECT_EQ(scope.missing[0].reason, "needs streams");
  EXPECT_EQ(feature_text(scope, 1), "kept (1 of 2; kept.torch: needs streams)");
  EXPECT_EQ(coverage_text(scope, 0), "partial: kept (1 of 2; ...)");
}

TEST(Coverage, IsFullWithoutWhatIsOptionalOrAMay) {
  Results results = sample::with(
      sample::result("kept.beta", Level::should, Verdict::not_applicable, "needs read"));
  results.results.push_back(
      sample::result("kept.delta", Level::may, Verdict::not_applicable, "needs read"));
  EXPECT_EQ(kept(results).coverage, Coverage::full);
}

TEST(Coverage, CountsAFailureAsTestedAndAWaivedOneNot) {
  Results results = sample::with(sample::result("kept.torch", Level::must, Verdict::fail, "wrong"));
  EXPECT_EQ(kept(results).coverage, Coverage::full);
  EXPECT_EQ(kept(results).failed, 1u);
  EXPECT_EQ(feature_text(kept(results), 1), "kept (1 failed)");
  EXPECT_EQ(coverage_text(kept(results), 1), "full, 1 failed");
  results.results.back().verdict = Verdict::waived;
  EXPECT_EQ(kept(results).coverage, Coverage::partial);
  EXPECT_EQ(kept(results).failed, 0u);
  EXPECT_EQ(kept(results).missing.at(0).reason, "waived");
}

TEST(Coverage, IsPartialWhereALimitOfDlcertKeptARuleFromBeingJudged) {
  RequirementResult limited =
      sample::result("kept.torch", Level::must, Verdict::not_judged, "cudaA is not modelled");
  limited.checks.front().reason = "cudaA is not modelled";
  EXPECT_EQ(kept(sample::with(limited)).coverage, Coverage::partial);
  EXPECT_EQ(kept(sample::with(limited)).missing.at(0).reason, "cudaA is not modelled");
}

TEST(Coverage, IsNotClaimedWhereNothingThatShowsTheFeatureWasTested) {
  Results results = sample::with(sample::result("kept.torch", Level::must, Verdict::pass, ""));
  results.results.front() =
      sample::result("kept.alpha", Level::must, Verdict::not_applicable, "nothing is claimed");
  const FeatureScope scope = kept(results);
  EXPECT_EQ(scope.coverage, Coverage::not_claimed);
  EXPECT_TRUE(scope.missing.empty());
}

TEST(Coverage, IsNotShownByWhatAHeaderSays) {
  Results results = sample::passing();
  results.results.front().checks.front().fact = true;
  EXPECT_EQ(kept(results).coverage, Coverage::not_claimed);
}

TEST(Scope, OfASelectionTellsNothingOfWhatItMayHaveLeftOut) {
  Results results = sample::passing();
  const auto not_claimed = [&] {
    return std::ranges::count(scope_of(results, Register::embedded()).features,
                              Coverage::not_claimed, &FeatureScope::coverage);
  };
  EXPECT_GT(not_claimed(), 0);
  results.filtered = true;
  EXPECT_EQ(not_claimed(), 0);
}

TEST(Scope, CountsTheEvidenceOfEachRoleThatIsDeclared) {
  Results results = sample::passing();
  results.adapters.front().producer = true;
  const std::vector<RoleScope> roles = scope_of(results, known()).roles;
  ASSERT_EQ(roles.size(), 2u);
  EXPECT_EQ(roles[0].role, Role::producer);
  EXPECT_FALSE(roles[0].has_evidence());
  EXPECT_EQ(roles[1].role, Role::consumer);
  EXPECT_EQ(roles[1].evidence.found, 100u);
}

}  // namespace
}  // namespace dlcert
