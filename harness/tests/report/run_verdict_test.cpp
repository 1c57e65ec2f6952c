// SPDX-License-Identifier: Apache-2.0
#include "report/run_verdict.hpp"

#include <gtest/gtest.h>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

int exit_code_with(Level level, Verdict verdict, const std::string& message = "broken") {
  return judge(sample::with(sample::result("kept.beta", level, verdict, message))).exit_code;
}

TEST(ExitCode, IsZeroWhenEverythingIsKept) {
  const RunVerdict verdict = judge(sample::passing());
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_TRUE(verdict.reasons.empty());
}

TEST(ExitCode, IsOneWhenAMustIsBroken) {
  for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout})
    EXPECT_EQ(exit_code_with(Level::must, verdict), 1) << to_text(verdict);
}

TEST(ExitCode, AShouldCountsOnlyWhenStrict) {
  for (const Verdict verdict :
       {Verdict::fail, Verdict::crash, Verdict::timeout, Verdict::inconclusive, Verdict::not_run}) {
    const auto broken = sample::result("kept.beta", Level::should, verdict, "broken");
    Results results = sample::with(broken);
    EXPECT_EQ(judge(results).exit_code, 0) << to_text(verdict);
    EXPECT_FALSE(counts(broken, false));
    results.strict = true;
    EXPECT_NE(judge(results).exit_code, 0) << to_text(verdict);
    EXPECT_TRUE(counts(broken, true));
  }
}

TEST(ExitCode, AMayNeverCounts) {
  Results results = sample::with(sample::result("kept.delta", Level::may, Verdict::fail, "x"));
  results.strict = true;
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(ExitCode, IsThreeWhenAMustIsInconclusiveOrNotRun) {
  EXPECT_EQ(exit_code_with(Level::must, Verdict::inconclusive), 3);
  EXPECT_EQ(exit_code_with(Level::must, Verdict::not_run), 3);
}

TEST(ExitCode, IsThreeWhenACheckOfAnyLevelRanNoCase) {
  RequirementResult result =
      sample::result("kept.beta", Level::may, Verdict::inconclusive, "whatever it says");
  EXPECT_EQ(judge(sample::with(result)).exit_code, 0);
  UnitRecord& record = result.checks.front().record;
  record.cases = 0;
  EXPECT_EQ(judge(sample::with(result)).exit_code, 0) << "its cases were inconclusive";
  record.discarded = record.requested;
  EXPECT_EQ(judge(sample::with(result)).exit_code, 3);
  EXPECT_EQ(judge(results_from_json(to_json(sample::with(result)))).exit_code, 3);
}

TEST(ExitCode, IsThreeWhenNothingWasTested) {
  Results results = sample::passing();
  results.filtered = true;
  results.results.front() =
      sample::result("kept.alpha", Level::must, Verdict::not_applicable, "python-only");
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_TRUE(hollow(results));
  results.results.clear();
  EXPECT_EQ(judge(results).reasons.at(0), "nothing was selected");
}

TEST(ExitCode, IsThreeWhenARoleHasNoTestedMust) {
  Results results = sample::passing();
  results.adapters.front().producer = true;
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.at(0), "no MUST of acme as producer was tested");
  EXPECT_TRUE(hollow(results));
  results.filtered = true;  // a selection makes no such promise
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(ExitCode, IsFourForAWaiverProblemAndFiveForAFlakyResult) {
  Results results =
      sample::with(sample::result("kept.delta", Level::may, Verdict::flaky, "sometimes"));
  EXPECT_EQ(judge(results).exit_code, 5);
  results.waiver_problems.push_back({"kept.beta", "w.toml:1: kept.beta: expired"});
  EXPECT_EQ(judge(results).exit_code, 4);
  results.results.push_back(sample::result("kept.gamma", Level::must, Verdict::not_run, "why"));
  EXPECT_EQ(judge(results).exit_code, 3);
  results.results.push_back(sample::result("kept.gamma", Level::must, Verdict::fail, "wrong"));
  EXPECT_EQ(judge(results).exit_code, 1);
  EXPECT_EQ(judge(results).reasons.size(), 4u) << "every reason is told";
}

}  // namespace
}  // namespace dlcert
