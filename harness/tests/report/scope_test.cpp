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

TEST(Coverage, IsFullWithoutAnUntestedRuleThatIsTooNewToBind) {
  Results results =
      sample::with(sample::result("kept.late", Level::must, Verdict::inconclusive, "too few"));
  EXPECT_EQ(kept(results).coverage, Coverage::partial);
  results.results.back().grace = "new in dlcert 90.1: it binds from dlcert 90.2 on";
  EXPECT_EQ(kept(results).coverage, Coverage::full);
  EXPECT_EQ(kept(results).of, 1u);
  results.results.back() = sample::result("kept.late", Level::must, Verdict::fail, "wrong");
  results.results.back().grace = "new in dlcert 90.1: it binds from dlcert 90.2 on";
  EXPECT_EQ(kept(results).of, 2u);
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

// ---- core ---------------------------------------------------------------------------------------

// Of acme as consumer, with this result of kept.torch beside a pass.
CoreScope core_with(const RequirementResult& result) {
  return scope_of(sample::with(result), known()).roles.back().core.value();
}

RequirementResult untested(const UnitRecord& record) {
  RequirementResult result =
      sample::result("kept.torch", Level::must, Verdict::not_applicable, "why");
  CheckResult& check = result.checks.emplace_back(sample::check(Verdict::not_applicable, ""));
  check.record = record;
  return result;
}

testing::AssertionResult is(const CoreScope& core, std::size_t tested, std::size_t of) {
  if (core.tested == tested && core.of == of) return testing::AssertionSuccess();
  return testing::AssertionFailure() << core_text(core);
}

TEST(Core, HasNothingThatDoesNotApply) {
  const RequirementResult lacking =
      sample::result("kept.torch", Level::must, Verdict::not_applicable, "needs streams");
  EXPECT_TRUE(is(core_with(lacking), 1, 1)) << "the library lacks a function";
  EXPECT_TRUE(is(core_with(untested({.requested = 9, .unclaimed = 9})), 1, 1));
  EXPECT_TRUE(is(core_with(untested({.requested = 9, .not_formable = 9})), 1, 1));
  RequirementResult fact = sample::result("kept.torch", Level::must, Verdict::pass, "");
  fact.checks.front().fact = true;
  EXPECT_TRUE(is(core_with(fact), 1, 1)) << "a header was judged, not the library";
}

TEST(Core, HasWhatAppliesAndWasNotTested) {
  EXPECT_TRUE(is(core_with(untested({.requested = 9, .unclaimed = 9, .no_tensor = 1})), 1, 2));
  EXPECT_TRUE(is(core_with(untested({.requested = 9, .declined = 9})), 1, 2));
  for (const Verdict verdict : {Verdict::not_judged, Verdict::inconclusive, Verdict::not_run})
    EXPECT_TRUE(is(core_with(sample::result("kept.torch", Level::must, verdict, "")), 1, 2));
}

TEST(Core, HasAFailureAsTestedWhateverAWaiverSays) {
  RequirementResult failed = sample::result("kept.torch", Level::must, Verdict::fail, "wrong");
  EXPECT_TRUE(is(core_with(failed), 2, 2));
  failed.verdict = Verdict::waived;
  EXPECT_TRUE(is(core_with(failed), 2, 2));
}

TEST(Core, IsWholeWithoutWhatIsOptional) {
  RequirementResult optional = untested({.requested = 9, .declined = 9});
  for (const char* const id : {"kept.beta", "kept.delta"}) {
    optional.requirement = id;
    EXPECT_TRUE(is(core_with(optional), 1, 1)) << id;
  }
}

TEST(Core, OfALibraryOfWhichNothingWasTestedOnTheHostIsThatOfItsDevices) {
  RequirementResult host = untested({.requested = 9, .unclaimed = 9, .no_tensor = 9});
  host.requirement = "abi.dtype.int";
  Results results = sample::with(host);
  RequirementResult& device = results.results.front();
  device.requirement = "stream.consumer-passes";
  device.checks.front().platform = Platform::cuda;
  const auto core = [&] { return *scope_of(results, Register::embedded()).roles.back().core; };
  EXPECT_TRUE(is(core(), 1, 1));
  device.verdict = device.checks.front().verdict = Verdict::not_applicable;
  EXPECT_TRUE(is(core(), 0, 1)) << "nothing was tested anywhere";
  results.results.back() = sample::result("abi.dtype.int", Level::must, Verdict::pass, "");
  EXPECT_TRUE(is(core(), 1, 1));
}

TEST(Core, OfASelectionIsNotCounted) {
  Results results = sample::passing();
  EXPECT_TRUE(scope_of(results, known()).roles.back().core);
  results.filtered = true;
  EXPECT_FALSE(scope_of(results, known()).roles.back().core);
}

// ---- scope --------------------------------------------------------------------------------------

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
