// SPDX-License-Identifier: Apache-2.0
#include "runner/unraisable.hpp"

#include <gtest/gtest.h>

namespace dlcert {
namespace {

RequirementResult result_of(std::string requirement, std::string producer, Verdict verdict) {
  RequirementResult result;
  result.requirement = std::move(requirement);
  result.producer = std::move(producer);
  result.consumer = "dlcert";
  CheckResult& check = result.checks.emplace_back();
  check.name = "the check";
  check.verdict = verdict;
  return result;
}

RequirementResult with_error(RequirementResult result) {
  result.checks[0].record.warnings = {"UserWarning: slow",
                                      std::string{unraisable_prefix} + "KeyError: 'x'"};
  return result;
}

TEST(Unraisable, FailsItsOwnRequirementWhereverItHappened) {
  std::vector<RequirementResult> results{
      result_of("lifetime.no-unraisable-errors", "acme", Verdict::pass),
      with_error(result_of("abi.dtype.int", "acme", Verdict::pass))};
  judge_unraisable(results);
  EXPECT_EQ(results[0].checks[0].verdict, Verdict::fail);
  EXPECT_EQ(results[0].checks[0].record.message,
            "an error that nobody could catch: KeyError: 'x', while dlcert tested abi.dtype.int "
            "(the check)");
  EXPECT_EQ(results[1].checks[0].verdict, Verdict::pass);
}

TEST(Unraisable, IsNotHeldAgainstAnotherLibrary) {
  std::vector<RequirementResult> results{
      result_of("lifetime.no-unraisable-errors", "acme", Verdict::pass),
      with_error(result_of("abi.dtype.int", "other", Verdict::pass))};
  judge_unraisable(results);
  EXPECT_EQ(results[0].checks[0].verdict, Verdict::pass);
}

TEST(Unraisable, LeavesWhatHasFailedOrDidNotRun) {
  for (const Verdict verdict : {Verdict::fail, Verdict::not_applicable, Verdict::not_run}) {
    std::vector<RequirementResult> results{
        result_of("lifetime.no-unraisable-errors", "acme", verdict),
        with_error(result_of("abi.dtype.int", "acme", Verdict::pass))};
    judge_unraisable(results);
    EXPECT_EQ(results[0].checks[0].verdict, verdict);
    EXPECT_TRUE(results[0].checks[0].record.message.empty());
  }
}

TEST(Unraisable, MayHaveNoRequirementThatWasSelected) {
  std::vector<RequirementResult> results{
      with_error(result_of("abi.dtype.int", "acme", Verdict::pass))};
  judge_unraisable(results);
  EXPECT_EQ(results[0].checks[0].verdict, Verdict::pass);
}

}  // namespace
}  // namespace dlcert
