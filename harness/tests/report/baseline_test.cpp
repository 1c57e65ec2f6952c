// SPDX-License-Identifier: Apache-2.0
#include "report/baseline.hpp"

#include <gtest/gtest.h>

#include "sample/sample.hpp"

namespace dlcert {
namespace {

Results covering(Coverage coverage) {
  Results results = sample::passing();
  results.scope.features = {{"acme", Role::consumer, "kept", coverage, 1, 0, 1, {}}};
  return results;
}

std::vector<std::string> lost(const Results& earlier, const Results& now) {
  return compare_with(earlier, now, "old.json").lost;
}

TEST(Baseline, LosesNothingAgainstItself) {
  const Results results = covering(Coverage::full);
  const Baseline baseline = compare_with(results, results, "old.json");
  EXPECT_EQ(baseline.file, "old.json");
  EXPECT_TRUE(baseline.lost.empty());
  EXPECT_TRUE(baseline.differs.empty());
}

// As harness/libraries/record keeps it: counts in the place of the checks of what passed.
TEST(Baseline, MayBeARecordWithoutTheChecksOfWhatPassed) {
  Results earlier = sample::passing();
  for (RequirementResult& result : earlier.results)
    result.checks.clear();
  std::string text = to_json(earlier);
  const std::string checks = "\"checks\":";
  for (std::size_t at = text.find(checks); at != std::string::npos; at = text.find(checks, at)) {
    const std::string counts = R"("counts":{"cases":3,"met":3},)";
    text.insert(at, counts);
    at += counts.size() + checks.size();
  }
  const Results recorded = results_from_json(text);
  EXPECT_TRUE(lost(recorded, sample::passing()).empty());
  Results now = sample::passing();
  now.results.clear();
  EXPECT_EQ(lost(recorded, now), lost(sample::passing(), now));
}

TEST(Baseline, OfAnotherPythonSaysSo) {
  Results earlier = sample::passing(), now = sample::passing();
  earlier.python = PythonFacts{"/usr/bin/python3", "3.11.2"};
  now.python = PythonFacts{"/venv/bin/python", "3.11.2"};
  EXPECT_TRUE(compare_with(earlier, now, "old.json").differs.empty());
  now.python->version = "3.12.1";
  EXPECT_EQ(compare_with(earlier, now, "old.json").differs,
            std::vector<std::string>{"Python: 3.11.2 in the baseline, 3.12.1 in this run"});
}

TEST(Baseline, OfOtherRulesSaysSo) {
  const Results earlier = sample::passing();
  Results now = sample::passing();
  now.rules = "0.1";
  EXPECT_EQ(
      compare_with(earlier, now, "old.json").differs,
      std::vector<std::string>{"rules: those of its dlcert in the baseline, 0.1 in this run"});
}

TEST(Baseline, LosesNothingByACheckThatBecameStricter) {
  Results now = sample::passing();
  now.results.front() = sample::result("kept.alpha", Level::must, Verdict::inconclusive, "too few");
  EXPECT_EQ(lost(sample::passing(), now).size(), 1u);
  now.results.front().grace = "stricter in dlcert 90.1: it binds from dlcert 90.2 on";
  EXPECT_TRUE(lost(sample::passing(), now).empty());
}

TEST(Baseline, LosesARequirementThatIsNotTestedAnyMore) {
  Results now = sample::passing();
  now.results.front() =
      sample::result("kept.alpha", Level::must, Verdict::not_applicable, "needs read");
  EXPECT_EQ(lost(sample::passing(), now),
            std::vector<std::string>{
                "acme as consumer: kept.alpha was tested but is now not applicable: needs read"});
  now.results.clear();
  EXPECT_EQ(lost(sample::passing(), now),
            std::vector<std::string>{
                "acme as consumer: kept.alpha was tested but is not part of this run"});
}

TEST(Baseline, LosesARequirementThatIsWaivedNow) {
  Results now = sample::passing();
  now.results.front().verdict = Verdict::waived;
  EXPECT_EQ(lost(sample::passing(), now).size(), 1u);
  EXPECT_TRUE(lost(now, now).empty());
  EXPECT_TRUE(lost(now, sample::passing()).empty());
}

TEST(Baseline, LosesNoRequirementThatFailsNow) {
  Results now = sample::passing();
  now.results.front() = sample::result("kept.alpha", Level::must, Verdict::fail, "wrong");
  EXPECT_TRUE(lost(sample::passing(), now).empty()) << "that is said by its own verdict";
}

TEST(Baseline, LosesWhatAFeatureCovered) {
  EXPECT_EQ(lost(covering(Coverage::full), covering(Coverage::partial)),
            std::vector<std::string>{"acme as consumer: kept was full and is now partial"});
  EXPECT_EQ(lost(covering(Coverage::partial), covering(Coverage::not_claimed)),
            std::vector<std::string>{"acme as consumer: kept was partial and is now not claimed"});
  EXPECT_EQ(lost(covering(Coverage::full), sample::passing()),
            std::vector<std::string>{"acme as consumer: kept was full and is now not claimed"});
  EXPECT_TRUE(lost(covering(Coverage::not_claimed), covering(Coverage::full)).empty());
}

TEST(Baseline, LosesAFunctionThatTheAdapterHadARoleAndAnAdapter) {
  Results now = sample::passing();
  now.adapters.front().groups.at("tensor") = {"create"};
  EXPECT_EQ(lost(sample::passing(), now),
            std::vector<std::string>{"acme: the adapter had tensor.read but no longer has it"});
  now = sample::passing();
  now.adapters.front().consumer = false;
  EXPECT_EQ(lost(sample::passing(), now),
            std::vector<std::string>{
                "acme as consumer was tested but the adapter no longer declares the role"});
  now.adapters.clear();
  EXPECT_EQ(lost(sample::passing(), now),
            std::vector<std::string>{"acme as consumer was tested but is not part of this run"});
}

TEST(Baseline, LosesTensorsThatAreNotClaimedAnyMore) {
  Results now = sample::passing();
  now.adapters.front().claims->at("producer") = {"cpu-any", "int"};
  EXPECT_EQ(
      lost(sample::passing(), now),
      std::vector<std::string>{
          "acme as producer: tensors of the kind float were claimed but are no longer claimed"});
  now.adapters.front().claims.reset();
  const Baseline unasked = compare_with(sample::passing(), now, "old.json");
  EXPECT_TRUE(unasked.lost.empty());
  EXPECT_EQ(unasked.differs,
            std::vector<std::string>{
                "claims of acme: recorded in the baseline, not recorded in this run"});
}

TEST(Baseline, TellsTheConditionsThatDifferAndExcusesNothingByThem) {
  Results now = sample::passing();
  now.seed = 7;
  now.settings.policies["taste"] = "sour";
  now.adapters.front().version = "2.2";
  const Baseline baseline = compare_with(sample::passing(), now, "old.json");
  EXPECT_EQ(baseline.differs,
            (std::vector<std::string>{"policy taste: sweet in the baseline, sour in this run",
                                      "seed: 42 in the baseline, 7 in this run",
                                      "version of acme: 2.1 in the baseline, 2.2 in this run"}));
  EXPECT_TRUE(baseline.lost.empty());
}

TEST(Baseline, IsACertificationThatEnded) {
  EXPECT_EQ(no_baseline(sample::passing()), "");
  Results results = sample::passing();
  results.filtered = true;
  EXPECT_EQ(no_baseline(results), "the results are those of a selection");
  results.complete = false;
  EXPECT_EQ(no_baseline(results), "the run did not finish");
}

}  // namespace
}  // namespace dlcert
