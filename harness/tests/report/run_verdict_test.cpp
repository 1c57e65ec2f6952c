// SPDX-License-Identifier: Apache-2.0
#include "report/run_verdict.hpp"

#include <gtest/gtest.h>

#include "register/rules.hpp"
#include "report/side_findings.hpp"
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

TEST(ExitCode, IsOneWhenAProcessDiedOutsideOfChecks) {
  Results results = sample::passing();
  results.deaths = {{"closing", "ended by SIGSEGV", 2, {}, {}, {}}};
  results.problems = {"the library describes itself differently in a worker: acme: ..."};
  results.results.push_back(sample::result("kept.beta", Level::must, Verdict::fail, "broken"));
  const RunVerdict verdict = judge(results);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_EQ(verdict.reasons.at(0),
            "the library's process failed outside of checks (closing): ended by SIGSEGV, 2 times");
  results.results.clear();  // whatever else there is
  EXPECT_EQ(judge(results).exit_code, 1);
}

TEST(ExitCode, IsFiveWhenADeathBeforeTheFirstCheckDidNotRepeat) {
  Results results = sample::passing();
  add_early_deaths(results, {{"preflight", "ended by SIGSEGV in can", {}, {}, false}});
  for (const RunVerdict& verdict : {judge(results), judge_beside_requirements(results)}) {
    EXPECT_EQ(verdict.exit_code, 5);
    EXPECT_EQ(verdict.reasons,
              std::vector<std::string>{
                  "the library's process failed outside of checks (preflight): ended by SIGSEGV in "
                  "can; flaky: a new process that did the same went well"});
  }
}

TEST(ExitCode, IsOneWhenADeathBeforeTheFirstCheckRepeated) {
  Results results = sample::passing();
  add_early_deaths(results, {{"preflight", "ended by SIGSEGV in can", {}, {}, true}});
  EXPECT_EQ(judge(results).exit_code, 1);
}

TEST(ExitCode, IsThatOfTheCheckThatTellsOfADeathBeforeTheFirstCheck) {
  Results results =
      sample::with(sample::result("kept.beta", Level::should, Verdict::crash, "ended by SIGSEGV"));
  add_early_deaths(results, {{"preflight", "ended by SIGSEGV in can", {}, {}, true}});
  EXPECT_TRUE(results.deaths.empty());
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(ExitCode, IsOneWhenADeathBeforeTheFirstCheckCameAgainInTheRun) {
  Results results = sample::passing();
  results.deaths = {{"loading", "ended by SIGSEGV", 2, {}, {}, {}}};
  add_early_deaths(results, {{"loading", "ended by SIGSEGV", {}, {}, false}});
  EXPECT_EQ(results.deaths.size(), 1u);
  EXPECT_EQ(results.deaths[0].times, 3u);
  EXPECT_EQ(judge(results).exit_code, 1);
}

TEST(ExitCode, IsTwoWhenTheAdapterIsWrongWhateverElseThereIs) {
  Results results = sample::passing();
  results.deaths = {{"closing", "ended by SIGSEGV", 2, {}, {}, {}}};
  results.adapter_fault = FaultOfAdapter{"adapter 'acme': a fault of the adapter: a typo", ""};
  for (const RunVerdict& verdict : {judge(results), judge_beside_requirements(results)}) {
    EXPECT_EQ(verdict.exit_code, 2);
    EXPECT_EQ(verdict.reasons, std::vector{results.adapter_fault->what});
  }
}

TEST(ExitCode, IsThreeWhenWorkersDidNotGoOn) {
  Results results = sample::passing();
  results.problems = {"the library describes itself differently in a worker: acme: ..."};
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons, results.problems);
}

TEST(ExitCode, BesideRequirementsIsThatOfWhatNoneOfThemTells) {
  Results results = sample::with(sample::result("kept.beta", Level::must, Verdict::fail, "broken"));
  EXPECT_EQ(judge_beside_requirements(results).exit_code, 0);
  Results other = results;
  other.deaths = {{"closing", "ended by SIGSEGV", 2, {}, {}, {}}};
  EXPECT_EQ(judge_beside_requirements(other).exit_code, 1);
  other = results;
  other.problems = {"the library describes itself differently in a worker: acme: ..."};
  EXPECT_EQ(judge_beside_requirements(other).exit_code, 3);
  other = results;
  other.required = {"layouts"};
  EXPECT_EQ(judge_beside_requirements(other).exit_code, 3);
  other = results;
  other.baseline = Baseline{"old.json", {}, {"something"}};
  EXPECT_EQ(judge_beside_requirements(other).exit_code, 3);
}

TEST(ExitCode, AShouldCountsOnlyWhereItBinds) {
  for (const Verdict verdict :
       {Verdict::fail, Verdict::crash, Verdict::timeout, Verdict::inconclusive, Verdict::not_run}) {
    RequirementResult broken = sample::result("kept.beta", Level::should, verdict, "broken");
    EXPECT_EQ(judge(sample::with(broken)).exit_code, 0) << to_text(verdict);
    EXPECT_FALSE(counts(broken));
    broken.binding = true;
    EXPECT_NE(judge(sample::with(broken)).exit_code, 0) << to_text(verdict);
    EXPECT_TRUE(counts(broken));
  }
}

TEST(ExitCode, AMayCountsOnlyWhereItsPolicyWasChosen) {
  RequirementResult broken = sample::result("kept.delta", Level::may, Verdict::fail, "x");
  EXPECT_EQ(judge(sample::with(broken)).exit_code, 0);
  broken.binding = true;
  EXPECT_EQ(judge(sample::with(broken)).exit_code, 1);
  broken.verdict = Verdict::crash;
  EXPECT_EQ(judge(sample::with(broken)).exit_code, 1);
  broken.verdict = Verdict::inconclusive;
  EXPECT_EQ(judge(sample::with(broken)).exit_code, 3);
}

// A MUST that dlcert 90.1 has first, judged by the rules of that version and of the next.
RequirementResult new_must(Verdict verdict, const Strictness& strictness) {
  const Register known = sample::sample_register();
  const Standing standing =
      standing_of(*known.find("kept.late"), {"1.3", "none", "none"}, {}, strictness);
  RequirementResult result = sample::result("kept.late", standing.level, verdict, "broken");
  result.binding = standing.binding;
  result.grace = standing.grace;
  return result;
}

TEST(ExitCode, ANewMustWarnsInItsFirstMinorVersion) {
  const auto exit_code = [](Verdict verdict, const Strictness& strictness) {
    return judge(sample::with(new_must(verdict, strictness))).exit_code;
  };
  for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout,
                                Verdict::inconclusive, Verdict::not_run, Verdict::flaky}) {
    EXPECT_EQ(exit_code(verdict, {false, {}, {"90.1"}}), 0) << to_text(verdict);
    EXPECT_EQ(exit_code(verdict, {true, {}, {"90.1"}}), 0) << "a strict gate: " << to_text(verdict);
    EXPECT_NE(exit_code(verdict, {false, {}, {"90.1", true}}), 0) << to_text(verdict);
    EXPECT_NE(exit_code(verdict, {false, {}, {"90.2"}}), 0) << to_text(verdict);
  }
  EXPECT_TRUE(warns(new_must(Verdict::fail, {false, {}, {"90.1"}})));
}

TEST(ExitCode, ACheckOfANewRuleThatRanNoCaseDoesNotCountEither) {
  RequirementResult result = new_must(Verdict::inconclusive, {false, {}, {"90.1"}});
  UnitRecord& record = result.checks.front().record;
  record.cases = 0;
  record.discarded = record.requested;
  EXPECT_EQ(judge(sample::with(result)).exit_code, 0);
  result.grace.clear();
  EXPECT_EQ(judge(sample::with(result)).exit_code, 3);
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
      sample::result("kept.alpha", Level::must, Verdict::not_applicable, "hardware-only");
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge_beside_requirements(results).exit_code, 3);
  results.results.clear();
  EXPECT_EQ(judge(results).reasons.at(0), "nothing was selected");
}

TEST(ExitCode, IsThreeWhenARoleGaveNoEvidence) {
  Results results = sample::passing();
  results.adapters.front().producer = true;
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.at(0),
            "no evidence of acme as producer: the cases that passed made 0 tensors and handed over "
            "0, but compared the values of none; `dlcert smoke` shows what the library refuses");
  EXPECT_EQ(judge_beside_requirements(results).exit_code, 3);
  results.filtered = true;  // a selection makes no such promise
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(ExitCode, IsThreeWhenLessThanHalfOfARolesCoreWasTested) {
  Results results = sample::passing();
  results.scope = scope_of(results, sample::sample_register());
  EXPECT_EQ(judge(results).exit_code, 0);
  CoreScope& core = *results.scope.roles.front().core;
  core = {1, 3};
  for (const RunVerdict& verdict : {judge(results), judge_beside_requirements(results)}) {
    EXPECT_EQ(verdict.exit_code, 3);
    EXPECT_EQ(
        verdict.reasons,
        std::vector<std::string>{
            "too little tested: acme as consumer: 1 of 3 requirements of its core features, "
            "but at least half must be tested; let `can` of the adapter claim more (`dlcert smoke` "
            "shows what it claims)"});
  }
  core = {2, 4};
  EXPECT_EQ(judge(results).exit_code, 0);
  core = {1, 3};
  results.results.front().checks.front().record.evidence =
      results.scope.roles.front().evidence = {};
  EXPECT_EQ(judge(results).reasons.size(), 1u) << "that there is no evidence says it all";
}

TEST(ExitCode, IsThreeWhenManyMustsPassedAndNoValueWasFound) {
  Results results = sample::passing();
  for (int i = 0; i < 60; ++i)
    results.results.push_back(sample::result("kept.alpha", Level::must, Verdict::pass, ""));
  for (RequirementResult& result : results.results)
    result.checks.front().record.evidence = {.handed_over = 7};
  EXPECT_EQ(judge(results).exit_code, 3);
  results.results.front().checks.front().record.evidence.found = 1;
  EXPECT_EQ(judge(results).exit_code, 0);
  results.results.front().checks.front().fact = true;
  EXPECT_EQ(judge(results).exit_code, 3) << "what a header says is no evidence";
}

TEST(ExitCode, OverAVendorsDriverIsThatOfTheOtherRolesOfARuntime) {
  Results results = sample::passing();
  results.adapters.front().enumerates = true;
  EXPECT_EQ(judge(results).exit_code, 3) << "it answered no question";
  results.settings.driver = "cuda";
  EXPECT_EQ(judge(results).exit_code, 0);
  results.adapters.front().producer = results.adapters.front().consumer = false;
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.front(),
            "no role can be judged: a runtime needs simulated devices");
}

TEST(ExitCode, IsThreeWhenASelectionTestedNothingOfARoleThatItIsAbout) {
  Results results = sample::passing();
  results.filtered = true;
  results.adapters.front().producer = true;
  RequirementResult untested =
      sample::result("kept.gamma", Level::must, Verdict::not_applicable, "refused");
  untested.producer = "acme";
  untested.consumer = own_name;
  results.results.push_back(untested);
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.at(0),
            "this selection tested nothing of acme as producer, except for warnings");
}

TEST(ExitCode, IsThreeWhenASelectionOfAMustTestedNothingButWhatWarns) {
  Results results = sample::passing();
  results.filtered = true;
  results.results.front() =
      sample::result("kept.alpha", Level::must, Verdict::not_applicable, "every import refused");
  results.results.push_back(sample::result("kept.beta", Level::should, Verdict::fail, "refused"));
  EXPECT_EQ(judge(results).exit_code, 3);
  results.results.erase(results.results.begin());
  EXPECT_EQ(judge(results).exit_code, 0) << "nothing but a SHOULD was asked for";
}

TEST(ExitCode, IsThreeWhenARequiredFeatureIsNotFull) {
  Results results = sample::passing();
  results.required = {"streams"};
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.at(0),
            "streams is required, but no role of the adapters has this feature");
  FeatureScope scope{"acme", Role::consumer, "streams", Coverage::not_claimed, 0, 0, 0, {}};
  results.scope.features = {scope};
  EXPECT_EQ(judge(results).reasons.at(0),
            "streams is required of acme as consumer, but it is not claimed");
  scope.coverage = Coverage::partial;
  scope.of = 2;
  scope.tested = 1;
  scope.missing = {{"kept.alpha", "needs read"}};
  results.scope.features = {scope};
  EXPECT_EQ(judge(results).reasons.at(0),
            "streams is required of acme as consumer, but it is partial: streams (1 of 2; "
            "kept.alpha: needs read)");
  results.scope.features.front().coverage = Coverage::full;
  EXPECT_EQ(judge(results).exit_code, 0);
}

TEST(ExitCode, IsThreeWhenSomethingOfTheBaselineIsLost) {
  Results results = sample::passing();
  results.baseline = Baseline{"old.json", {"seed: 1 in the baseline, 2 in this run"}, {}};
  EXPECT_EQ(judge(results).exit_code, 0) << "other conditions alone are no loss";
  results.baseline->lost = {"acme as consumer: kept.beta was tested but is now not applicable"};
  EXPECT_EQ(judge(results).exit_code, 3);
  EXPECT_EQ(judge(results).reasons.at(0),
            "1 loss compared with old.json: acme as consumer: kept.beta was tested but is now not "
            "applicable");
}

TEST(ExitCode, IsZeroWhereALimitOfDlcertKeptARuleFromBeingJudged) {
  EXPECT_EQ(exit_code_with(Level::must, Verdict::not_judged, "cudaA is not modelled"), 0);
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
