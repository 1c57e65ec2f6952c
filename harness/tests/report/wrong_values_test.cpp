// SPDX-License-Identifier: Apache-2.0
#include "report/wrong_values.hpp"

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

}  // namespace
}  // namespace dlcert
