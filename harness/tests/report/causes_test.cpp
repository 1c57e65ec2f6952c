// SPDX-License-Identifier: Apache-2.0
#include "report/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "register/causes.hpp"
#include "report/failure.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

// What the real register says of capsules, deleters and elements, in small.
constexpr std::string_view rules = R"({
  "expectations": [
    {"name": "deleter calls", "says": ["deleter calls*"], "shows": [["kept.alpha"]], "because": "It is counted."},
    {"name": "elements", "says": ["elements*"], "shows": [["kept.beta", "kept.gamma"], ["kept.delta"]],
     "because": "They are compared."},
    {"name": "an end", "says": ["crash", "timeout"], "shows": [], "vague": true, "because": "It says nothing."}],
  "rests_on": [
    {"requirements": ["kept.torch"], "on": ["kept.a*"], "says": ["stream*"], "unless": ["stream 0*"],
     "where": ["deleter*"], "because": "It releases."},
    {"requirements": ["kept.excused", "kept.hardware"], "on": ["bare.one"], "at_least": 2, "because": "General."}]})";

struct Failing {
  std::string requirement;
  std::string message;
  std::size_t choices = 3;
  std::size_t steps = 4;
  Verdict verdict = Verdict::fail;
  std::string library = "acme";
};

RequirementResult result_of(const Failing& failing) {
  RequirementResult result =
      sample::result(failing.requirement, Level::must, failing.verdict, failing.message);
  result.consumer = failing.library;
  Counterexample& example = result.checks[0].record.counterexample.emplace();
  example.trace.assign(failing.steps, "acme.describe(t1)");
  example.choices.assign(failing.choices, 1);
  return result;
}

class Causes : public testing::Test {
 protected:
  void fail(const std::vector<Failing>& failures) {
    results_ = sample::passing();
    for (const Failing& failing : failures)
      results_.results.push_back(result_of(failing));
    find_causes(results_, known_);
  }

  const std::string& cause_of(std::string_view requirement) const {
    return std::ranges::find(results_.results, requirement, &RequirementResult::requirement)->cause;
  }

  std::vector<std::string> told() const {
    std::vector<std::string> ids;
    for (const RequirementResult* const headline : headlines(results_))
      ids.push_back(headline->requirement);
    return ids;
  }

  Register known_ = sample::sample_register(rules);
  Results results_;
};

using Names = std::vector<std::string>;

TEST_F(Causes, WhatSaysWhatAnotherRuleSaysFollowsFromThatRule) {
  fail({{"kept.beta", "deleter calls: expected 1 but found 2", 0, 1},
        {"kept.alpha", "deleter calls: expected 1 but found 0", 9}});
  EXPECT_EQ(cause_of("kept.beta"), "kept.alpha");
  EXPECT_EQ(told(), Names{"kept.alpha"});
}

TEST_F(Causes, AMessageOfItsOwnHasNoCause) {
  fail({{"kept.beta", "size: expected 1"}, {"kept.alpha", "deleter calls: expected 1"}});
  EXPECT_EQ(cause_of("kept.beta"), "");
  EXPECT_EQ(told().size(), 2u);
}

TEST_F(Causes, OfEquallyNearRulesThatWhichFailsAtOnceIsTheCause) {
  fail({{"kept.beta", "elements: expected 1", 5}, {"kept.gamma", "elements: expected 1", 0}});
  EXPECT_EQ(told(), Names{"kept.gamma"});
  fail({{"kept.beta", "elements: expected 1", 5}, {"kept.gamma", "elements: expected 1", 7}});
  EXPECT_EQ(told(), Names{"kept.beta"});  // the simpler
}

TEST_F(Causes, ANearerRuleIsTheCauseHoweverSimpleTheOtherIs) {
  fail({{"kept.delta", "elements: expected 1", 0}, {"kept.gamma", "elements: expected 1", 7}});
  EXPECT_EQ(told(), Names{"kept.gamma"});
}

TEST_F(Causes, AWarningIsToldBehindWhatBinds) {
  fail({{"bare.one", "sum: expected 2", 0}, {"kept.beta", "size: expected 1", 7}});
  std::ranges::find(results_.results, "bare.one", &RequirementResult::requirement)->binding = false;
  EXPECT_EQ(told(), (Names{"kept.beta", "bare.one"}));
}

TEST_F(Causes, AnExpectationThatNoneOfItsRulesFailsWithIsOfTheRuleItself) {
  fail({{"kept.torch", "elements: expected 1"}, {"bare.one", "sum: expected 2"}});
  EXPECT_EQ(told().size(), 2u);
}

TEST_F(Causes, ACrashHasNoCauseUnlessOneIsWritten) {
  fail({{"kept.torch", "ended by SIGSEGV", 0, 1, Verdict::crash}, {"bare.one", "sum: expected 2"}});
  EXPECT_EQ(cause_of("kept.torch"), "");
  EXPECT_EQ(told(), (Names{"kept.torch", "bare.one"}));
}

TEST_F(Causes, WhatIsWrittenHoldsForTheMessagesThatItNames) {
  fail({{"kept.alpha", "deleter calls: 2"}, {"kept.torch", "stream 7"}});
  EXPECT_EQ(cause_of("kept.torch"), "kept.alpha");
  fail({{"kept.alpha", "deleter calls: 2"}, {"kept.torch", "stream 0"}});
  EXPECT_EQ(cause_of("kept.torch"), "");
  fail({{"kept.alpha", "deleter calls: 2"}, {"kept.torch", "size 7"}});
  EXPECT_EQ(cause_of("kept.torch"), "");
  fail({{"kept.alpha", "address"}, {"kept.torch", "stream 7"}});
  EXPECT_EQ(cause_of("kept.torch"), "");
}

TEST_F(Causes, AGeneralRuleIsTheCauseOfManyOnly) {
  fail({{"bare.one", "general"}, {"kept.hardware", "a"}, {"kept.excused", "b"}});
  EXPECT_EQ(told(), Names{"bare.one"});
  fail({{"bare.one", "general"}, {"kept.hardware", "a"}});
  EXPECT_EQ(told().size(), 2u);
}

// What experiments found: `requirement` passes without a byte offset, which `of` owns.
void prove(Results& results, std::string_view requirement, const std::string& of) {
  for (RequirementResult& result : results.results)
    if (result.requirement == requirement && broken(result.verdict))
      for (CheckResult& check : result.checks)
        check.consequence = {.of = of, .without = {"byte_offset"}, .cases = 21};
}

TEST_F(Causes, WhatPassesWithoutAPropertyFollowsFromItsOwnerWhateverMessagesSay) {
  fail({{"kept.beta", "deleter calls: expected 1"},
        {"kept.alpha", "deleter calls: expected 1"},
        {"kept.gamma", "offset: expected 4"}});
  prove(results_, "kept.beta", "kept.gamma");
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.beta"), "kept.gamma");
  const RequirementResult& beta =
      *std::ranges::find(results_.results, "kept.beta", &RequirementResult::requirement);
  EXPECT_TRUE(is_proven_consequence(beta));
  const RequirementResult& gamma =
      *std::ranges::find(results_.results, "kept.gamma", &RequirementResult::requirement);
  EXPECT_FALSE(is_proven_consequence(gamma));
  const std::string text = describe_failure(results_, gamma, known_, {});
  EXPECT_NE(text.find("passes without a byte offset (21 cases)"), std::string::npos) << text;
}

TEST_F(Causes, AChainOfProofsEndsAtItsRoot) {
  fail({{"kept.beta", "a"}, {"kept.alpha", "b"}, {"kept.gamma", "c"}});
  prove(results_, "kept.beta", "kept.alpha");
  prove(results_, "kept.alpha", "kept.gamma");
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.beta"), "kept.gamma");
  EXPECT_EQ(told(), Names{"kept.gamma"});
}

TEST_F(Causes, OfACircleOfProofsOneIsTold) {
  fail({{"kept.beta", "a"}, {"kept.alpha", "b"}, {"kept.gamma", "c"}});
  prove(results_, "kept.beta", "kept.alpha");
  prove(results_, "kept.alpha", "kept.beta");
  prove(results_, "kept.gamma", "kept.beta");
  find_causes(results_, known_);
  EXPECT_EQ(told(), Names{"kept.alpha"});
  EXPECT_EQ(cause_of("kept.gamma"), "kept.alpha");
}

TEST_F(Causes, AProofThatLeadsToALikelyConsequenceLeadsToItsHeadline) {
  fail({{"kept.beta", "deleter calls: 2"},
        {"kept.alpha", "deleter calls: 0"},
        {"kept.gamma", "offset: expected 4"}});
  ASSERT_EQ(cause_of("kept.beta"), "kept.alpha");
  prove(results_, "kept.gamma", "kept.beta");
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.gamma"), "kept.alpha");
  EXPECT_EQ(told(), Names{"kept.alpha"});
}

TEST_F(Causes, AProofOfOneCheckProvesNothingForAnother) {
  fail({{"kept.beta", "a"}, {"kept.alpha", "b"}});
  RequirementResult& beta =
      *std::ranges::find(results_.results, "kept.beta", &RequirementResult::requirement);
  beta.checks.push_back(beta.checks.front());
  beta.checks.front().consequence = {.of = "kept.alpha", .without = {"rank_0"}, .cases = 30};
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.beta"), "");
}

TEST_F(Causes, ARefutedCauseIsNotLikely) {
  fail({{"kept.beta", "deleter calls: 2"}, {"kept.alpha", "deleter calls: 0"}});
  ASSERT_EQ(cause_of("kept.beta"), "kept.alpha");
  std::ranges::find(results_.results, "kept.beta", &RequirementResult::requirement)
      ->checks.front()
      .refuted = {"kept.alpha"};
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.beta"), "");
}

TEST_F(Causes, LibrariesShareNoCauseAndRolesDo) {
  fail({{"kept.beta", "deleter calls: 2"},
        {"kept.alpha", "deleter calls: 0", 1, 1, Verdict::fail, "other"}});
  EXPECT_EQ(cause_of("kept.beta"), "");
  fail({{"kept.beta", "deleter calls: 2"}, {"kept.alpha", "deleter calls: 0"}});
  RequirementResult& alpha = results_.results.back();
  std::swap(alpha.producer, alpha.consumer);
  find_causes(results_, known_);
  EXPECT_EQ(cause_of("kept.beta"), "kept.alpha");
}

TEST_F(Causes, WhatIsNotBrokenIsNoCauseAndHasNone) {
  for (const Verdict verdict : {Verdict::waived, Verdict::not_judged, Verdict::inconclusive}) {
    fail({{"kept.beta", "deleter calls: 2"}, {"kept.alpha", "deleter calls: 0"}});
    RequirementResult& alpha = results_.results.back();
    alpha.verdict = verdict;
    alpha.cause = "kept.beta";
    find_causes(results_, known_);
    EXPECT_EQ(cause_of("kept.beta"), "");
    EXPECT_EQ(alpha.cause, "");
  }
}

TEST_F(Causes, TheSimplestFailureIsFirstAndNoneIsLeftOut) {
  fail({{"kept.far", "m1", 3, 9}, {"kept.near", "m2", 3, 2}, {"kept.none", "m3"}});
  results_.results.back().checks[0].record.counterexample.reset();
  results_.results.push_back(result_of({"kept.late", "m4", 3, 2}));
  results_.results.back().checks[0].record.counterexample->case_index = 50;
  EXPECT_EQ(told(), (Names{"kept.near", "kept.far", "kept.late", "kept.none"}));
}

TEST_F(Causes, EveryFormatTellsAHeadlineInFullAndWhatFollowsUnderIt) {
  fail({{"kept.beta", "deleter calls: expected 1 but found 2"},
        {"kept.alpha", "deleter calls: expected 1 but found 0"}});
  const RunVerdict verdict = judge(results_);
  for (const std::string& text :
       {report_text(results_, verdict, known_, {}), to_markdown(results_, verdict, known_)}) {
    EXPECT_NE(text.find("\nkept.alpha  fail  acme"), text.npos) << text;
    EXPECT_NE(text.find("  related         1 other failure, probably with the same cause\n"
                        "    kept.beta  fail  deleter calls: expected 1 but found 2\n"),
              text.npos)
        << text;
    EXPECT_EQ(text.find("\nkept.beta  fail  acme"), text.npos) << text;
  }
  EXPECT_NE(describe_failure(results_, results_.results[1], known_, {})
                .find("\n  likely cause    kept.alpha\n"),
            std::string::npos);
  EXPECT_NE(
      to_junit(results_, known_).find(R"(<property name="dlcert.cause" value="kept.alpha" />)"),
      std::string::npos);
  EXPECT_EQ(results_from_json(to_json(results_)).results[1].cause, "kept.alpha");
}

TEST_F(Causes, NoVerdictCountOrExitCodeDependsOnThem) {
  fail({{"kept.beta", "deleter calls: 2"}, {"kept.alpha", "deleter calls: 0"}});
  Results without = results_;
  for (RequirementResult& result : without.results)
    result.cause.clear();
  EXPECT_EQ(judge(results_).exit_code, judge(without).exit_code);
  EXPECT_EQ(judge(results_).reasons, judge(without).reasons);
}

TEST(CauseRules, APatternOfNoRequirementIsRefused) {
  EXPECT_THROW(sample::sample_register(R"({"expectations": [], "rests_on": [
        {"requirements": ["kept.alpha"], "on": ["gone.*"], "because": "It was there."}]})"),
               std::runtime_error);
}

TEST(CauseRules, OfTheProjectAreRead) {
  const CauseRules& known = Register::embedded().cause_rules();
  EXPECT_FALSE(known.expectations.empty());
  EXPECT_FALSE(known.rests_on.empty());
}

}  // namespace
}  // namespace dlcert
