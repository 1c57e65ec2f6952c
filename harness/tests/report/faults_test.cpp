// SPDX-License-Identifier: Apache-2.0
#include "report/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "report/baseline.hpp"
#include "report/failure.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/run_verdict.hpp"
#include "report/terminal.hpp"
#include "report/waivers.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

using namespace std::chrono_literals;

struct Failing {
  std::string requirement;
  Level level = Level::must;
  Verdict verdict = Verdict::fail;
  std::size_t steps = 4;
};

RequirementResult result_of(const Failing& failing) {
  RequirementResult result = sample::result(failing.requirement, failing.level, failing.verdict,
                                            "sum: expected 2 but found 3");
  Counterexample& example = result.checks[0].record.counterexample.emplace();
  example.trace.assign(failing.steps, "acme.describe(t1)");
  return result;
}

using Names = std::vector<std::string>;

class Faults : public testing::Test {
 protected:
  void fail(const std::vector<Failing>& failures) {
    results_ = sample::passing();
    for (const Failing& failing : failures)
      results_.results.push_back(result_of(failing));
  }

  // As an experiment does: each check of the requirement passes without a byte offset.
  void prove(std::string_view requirement, const std::string& of) {
    for (CheckResult& check : result(requirement).checks)
      check.consequence = {.of = of, .without = {"byte_offset"}, .cases = 21};
  }

  void apply(const std::string& waivers = "") {
    apply_waivers(results_, parse_waivers(waivers, "w.toml", known_),
                  2026y / std::chrono::November / 21);
    apply_consequences(results_, known_);
  }

  RequirementResult& result(std::string_view requirement) {
    return *std::ranges::find_if(results_.results, [&](const RequirementResult& one) {
      return one.requirement == requirement && one.verdict != Verdict::pass;
    });
  }

  Names listed() const {
    Names ids;
    for (const Fault& fault : faults_of(results_))
      ids.push_back(fault.broken->requirement);
    return ids;
  }

  int exit_code() const { return judge(results_).exit_code; }

  Register known_ = sample::sample_register();
  Results results_;
};

std::string waiver_of(std::string_view requirement, std::string_view message = "sum") {
  return std::string{"[[waiver]]\nrequirement = \""} + std::string{requirement} +
         "\"\nimplementation = \"acme\"\nversions = \">=2.0, <3\"\nmessage = \"" +
         std::string{message} +
         "\"\nreason = \"known\"\nowner = \"somebody\"\nexpires = 2027-06-30\n";
}

// ---- which failure is a fault -------------------------------------------------------------------

TEST_F(Faults, AFailureWithoutProofIsAFaultOfItsOwn) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  apply();
  EXPECT_EQ(listed(), (Names{"kept.alpha", "kept.gamma"}));
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
}

TEST_F(Faults, AProvenFailureIsAConsequenceOfItsOwner) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  apply();
  EXPECT_EQ(listed(), Names{"kept.alpha"});
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
  EXPECT_EQ(result("kept.gamma").reason,
            "consequence of kept.alpha: passes without a byte offset (21 cases)");
  EXPECT_EQ(judge(results_).reasons, Names{"1 requirement failed: kept.alpha"});
}

TEST_F(Faults, AnOwnerThatDidNotFailExplainsNothing) {
  for (const Verdict verdict : {Verdict::not_judged, Verdict::inconclusive, Verdict::flaky}) {
    fail({{"kept.gamma"}, {"kept.alpha", Level::must, verdict}});
    prove("kept.gamma", "kept.alpha");
    apply();
    EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
  }
}

TEST_F(Faults, AProofOfOneCheckProvesNothingForAnother) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  result("kept.gamma").checks.push_back(result("kept.alpha").checks.front());
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
}

TEST_F(Faults, AChainOfProofsEndsAtItsRoot) {
  fail({{"kept.alpha"}, {"kept.gamma"}, {"kept.torch"}});
  prove("kept.torch", "kept.gamma");
  prove("kept.gamma", "kept.alpha");
  apply();
  EXPECT_EQ(listed(), Names{"kept.alpha"});
  EXPECT_EQ(result("kept.torch").consequence_of, "kept.alpha");
}

TEST_F(Faults, OfACircleTheHighestLevelThenTheFirstIdIsTheFault) {
  fail({{"kept.beta", Level::should}, {"kept.gamma"}, {"kept.alpha"}});
  prove("kept.beta", "kept.gamma");
  prove("kept.gamma", "kept.alpha");
  prove("kept.alpha", "kept.beta");
  apply();
  EXPECT_EQ(listed(), Names{"kept.alpha"});
}

TEST_F(Faults, OfACircleThatWhichFollowsByItsAssertionIsTheFault) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.alpha", "kept.gamma");
  prove("kept.gamma", "kept.alpha");
  result("kept.gamma").checks[0].consequence->without.clear();
  apply();
  EXPECT_EQ(listed(), Names{"kept.gamma"});
}

TEST_F(Faults, AFaultHoldsInEachRoleOfALibrary) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  std::swap(result("kept.gamma").producer, result("kept.gamma").consumer);
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
}

TEST_F(Faults, AFaultOfOneLibraryExplainsNothingOfAnother) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  result("kept.gamma").consumer = "sink";
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
}

TEST_F(Faults, APairOfLibrariesHasItsOwnFaults) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  result("kept.gamma").producer = "sink";  // to acme
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
  result("kept.alpha").producer = "sink";
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
}

// ---- what it means for verdicts -----------------------------------------------------------------

TEST_F(Faults, AConsequenceCountsAtTheLevelOfItsOwner) {
  fail({{"kept.beta", Level::should}, {"kept.gamma"}});
  prove("kept.gamma", "kept.beta");
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
  EXPECT_EQ(exit_code(), exit_certified);
}

TEST_F(Faults, WithAnOwnerThatBindsByStrictTheFaultFailsTheRun) {
  fail({{"kept.beta", Level::should}, {"kept.gamma"}});
  prove("kept.gamma", "kept.beta");
  result("kept.beta").binding = true;
  apply();
  EXPECT_EQ(judge(results_).reasons, Names{"1 requirement failed: kept.beta"});
}

TEST_F(Faults, WhatCorruptsDataKeepsTheLevelOfItsOwnRule) {
  fail({{"kept.beta", Level::should}, {"kept.torch"}});  // about values
  prove("kept.torch", "kept.beta");
  apply();
  EXPECT_EQ(result("kept.torch").verdict, Verdict::fail);
  EXPECT_EQ(result("kept.torch").consequence_of, "kept.beta");
  EXPECT_EQ(exit_code(), exit_failed);
  EXPECT_EQ(listed(), Names{"kept.beta"});
  EXPECT_TRUE(faults_of(results_).front().counts());
}

TEST_F(Faults, ARuleThatIsTooNewToBindExcusesNothing) {
  fail({{"kept.late"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.late");
  result("kept.late").binding = false;
  result("kept.late").grace = "new in dlcert 90.1: it binds from dlcert 90.2 on";
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::fail);
  EXPECT_EQ(result("kept.gamma").consequence_of, "kept.late");
  EXPECT_EQ(exit_code(), exit_failed);
  EXPECT_NE(describe_failure(results_, result("kept.late"), known_, {})
                .find("; it counts, because the other rule is too new to bind"),
            std::string::npos);
}

TEST_F(Faults, ACrashKeepsTheLevelOfItsOwnRule) {
  fail({{"kept.beta", Level::should}, {"kept.gamma", Level::must, Verdict::crash}});
  prove("kept.gamma", "kept.beta");
  apply();
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::crash);
  EXPECT_EQ(exit_code(), exit_failed);
}

TEST_F(Faults, OneCrashCountsOnceUnderItsOwner) {
  fail({{"kept.beta", Level::should, Verdict::crash},
        {"kept.alpha", Level::must, Verdict::crash},
        {"kept.gamma", Level::must, Verdict::crash}});
  for (const char* const requirement : {"kept.beta", "kept.alpha", "kept.gamma"})
    result(requirement).checks.front().record.signature = "SIGSEGV in libacme.so+0x12";
  for (const char* const requirement : {"kept.alpha", "kept.gamma"})
    prove(requirement, "kept.beta");
  apply();
  EXPECT_EQ(result("kept.beta").verdict, Verdict::crash);
  EXPECT_EQ(result("kept.alpha").verdict, Verdict::consequence);
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
  EXPECT_EQ(judge(results_).reasons, Names{"1 requirement crash: kept.beta"});
  const std::string text = describe_failure(results_, result("kept.beta"), known_, {});
  EXPECT_NE(text.find("; it is a MUST, so that the crash counts\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("(a warning)"), std::string::npos) << text;
}

TEST_F(Faults, ACrashThatBreaksNoBindingRuleIsAWarning) {
  fail({{"kept.beta", Level::should, Verdict::crash},
        {"kept.gamma", Level::should, Verdict::crash}});
  for (const char* const requirement : {"kept.beta", "kept.gamma"})
    result(requirement).checks.front().record.signature = "SIGSEGV in libacme.so+0x12";
  prove("kept.gamma", "kept.beta");
  apply();
  EXPECT_EQ(exit_code(), exit_certified);
}

TEST_F(Faults, WhatCorruptsDataIsAConsequenceOfAnOwnerThatBinds) {
  fail({{"kept.alpha"}, {"kept.torch"}});
  prove("kept.torch", "kept.alpha");
  apply();
  EXPECT_EQ(result("kept.torch").verdict, Verdict::consequence);
}

TEST_F(Faults, AWaiverOfTheOwnerCoversItsConsequences) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  apply(waiver_of("kept.alpha"));
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::consequence);
  EXPECT_EQ(exit_code(), exit_certified);
  const std::string text = report_text(results_, judge(results_), known_, {});
  EXPECT_NE(text.find("\nkept.alpha  waived by w.toml:1  known (somebody, until 2027-06-30)\n"
                      "  kept.gamma  consequence  passes without a byte offset (21 cases)\n"),
            text.npos)
      << text;
}

TEST_F(Faults, CorruptedDataIsWaivedWithAnOwnerThatDoesNotBind) {
  fail({{"kept.beta", Level::should}, {"kept.torch"}});
  prove("kept.torch", "kept.beta");
  apply(waiver_of("kept.beta"));
  EXPECT_EQ(result("kept.torch").verdict, Verdict::waived);
  EXPECT_EQ(result("kept.torch").waiver, "w.toml:1");
  const std::string text = report_text(results_, judge(results_), known_, {});
  EXPECT_NE(text.find("1 of 2 MUSTs waived"), text.npos) << text;
}

TEST_F(Faults, AWaiverOfAConsequenceIsNotObsolete) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  prove("kept.gamma", "kept.alpha");
  apply(waiver_of("kept.gamma"));
  EXPECT_TRUE(results_.waiver_problems.empty());
  EXPECT_EQ(result("kept.gamma").verdict, Verdict::waived);
  EXPECT_EQ(judge(results_).reasons, Names{"1 requirement failed: kept.alpha"});
}

TEST_F(Faults, AConsequenceIsNoWarningOfItsOwn) {
  fail({{"kept.beta", Level::should}, {"kept.gamma"}});
  prove("kept.gamma", "kept.beta");
  apply();
  const std::string text = report_text(results_, judge(results_), known_, {});
  EXPECT_NE(text.find("certified: acme 2.1 (1 warning)\n"), text.npos) << text;
}

TEST_F(Faults, AConsequenceIsNoLossAgainstABaseline) {
  fail({{"kept.alpha"}, {"kept.gamma"}});
  Results before = results_;
  for (RequirementResult& one : before.results)
    one.verdict = Verdict::pass;
  prove("kept.gamma", "kept.alpha");
  apply();
  ASSERT_EQ(result("kept.gamma").verdict, Verdict::consequence);
  EXPECT_TRUE(compare_with(before, results_, "before.json").lost.empty());
}

TEST_F(Faults, ASelectionThatOnlyWarnsAndWhatFollowsTestsNothing) {
  fail({{"kept.beta", Level::should}, {"kept.gamma"}});
  prove("kept.gamma", "kept.beta");
  std::erase_if(results_.results, [](const auto& one) { return one.verdict == Verdict::pass; });
  results_.filtered = true;
  apply();
  results_.scope = scope_of(results_, known_);
  EXPECT_EQ(exit_code(), exit_vacuous);
}

// ---- order and names ----------------------------------------------------------------------------

TEST_F(Faults, AFaultThatCountsComesFirstThenTheSimplest) {
  fail({{"kept.beta", Level::should, Verdict::fail, 1},
        {"kept.gamma", Level::must, Verdict::fail, 9},
        {"kept.alpha", Level::must, Verdict::fail, 2}});
  apply();
  EXPECT_EQ(listed(), (Names{"kept.alpha", "kept.gamma", "kept.beta"}));
}

TEST_F(Faults, OfThoseThatCountTheOneWithTheMostConsequencesComesFirst) {
  fail({{"kept.alpha", Level::must, Verdict::fail, 1},
        {"kept.gamma", Level::must, Verdict::fail, 9},
        {"kept.torch"}});
  prove("kept.torch", "kept.gamma");
  apply();
  EXPECT_EQ(listed(), (Names{"kept.gamma", "kept.alpha"}));
}

TEST_F(Faults, ACrashComesBehindAnAssertionAboutMemory) {
  fail({{"abi.device.codes-base", Level::must, Verdict::crash, 2},
        {"abi.device.code-extdev", Level::must, Verdict::crash, 2},
        {"lifetime.memory-valid-until-deleter", Level::must, Verdict::fail, 9}});
  prove("abi.device.code-extdev", "abi.device.codes-base");
  apply_consequences(results_, Register::embedded());
  EXPECT_EQ(faults_of(results_).front().broken->requirement, "lifetime.memory-valid-until-deleter");
}

TEST_F(Faults, ACrashComesFirstOfFaultsThatAreNotAboutMemory) {
  fail({{"abi.device.codes-base", Level::must, Verdict::crash, 2},
        {"abi.device.code-extdev", Level::must, Verdict::crash, 2},
        {"abi.dtype.int", Level::must, Verdict::fail, 1}});
  prove("abi.device.code-extdev", "abi.device.codes-base");
  apply_consequences(results_, Register::embedded());
  EXPECT_EQ(faults_of(results_).front().broken->requirement, "abi.device.codes-base");
}

TEST_F(Faults, TheIdOfAFaultIsThatOfItsRequirementAndRole) {
  fail({{"kept.alpha"}});
  EXPECT_EQ(faults_of(results_).front().id(), "kept.alpha/acme/consumer");
  result("kept.alpha").producer = "sink";
  EXPECT_EQ(faults_of(results_).front().id(), "kept.alpha/sink/acme");
}

TEST_F(Faults, TheIdOfACrashIsItsPlace) {
  fail({{"kept.alpha", Level::must, Verdict::crash}});
  result("kept.alpha").checks.front().record.signature = "SIGSEGV in libacme.so+0x12";
  EXPECT_EQ(faults_of(results_).front().id(), "SIGSEGV in libacme.so+0x12/acme/consumer");
}

// ---- reports ------------------------------------------------------------------------------------

class FaultsInReports : public Faults {
 protected:
  void SetUp() override {
    fail({{"kept.alpha"}, {"kept.gamma"}, {"kept.beta", Level::should}});
    prove("kept.gamma", "kept.alpha");
    apply();
  }
};

TEST_F(FaultsInReports, EveryFaultHasALineAboveAllElse) {
  const std::string text = report_text(results_, judge(results_), known_, {});
  const std::string lines =
      "\n2 faults, 3 requirements affected\n"
      "  kept.alpha  fail  acme 2.1 as consumer  the rule is kept; 1 consequence\n"
      "  kept.beta  fail (a warning)  acme 2.1 as consumer  the rule is kept\n";
  EXPECT_EQ(text.find(lines), text.find('\n')) << text;
  const std::string page = to_markdown(results_, judge(results_), known_);
  EXPECT_NE(page.find("\n## 2 faults, 3 requirements affected\n\n- kept.alpha  fail"), page.npos)
      << page;
}

TEST_F(FaultsInReports, AConsequenceStandsBelowItsOwnerWithItsProof) {
  for (const std::string& text : {report_text(results_, judge(results_), known_, {}),
                                  to_markdown(results_, judge(results_), known_)}) {
    EXPECT_NE(text.find("  consequences    1 requirement, which may hide further faults until this "
                        "one is fixed\n    kept.gamma  passes without a byte offset (21 cases)\n"),
              text.npos)
        << text;
    EXPECT_EQ(text.find("\nkept.gamma  fail"), text.npos) << text;
  }
  const std::string text = describe_failure(results_, result("kept.gamma"), known_, {});
  EXPECT_NE(text.find("kept.gamma  fail (a consequence)  acme 2.1 as consumer"), text.npos);
  EXPECT_NE(
      text.find("\n  consequence     of kept.alpha: passes without a byte offset (21 cases)\n"),
      text.npos)
      << text;
}

TEST_F(FaultsInReports, JunitSkipsAConsequence) {
  const std::string text = to_junit(results_, known_);
  EXPECT_NE(text.find(R"(<property name="dlcert.consequence-of" value="kept.alpha" />)"),
            text.npos);
  EXPECT_NE(text.find("<skipped message=\"consequence of kept.alpha: passes without a byte offset "
                      "(21 cases)\" />"),
            text.npos)
      << text;
}

TEST_F(FaultsInReports, ResultsKeepThem) {
  const std::string text = to_json(results_);
  EXPECT_NE(text.find(R"("id": "kept.alpha/acme/consumer")"), text.npos);
  const Results again = results_from_json(text);
  EXPECT_EQ(to_json(again), text);
  EXPECT_EQ(faults_of(again).front().consequences.front()->requirement, "kept.gamma");
}

TEST_F(FaultsInReports, AConsequenceByItsAssertionShowsTheAssertion) {
  result("kept.gamma").checks.front().consequence = {.of = "kept.alpha", .without = {}, .cases = 0};
  EXPECT_EQ(proof_text(result("kept.gamma")), "by its assertion: sum: expected 2 but found 3");
}

}  // namespace
}  // namespace dlcert
