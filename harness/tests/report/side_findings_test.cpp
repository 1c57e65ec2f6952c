// SPDX-License-Identifier: Apache-2.0
#include "report/side_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/run_verdict.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

constexpr auto values = "protocol.export.values";

// An export of acme was wrong in a check of another requirement, which passed.
Results seen_elsewhere(Verdict of_values, bool repeated) {
  Results results = sample::passing();
  const auto add = [&](const std::string& id, Verdict verdict) -> CheckResult& {
    RequirementResult& added =
        results.results.emplace_back(sample::result(id, Level::must, verdict, "its own words"));
    added.producer = "acme";
    added.consumer = "dlcert";
    return added.checks.at(0);
  };
  add(values, of_values);
  CheckResult& other = add("capsule.name", Verdict::pass);
  other.record.wrong_values = "elements of an export: expected 1 but found 2";
  other.values_repeated = repeated;
  return results;
}

RequirementResult result_of(const Results& results, std::string_view id) {
  return *std::ranges::find(results.results, id, &RequirementResult::requirement);
}

TEST(WrongValues, AreAFailureOfTheRuleOnValuesIfTheyCameAgain) {
  Results results = seen_elsewhere(Verdict::pass, true);
  judge_values(results, {});
  const RequirementResult& owner = result_of(results, values);
  EXPECT_EQ(owner.verdict, Verdict::fail);
  EXPECT_EQ(owner.checks[0].record.message,
            "in a case of capsule.name: elements of an export: expected 1 but found 2");
  EXPECT_EQ(result_of(results, "capsule.name").verdict, Verdict::pass);
}

TEST(WrongValues, AreFlakyIfTheyDidNotComeAgain) {
  Results results = seen_elsewhere(Verdict::pass, false);
  judge_values(results, {});
  EXPECT_EQ(result_of(results, values).verdict, Verdict::flaky);
}

TEST(WrongValues, LeaveARuleAsItIsThatFailedItself) {
  Results results = seen_elsewhere(Verdict::fail, true);
  judge_values(results, {});
  EXPECT_EQ(result_of(results, values).checks[0].record.message, "its own words");
}

TEST(WrongValues, OfThePreflightAreFlaky) {
  Results results = seen_elsewhere(Verdict::pass, false);
  results.results.back().checks[0].record.wrong_values.clear();
  judge_values(results, {{"other", Role::producer, "int8"}, {"acme", Role::consumer, "int8"}});
  EXPECT_EQ(result_of(results, values).verdict, Verdict::pass) << "another library, another role";
  judge_values(results, {{"acme", Role::producer, "int8"}});
  EXPECT_EQ(result_of(results, values).verdict, Verdict::flaky);
  EXPECT_EQ(failure_text(result_of(results, values).checks[0]), "in the preflight: int8");
}

TEST(WrongValues, DoNotHideACheckThatCouldNotBeJudged) {
  Results results = seen_elsewhere(Verdict::pass, false);
  RequirementResult& owner =
      *std::ranges::find(results.results, values, &RequirementResult::requirement);
  owner.checks.push_back(sample::check(Verdict::inconclusive, "too few"));
  decide_by_checks(owner);
  judge_values(results, {});
  EXPECT_EQ(result_of(results, values).checks[0].verdict, Verdict::flaky);
  EXPECT_EQ(result_of(results, values).verdict, Verdict::inconclusive);
}

TEST(WrongValues, AreNotJudgedIfTheAdapterWasAtFault) {
  Results results = seen_elsewhere(Verdict::pass, false);
  RequirementResult& owner =
      *std::ranges::find(results.results, values, &RequirementResult::requirement);
  owner.verdict = owner.checks[0].verdict = Verdict::not_run;
  results.adapter_fault = FaultOfAdapter{"a typo", {}};
  judge_values(results, {{"acme", Role::producer, "int8"}});
  EXPECT_EQ(result_of(results, values).verdict, Verdict::not_run);
}

// ---- exceptions that nobody could catch --------------------------------------------------------

RequirementResult of_producer(std::string requirement, std::string producer, Verdict verdict) {
  RequirementResult result;
  result.requirement = std::move(requirement);
  result.producer = std::move(producer);
  result.consumer = "dlcert";
  CheckResult& check = result.checks.emplace_back();
  check.name = "the check";
  check.verdict = verdict;
  return result;
}

// An export of acme passed a check, and raised an exception that nobody could catch.
RequirementResult with_error() {
  RequirementResult result = of_producer("abi.dtype.int", "acme", Verdict::pass);
  result.checks[0].record.warnings = {"UserWarning: slow",
                                      std::string{unraisable_prefix} + "KeyError: 'x'"};
  return result;
}

// The check of the requirement on such exceptions, which had this verdict, after with_error().
CheckResult judged(std::string producer, Verdict verdict) {
  std::vector<RequirementResult> results{
      of_producer("lifetime.no-unraisable-errors", std::move(producer), verdict), with_error()};
  judge_unraisable(results);
  EXPECT_EQ(results[1].checks[0].verdict, Verdict::pass);
  return results[0].checks[0];
}

TEST(Unraisable, FailsItsOwnRequirementWhereverItHappened) {
  const CheckResult check = judged("acme", Verdict::pass);
  EXPECT_EQ(check.verdict, Verdict::fail);
  EXPECT_EQ(check.record.message,
            "an error that nobody could catch: KeyError: 'x', while dlcert tested abi.dtype.int "
            "(the check)");
}

TEST(Unraisable, IsNotHeldAgainstAnotherLibrary) {
  EXPECT_EQ(judged("other", Verdict::pass).verdict, Verdict::pass);
}

TEST(Unraisable, LeavesWhatHasFailedOrDidNotRun) {
  for (const Verdict verdict : {Verdict::fail, Verdict::not_applicable, Verdict::not_run}) {
    const CheckResult check = judged("acme", verdict);
    EXPECT_EQ(check.verdict, verdict);
    EXPECT_TRUE(check.record.message.empty());
  }
}

TEST(Unraisable, MayHaveNoRequirementThatWasSelected) {
  std::vector<RequirementResult> results{with_error()};
  judge_unraisable(results);
  EXPECT_EQ(results[0].checks[0].verdict, Verdict::pass);
}

}  // namespace
}  // namespace dlcert
