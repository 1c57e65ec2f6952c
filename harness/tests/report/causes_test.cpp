// SPDX-License-Identifier: Apache-2.0
#include "report/causes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

struct Failing {
  std::string requirement;
  std::string message;
  std::size_t steps = 4;
  std::string last_step = "acme.read(t1)";
  Verdict verdict = Verdict::fail;
  std::string library = "acme";
};

RequirementResult result_of(const Failing& failing) {
  RequirementResult result =
      sample::result(failing.requirement, Level::must, failing.verdict, failing.message);
  result.consumer = failing.library;
  Counterexample& example = result.checks[0].record.counterexample.emplace();
  example.trace.assign(failing.steps - 1, "acme.describe(t1)");
  example.trace.push_back(failing.last_step);
  return result;
}

Results results_of(const std::vector<Failing>& failures) {
  Results results = sample::passing();
  for (const Failing& failing : failures)
    results.results.push_back(result_of(failing));
  return results;
}

using Names = std::vector<std::string>;

Names in_order(const Results& results) {
  Names ids;
  for (const RequirementResult* const result : simplest_first(results))
    ids.push_back(result->requirement);
  return ids;
}

std::set<std::string> like(const Results& results, std::size_t index) {
  return with_same_message(results, results.results.at(index));
}

using Others = std::set<std::string>;

TEST(Causes, TheSimplestFailureIsFirstAndNoneIsLeftOut) {
  Results results = results_of({{"x.far", "m1", 9}, {"x.near", "m2", 2}, {"x.none", "m3"}});
  results.results.back().checks[0].record.counterexample.reset();
  results.results.push_back(result_of({"x.late", "m4", 2}));
  results.results.back().checks[0].record.counterexample->case_index = 50;
  EXPECT_EQ(in_order(results), (Names{"x.near", "x.far", "x.late", "x.none"}));
}

TEST(Causes, EqualFailuresStayInTheOrderOfTheResults) {
  EXPECT_EQ(in_order(results_of({{"x.b", "m"}, {"x.a", "m"}})), (Names{"x.b", "x.a"}));
}

TEST(Causes, WhatIsNotBrokenIsNoFailure) {
  Results results = results_of({{"x.a", "m"}, {"x.b", "m"}, {"x.c", "m"}, {"x.d", "m"}});
  results.results[2].verdict = Verdict::waived;
  results.results[3].verdict = Verdict::inconclusive;
  results.results[4].verdict = Verdict::not_judged;
  EXPECT_EQ(in_order(results), Names{"x.a"});
  EXPECT_TRUE(like(results, 1).empty());
  EXPECT_TRUE(like(results, 4).empty());
}

TEST(Causes, OneMessageIsTheSameWhateverItsNumbers) {
  const Results results = results_of({{"x.far", "data at 0x7f00: expected 3 bytes c15c02"},
                                      {"x.near", "data at 0x8f10: expected 4 bytes 00ff11"},
                                      {"x.other", "something else"}});
  EXPECT_EQ(like(results, 1), Others{"x.near"});
  EXPECT_EQ(like(results, 2), Others{"x.far"});
  EXPECT_EQ(like(results, 3), Others{});
}

TEST(Causes, CrashesAreTheSameInTheSameCallOnly) {
  const auto crash = [](std::string id, std::string step) {
    return Failing{std::move(id), "ended by SIGSEGV in case 3", 4, std::move(step), Verdict::crash};
  };
  const Results results =
      results_of({crash("x.a", "t2 = acme.import_managed(m2)"),
                  crash("x.b", "t1 = acme.import_managed(m1)"), crash("x.c", "acme.release(t1)")});
  EXPECT_EQ(like(results, 1), Others{"x.b"});
  EXPECT_EQ(like(results, 3), Others{});
}

TEST(Causes, LibrariesAndRolesShareNone) {
  Results results = results_of({{"x.a", "m"}, {"x.b", "m", 4, "s", Verdict::fail, "other"}});
  EXPECT_TRUE(like(results, 1).empty());
  results = results_of({{"x.a", "m"}, {"x.a", "m"}});  // one requirement in both roles
  std::swap(results.results.back().producer, results.results.back().consumer);
  EXPECT_TRUE(like(results, 1).empty());
}

TEST(Causes, EveryFailureIsToldInFullWithThoseThatSayTheSame) {
  const Register known = sample::sample_register();
  const Results results =
      results_of({{"a.one", "size 1 is wrong", 9}, {"a.two", "size 2 is wrong"}, {"b.three", "m"}});
  for (const std::string& text : {report_text(results, judge(results), known, {}),
                                  to_markdown(results, judge(results), known)}) {
    EXPECT_NE(text.find("same message    a.two: probably one cause"), std::string::npos) << text;
    EXPECT_NE(text.find("same message    a.one: probably one cause"), std::string::npos) << text;
    EXPECT_NE(text.find("\nb.three  fail"), std::string::npos) << text;
    EXPECT_LT(text.find("\na.two  fail"), text.find("\na.one  fail")) << text;
  }
}

}  // namespace
}  // namespace dlcert
