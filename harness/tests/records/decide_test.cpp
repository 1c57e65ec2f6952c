// SPDX-License-Identifier: Apache-2.0
//
// Facts and the verdicts that they amount to, as tables.
#include "records/decide.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace dlcert {
namespace {

UnitRecord record_of(std::uint64_t cases, std::uint64_t requested = 100) {
  return {.requested = requested, .cases = cases, .met = cases};
}

struct RecordRow {
  const char* facts;
  UnitRecord record;
  Verdict verdict;
  const char* reason;
};

std::vector<RecordRow> record_rows() {
  return {
      {"all pass", record_of(100), Verdict::pass, ""},
      {"one fails", {.requested = 100, .cases = 3, .failed = true}, Verdict::fail, ""},
      {"one fails, one saw nothing",
       {.requested = 100,
        .cases = 3,
        .inconclusive = 1,
        .why_inconclusive = "dark",
        .failed = true},
       Verdict::fail,
       ""},
      {"it cannot be run",
       {.inapplicable = "needs capsules", .requested = 100},
       Verdict::not_applicable,
       "needs capsules"},
      {"one saw nothing",
       {.requested = 100, .cases = 99, .inconclusive = 1, .why_inconclusive = "dark"},
       Verdict::inconclusive,
       "dark"},
      {"some unclaimed, some not formable, some discarded",
       {.requested = 100,
        .cases = 6,
        .met = 6,
        .unclaimed = 40,
        .not_formable = 40,
        .discarded = 14},
       Verdict::pass,
       ""},
      {"fewer than one in ten of what is claimed can be formed",
       {.requested = 100, .cases = 5, .met = 5, .unclaimed = 40, .not_formable = 55},
       Verdict::inconclusive,
       "only 5 of 60 cases exercised the requirement, but one in 10 must"},
      {"one case of few that are claimed",
       {.requested = 100, .cases = 1, .met = 1, .unclaimed = 99},
       Verdict::pass,
       ""},
      {"all ran, and none exercised the requirement",
       {.requested = 100, .cases = 100},
       Verdict::inconclusive,
       "only 0 of 100 cases exercised the requirement, but one in 10 must"},
      {"the library declined nearly all",
       {.requested = 100, .cases = 3, .met = 3, .declined = 97, .why_declined = "refused"},
       Verdict::not_applicable,
       "3 of 100 cases exercised the requirement: refused"},
      {"the library declined many",
       {.requested = 100, .cases = 10, .met = 10, .declined = 90, .why_declined = "refused"},
       Verdict::pass,
       ""},
      {"limits of our own, and enough cases beside",
       {.requested = 100, .cases = 10, .met = 10, .not_judged = 90},
       Verdict::pass,
       ""},
      {"limits of our own, and too few cases beside",
       {.requested = 100,
        .cases = 9,
        .met = 9,
        .not_judged = 91,
        .limits = {{"cudaA is not modelled", 90}, {"cudaB is not modelled", 1}}},
       Verdict::not_judged,
       "cudaA is not modelled (90 cases), cudaB is not modelled (1 case)"},
      {"a failure beside limits of our own",
       {.requested = 100, .cases = 1, .met = 1, .not_judged = 50, .failed = true},
       Verdict::fail,
       ""},
      {"none is claimed",
       {.requested = 100, .unclaimed = 90, .not_formable = 10, .what_unclaimed = "complex numbers"},
       Verdict::not_applicable,
       "the library does not claim complex numbers"},
      {"none can be formed",
       {.requested = 100, .not_formable = 90, .discarded = 10},
       Verdict::not_applicable,
       "the library's interface cannot express any of the cases"},
      {"all discarded", {.requested = 100, .discarded = 100}, Verdict::inconclusive, "no case ran"},
      {"more discarded than requested",
       {.requested = 5, .discarded = 6},
       Verdict::inconclusive,
       "no case ran"},
      {"none requested", {}, Verdict::inconclusive, "no case ran"},
      {"some are lost",
       {.requested = 100, .cases = 50, .discarded = 10},
       Verdict::inconclusive,
       "only 60 of 100 cases have a result"},
      {"all are lost", record_of(0), Verdict::inconclusive, "only 0 of 100 cases have a result"},
  };
}

TEST(DecideRecord, FollowsItsFacts) {
  for (const auto& [facts, record, verdict, reason] : record_rows()) {
    const Decision decision = decide_record(record);
    EXPECT_EQ(to_text(decision.verdict), to_text(verdict)) << facts;
    EXPECT_EQ(decision.reason, reason) << facts;
  }
}

TEST(DecideRecord, AsksForTheShareThatTheCheckDeclares) {
  const UnitRecord record{.requested = 100, .cases = 100, .met = 5};
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record, 20).verdict, Verdict::pass);
  EXPECT_EQ(decide_record(record, 19).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record({.requested = 3, .cases = 3, .met = 1}, 1'000).verdict, Verdict::pass);
  EXPECT_EQ(decide_record({.requested = 3, .cases = 3}, 1'000).verdict, Verdict::inconclusive);
}

TEST(RanNoCase, IsToldApartFromCasesThatWereInconclusiveUnclaimedOrLost) {
  EXPECT_TRUE(ran_no_case({.requested = 5, .discarded = 5}));
  EXPECT_FALSE(ran_no_case({.requested = 5, .cases = 1, .discarded = 4}));
  EXPECT_FALSE(ran_no_case({.requested = 5, .inconclusive = 1, .discarded = 4}));
  EXPECT_FALSE(ran_no_case({.requested = 5, .unclaimed = 1, .discarded = 4}));
  EXPECT_FALSE(ran_no_case({.requested = 5, .discarded = 4}));
}

struct CheckRow {
  UnitEnd end;
  const char* problem;
  bool repeated;
  Verdict verdict;
  const char* reason;
};

constexpr std::string_view unrepeated =
    "the failure did not repeat in a new worker process with the same seed";

// Of a record that would be a pass, and of one that would be a failure: neither matters.
TEST(DecideCheck, GoesByHowTheUnitEnded) {
  const std::array rows{
      CheckRow{UnitEnd::missing, "", true, Verdict::not_run, "not run yet"},
      CheckRow{UnitEnd::missing, "ended by SIGSEGV while loading", true, Verdict::not_run,
               "ended by SIGSEGV while loading"},
      CheckRow{UnitEnd::damaged, "record: no JSON", true, Verdict::inconclusive,
               "the results of the worker process are damaged: record: no JSON"},
      CheckRow{UnitEnd::crashed, "", true, Verdict::crash, ""},
      CheckRow{UnitEnd::exhausted, "", true, Verdict::crash, ""},
      CheckRow{UnitEnd::hung, "", true, Verdict::timeout, ""},
      CheckRow{UnitEnd::crashed, "", false, Verdict::flaky, unrepeated.data()},
      CheckRow{UnitEnd::hung, "", false, Verdict::flaky, unrepeated.data()},
  };
  for (const UnitRecord& record : {record_of(100), UnitRecord{.failed = true}}) {
    for (const auto& [end, problem, repeated, verdict, reason] : rows) {
      const Decision decision =
          decide_check({.end = end, .record = record, .problem = problem, .repeated = repeated});
      EXPECT_EQ(to_text(decision.verdict), to_text(verdict)) << static_cast<int>(end) << problem;
      EXPECT_EQ(decision.reason, reason);
    }
  }
}

TEST(DecideCheck, HoldsItsOwnFaultAgainstNoLibrary) {
  const UnitRecord record;
  const std::string_view fault = "dlcert's own fault: conformance/abi/layout.cpp:77";
  const auto decided = [&](UnitEnd end, bool repeated) {
    return decide_check({.end = end, .record = record, .repeated = repeated, .own_fault = fault});
  };
  for (const bool repeated : {true, false}) {
    EXPECT_EQ(decided(UnitEnd::crashed, repeated).verdict, Verdict::inconclusive);
    EXPECT_EQ(decided(UnitEnd::crashed, repeated).reason, fault);
  }
  EXPECT_EQ(decided(UnitEnd::hung, true).verdict, Verdict::timeout);
}

TEST(DecideCheck, HoldsNoEndBehindALimitAgainstALibrary) {
  const UnitRecord record{.message = "ended by SIGABRT in case 3"};
  for (const UnitEnd end : {UnitEnd::crashed, UnitEnd::hung, UnitEnd::exhausted})
    for (const bool repeated : {true, false}) {
      const Decision decision = decide_check({.end = end,
                                              .record = record,
                                              .repeated = repeated,
                                              .limit = "cudaMemGetInfo is not modelled"});
      EXPECT_EQ(to_text(decision.verdict), to_text(Verdict::not_judged));
      EXPECT_EQ(decision.reason, "cudaMemGetInfo is not modelled (ended by SIGABRT in case 3)");
    }
}

TEST(DecideCheck, TakesARecordAtItsWord) {
  for (const auto& [facts, record, verdict, reason] : record_rows()) {
    const Decision decision = decide_check({.end = UnitEnd::recorded, .record = record});
    EXPECT_EQ(decision.verdict, verdict) << facts;
    EXPECT_EQ(decision.reason, reason) << facts;
  }
}

TEST(DecideCheck, AFailureThatDoesNotRepeatIsFlaky) {
  const UnitRecord failed{.requested = 100, .cases = 3, .failed = true};
  const Decision decision =
      decide_check({.end = UnitEnd::recorded, .record = failed, .repeated = false});
  EXPECT_EQ(decision.verdict, Verdict::flaky);
  EXPECT_EQ(decision.reason, unrepeated);
}

TEST(DecideRequirement, IsTheWorstOfItsChecksUnlessAWaiverChangesIt) {
  const auto decide = [](const std::vector<Verdict>& verdicts, Waiving waiving) {
    std::vector<Judged> checks;
    for (const Verdict verdict : verdicts)
      checks.push_back({verdict});
    return decide_requirement(true, checks, waiving);
  };
  const std::vector mixed{Verdict::pass, Verdict::crash, Verdict::flaky};
  EXPECT_EQ(decide(mixed, Waiving::none), Verdict::crash);
  EXPECT_EQ(decide(mixed, Waiving::failures_accepted), Verdict::waived);
  EXPECT_EQ(decide(mixed, Waiving::failure_expected), Verdict::crash);
  const std::vector passing{Verdict::pass, Verdict::not_applicable};
  EXPECT_EQ(decide(passing, Waiving::none), Verdict::pass);
  EXPECT_EQ(decide(passing, Waiving::failures_accepted), Verdict::pass);
  EXPECT_EQ(decide(passing, Waiving::failure_expected), Verdict::unexpected_pass);
  for (const Verdict untested : {Verdict::not_run, Verdict::not_applicable})
    for (const Waiving waiving :
         {Waiving::none, Waiving::failures_accepted, Waiving::failure_expected})
      EXPECT_EQ(decide({untested}, waiving), untested);
}

TEST(DecideRequirement, IsDecidedWithoutTheChecksThatAreNotJudgedWhereTheOthersMetItOftenEnough) {
  const Judged limited{Verdict::not_judged, 0, 100};
  const auto decide = [](const std::vector<Judged>& checks) {
    return decide_requirement(true, checks, Waiving::none);
  };
  EXPECT_EQ(decide({{Verdict::pass, 20, 100}, limited}), Verdict::pass);
  EXPECT_EQ(decide({{Verdict::pass, 19, 100}, limited}), Verdict::not_judged);
  EXPECT_EQ(decide({{Verdict::not_applicable, 20, 100}, limited}), Verdict::not_judged);
  EXPECT_EQ(decide({{Verdict::fail, 1, 100}, limited}), Verdict::fail);
  EXPECT_EQ(decide({limited}), Verdict::not_judged);
}

TEST(DecideRequirement, WithoutChecksIsNotRunOrDoesNotApply) {
  EXPECT_EQ(decide_requirement(true, {}, Waiving::none), Verdict::not_run);
  EXPECT_EQ(decide_requirement(false, {}, Waiving::none), Verdict::not_applicable);
}

}  // namespace
}  // namespace dlcert
