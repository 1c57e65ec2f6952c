// SPDX-License-Identifier: Apache-2.0
#include "worker/unit.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include <dlcert/driver/simulated.hpp>
#include <dlcert/suite/evidence.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/trace.hpp>

#include "records/decide.hpp"
#include "records/share.hpp"
#include "unit_run.hpp"

namespace dlcert {
namespace {

using unit_run::no_settings;
using unit_run::own_side;
using unit_run::run;

TEST(Unit, PassesWhenEveryCasePasses) {
  const UnitRecord record = run([](Case& c) { c.observe("seen"); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass);
  EXPECT_EQ(record.cases, 100u);
  EXPECT_EQ(record.requested, 100u);
  EXPECT_EQ(record.observations.at("seen"), 100u);
  EXPECT_FALSE(record.counterexample);
}

TEST(Unit, RunsTheRowsOfItsShare) {
  static std::vector<std::size_t> rows;
  rows.clear();
  const Check check{
      .sentence = "it holds", .rows = 70, .body = [](Case& c) { rows.push_back(c.row); }};
  const Unit unit{.seed = 3, .cases = 25, .spread_over = 70};
  const UnitRecord record = run(check, unit);
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass);
  EXPECT_EQ(record.requested, 25u);
  ASSERT_EQ(rows.size(), 25u);
  for (std::uint64_t nth = 0; nth < 25; ++nth)
    EXPECT_EQ(rows[nth], case_at(unit, nth));
}

TEST(Unit, DoesNotJudgeCasesThatFailedBehindALimitOfTheSimulatedDriver) {
  const UnitRecord record = run([](Case& c) {
    const bool asks = c.draw.flip();
    if (asks) driver::simulated_driver().note_limit("cudaMemGetInfo is not modelled");
    expect_equal("memory is told", false, asks);
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
  EXPECT_GT(record.not_judged, 0u);
  EXPECT_EQ(record.cases + record.not_judged, 100u);
  EXPECT_EQ(record.limits.at("cudaMemGetInfo is not modelled"), record.not_judged);
}

TEST(Unit, IsNotJudgedWhereALimitOfTheSimulatedDriverLeavesTooFewCases) {
  const UnitRecord record = run([](Case&) {
    driver::simulated_driver().note_limit("cudaMemGetInfo is not modelled");
    fail("refused");
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_judged);
  EXPECT_EQ(decide_record(record).reason, "cudaMemGetInfo is not modelled (100 cases)");
  EXPECT_FALSE(record.counterexample);
}

TEST(Unit, FailsInACaseAfterTheOneThatMetALimit) {
  const UnitRecord record = run([](Case& c) {
    driver::simulated_driver().note_limit("cudaMemGetInfo is not modelled");
    static_cast<void>(driver::simulated_driver().take_limits());
    expect_equal("even", true, c.draw.below(2) == 0);
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
}

// A kernel of which nobody knows what it writes.
void launch_a_kernel() {
  static_cast<void>(driver::simulated_driver().launch("kernel", driver::Stream::null, {}));
}

TEST(Unit, DoesNotJudgeBytesWhereAKernelMayHaveWritten) {
  const UnitRecord record = run([](Case&) {
    launch_a_kernel();
    expect_equal("elements", Bytes(2), Bytes(2, std::byte{1}));
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_judged);
  EXPECT_EQ(decide_record(record).reason,
            "dlcert does not know the bytes that a kernel wrote (100 cases)");
}

TEST(Unit, JudgesAllElseWhereAKernelMayHaveWritten) {
  const auto verdict = [](void (*body)(Case&)) { return decide_record(run(body)).verdict; };
  EXPECT_EQ(verdict([](Case&) { expect_equal("elements", Bytes(1), Bytes(2)); }), Verdict::fail);
  EXPECT_EQ(verdict([](Case&) {
              launch_a_kernel();
              fail("not ordered");
            }),
            Verdict::fail);
  EXPECT_EQ(verdict([](Case&) {
              launch_a_kernel();
              expect_equal("elements", Bytes(2), Bytes(2));
            }),
            Verdict::pass);
}

TEST(Unit, CountsACaseAsMetUnlessTheBodyTellsWhatItTouched) {
  const auto touching = [](void (*body)(Case&)) {
    return run(Check{.sentence = "it holds", .says_touched = true, .body = body},
               Unit{.seed = 1, .cases = 100});
  };
  EXPECT_EQ(run([](Case&) {}).met, 100u);
  EXPECT_EQ(touching([](Case& c) { c.touched(); }).met, 100u);
  const UnitRecord idle = touching([](Case&) {});
  EXPECT_EQ(idle.cases, 100u);
  EXPECT_EQ(decide_record(idle).reason,
            "only 0 of 100 cases exercised the requirement, but one in 10 must");
  const UnitRecord declined = touching([](Case& c) { c.declined("refused"); });
  EXPECT_EQ(declined.declined, 100u);
  EXPECT_EQ(declined.observations.at("refused"), 100u);
  EXPECT_EQ(decide_record(declined).verdict, Verdict::not_applicable);
  EXPECT_EQ(touching([](Case&) { throw Declined{"copied"}; }).why_declined, "copied");
  EXPECT_EQ(touching([](Case& c) {
              c.declined("refused");
              c.touched();
            }).met,
            100u);
}

TEST(Unit, HoldsWordsOfAntecedentsInACheckThatDoesNotAnnounceThemForADefect) {
  const UnitRecord record = run([](Case& c) { c.touched(); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(record.why_inconclusive,
            "a defect of the check: it marks cases as met but does not set says_touched");
}

TEST(Unit, CountsTheEvidenceOfCasesThatPassed) {
  const UnitRecord record = run([](Case& c) {
    note_shown(c.role(), Shown::made);
    note_shown(Role::runtime, Shown::handed_over);
    note_found(c.role(), Bytes{std::byte{7}});
  });
  EXPECT_EQ(record.evidence.made, 100u);
  EXPECT_EQ(record.evidence.handed_over, 0u) << "of another role";
  EXPECT_EQ(record.evidence.found, 100u);
  const UnitRecord nothing = run([](Case& c) {
    note_found(c.role(), Bytes{});
    note_found(c.role(), Bytes(4));
    note_found(c.role(), Bytes(4, unwritten));
  });
  EXPECT_EQ(nothing.evidence.found, 0u) << "these bytes are there without anybody's doing";
}

// Made by the tested party and handed to it, by the counterpart and not, and of a trial.
void note_devices(Case& c) {
  const bool met = c.draw.flip();
  note_made_on(c.subject(), kDLCUDA);
  if (met) note_handed_on(kDLCPU);
  note_made_on(Party{c.subject().table(), "same"}, kDLCUDA);
  dlcert_adapter other = c.subject().table();
  note_made_on(Party{other, "other"}, kDLVulkan);
  note_handed_on(99);
  const TraceAside trial;
  note_handed_on(kDLMetal);
  if (met)
    c.touched();
  else
    c.declined("refused");
}

TEST(Unit, CountsTheDevicesOfCasesThatMetTheRule) {
  const Check check{
      .sentence = "it holds", .role = Role::producer, .says_touched = true, .body = note_devices};
  const UnitRecord record = run(check, Unit{.seed = 1, .cases = 100});
  EXPECT_GT(record.declined, 0u);
  const std::map<std::string, std::uint64_t> expected{{"cpu", record.met}, {"cuda", record.met}};
  EXPECT_EQ(record.devices, expected);
}

TEST(Unit, CountsWhatTheCounterpartMadeOnceItWasImported) {
  const UnitRecord record = run([](Case& c) {
    dlcert_adapter other = c.subject().table();
    note_made_on(Party{other, "other"}, kDLVulkan);
    if (c.draw.flip()) note_shown(Role::consumer, Shown::handed_over);
  });
  EXPECT_EQ(record.devices.at("vulkan"), record.evidence.handed_over);
}

TEST(Unit, ShrinksTheFirstFailure) {
  const UnitRecord record = run([](Case& c) {
    const std::uint64_t value = c.draw.below(1000);
    c.draw.below(1000);
    expect_equal("below 20", true, value < 20);
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_LT(record.cases, 10u);
  EXPECT_EQ(record.message, "below 20: expected true but found false");
  EXPECT_EQ(record.expected, "true");
  EXPECT_EQ(record.found, "false");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{20}));
  EXPECT_GT(record.counterexample->steps, 0);
}

TEST(Unit, DescribesTheSmallestCase) {
  const Check check{.sentence = "it holds",
                    .role = Role::producer,
                    .needs = static_cast<Needs>(Can::create),
                    .body = [](Case& c) {
                      const TensorSpec spec = compact_spec({0, 8, 1}, {c.draw.between(0, 9)});
                      const Bytes logical(static_cast<std::size_t>(spec.element_count()));
                      const Tensor made = require(c.producer.create(spec, logical), "create");
                      expect(spec.shape[0] < 3, "it has {} elements", spec.shape[0]);
                    }};
  const UnitRecord record = run(check, Unit{.seed = 1, .cases = 100});
  EXPECT_EQ(record.message, "it has 3 elements");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->trace,
            (std::vector<std::string>{
                "t1 = dlcert.create(int8 shape=[3] strides=[1] offset=0, 3 bytes 000000)",
                "dlcert.release(t1)"}));
  // That the call must succeed, and what the assertion looked at, are steps too.
  ASSERT_EQ(record.counterexample->program.size(), 4u);
  const ProgramStep create = step_from_line(record.counterexample->program[0]);
  EXPECT_EQ(create.kind, ProgramStep::Kind::call);
  EXPECT_EQ(create.name, "t1");
}

TEST(Unit, SealsTheFailureBeforeItShrinksAndDescribes) {
  const Check check{.sentence = "it holds",
                    .body = [](Case& c) { expect(c.draw.below(100) < 1, "no"); }};
  const Binding binding{own_side(), own_side(), check.role, no_settings, {}, {}, {}, {}};
  Position position{};
  std::vector<UnitRecord> preliminary;
  const Unit unit{.seed = 1, .cases = 10};
  run_unit(check, binding, unit,
           {.position = position,
            .preliminary = [&](const UnitRecord& record) { preliminary.push_back(record); }});
  ASSERT_EQ(preliminary.size(), 2u);
  EXPECT_TRUE(preliminary[0].failed);
  EXPECT_EQ(preliminary[0].counterexample->steps, 0);
  EXPECT_EQ(preliminary[1].counterexample->choices, (Choices{1}));
  EXPECT_TRUE(preliminary[1].counterexample->trace.empty());
}

TEST(Unit, LeavesTheFirstFailureAsItWasWhereNobodyAsksWhy) {
  const Check check{.sentence = "it holds",
                    .body = [](Case& c) { expect(c.draw.below(100) < 1, "no"); }};
  const Binding binding{own_side(), own_side(), check.role, no_settings, {}, {}, {}, {}};
  Position position{};
  const UnitRecord record = run_unit(check, binding, Unit{.seed = 1, .cases = 10},
                                     {.position = position, .explain = false});
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_EQ(record.message, "no");
  EXPECT_EQ(record.counterexample->steps, 0);
  EXPECT_GT(record.counterexample->choices.at(0), 1u);
}

TEST(Unit, IsVacuousWhenEveryCaseIsDiscarded) {
  static int draws = 0;
  draws = 0;
  const UnitRecord record = run(
      [](Case&) {
        ++draws;
        throw Discard{};
      },
      5);
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record).reason, "no case ran");
  EXPECT_EQ(record.discarded, 5u);
  EXPECT_EQ(draws, 5 * 11) << "each case is drawn again ten times";
}

TEST(Unit, RedrawsADiscardedCase) {
  const UnitRecord record = run([](Case& c) {
    if (c.draw.flip()) throw Discard{};
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass);
  EXPECT_GE(record.cases, 99u);
  EXPECT_EQ(record.cases + record.discarded, 100u);
}

TEST(Unit, IsNotApplicableWhenNothingIsClaimed) {
  const UnitRecord record = run([](Case&) { throw NotClaimed{"complex numbers"}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(decide_record(record).reason, "the library does not claim complex numbers");
  EXPECT_EQ(record.unclaimed, 100u);
  EXPECT_EQ(record.no_tensor, 0u);
  EXPECT_EQ(record.cases, 0u);
}

TEST(Unit, CountsWhatCouldTakeAnyTensorApart) {
  const UnitRecord record = run([](Case&) { throw NoTensorClaimed{{"what was drawn"}}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(decide_record(record).reason, "the library does not claim what was drawn");
  EXPECT_EQ(record.unclaimed, 100u);
  EXPECT_EQ(record.no_tensor, 100u);
}

TEST(Unit, IsNotApplicableWhenNothingCanBeFormed) {
  const UnitRecord record = run([](Case&) { throw NotFormable{}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(record.not_formable, 100u);
}

TEST(Unit, IsNotApplicableWithoutItsNeeds) {
  static dlcert_adapter table = spy_library();
  table.capsule = nullptr;
  const Party poor{table};
  const Check check{
      .sentence = "it holds", .needs = static_cast<Needs>(Can::capsules), .body = [](Case&) {}};
  const Binding binding{poor, poor, check.role, no_settings, {}, {}, {}, {}};
  Position position{};
  const UnitRecord record = run_unit(check, binding, Unit{.cases = 5}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(decide_record(record).reason, "needs capsules");
}

TEST(Unit, IsInconclusiveWhenACaseCouldNotSee) {
  const UnitRecord record = run([](Case& c) {
    if (c.draw.below(10) == 0) throw Inconclusive{"the clock stood still"};
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record).reason, "the clock stood still");
}

TEST(Unit, IsInconclusiveWhenTheCheckIsWrong) {
  const UnitRecord record = run([](Case& c) { c.settings.policy("no such policy"); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record).reason,
            "a defect of the check: no policy is named 'no such policy'");
}

TEST(Unit, AFailureOutweighsAnInconclusiveCase) {
  const UnitRecord record = run([](Case& c) {
    if (c.draw.flip()) throw Inconclusive{"dark"};
    expect(c.draw.below(3) != 0, "broken");
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
}

TEST(Unit, AStrayExceptionFails) {
  const UnitRecord record = run([](Case&) { throw std::runtime_error{"boom"}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_EQ(record.message, "an exception ended the check: boom");
}

TEST(Unit, RunsEachRowOnce) {
  static std::vector<std::size_t> rows;
  rows.clear();
  const Check check{
      .sentence = "it holds", .rows = 4, .body = [](Case& c) { rows.push_back(c.row); }};
  const UnitRecord record = run(check, Unit{.seed = 1, .cases = 1000});
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass);
  EXPECT_EQ(record.requested, 4u);
  EXPECT_EQ(rows, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Unit, ReadsATableOnceBeforeItsFirstCase) {
  static int reads = 0;
  static int reads_before_a_case = 0;
  reads = reads_before_a_case = 0;
  Suite suite;
  suite.add(
      {.sentence = "it holds",
       .rows =
           [] {
             ++reads;
             return std::size_t{3};
           },
       .body = [](Case& c) { reads_before_a_case = c.row == 0 ? reads : reads_before_a_case; }});
  EXPECT_EQ(reads, 0) << "a suite reads no table";
  const UnitRecord record = run(suite.checks()[0], Unit{.seed = 1});
  EXPECT_EQ(record.requested, 3u);
  EXPECT_EQ(reads_before_a_case, 1);
  EXPECT_EQ(reads, 1);
}

TEST(Unit, AFailingRowKeepsItsNumber) {
  const Check check{.sentence = "it holds", .rows = 4, .body = [](Case& c) {
                      expect(c.row != 2, "row {}", c.row);
                    }};
  const UnitRecord record = run(check, Unit{.seed = 1});
  EXPECT_EQ(record.message, "row 2");
  EXPECT_EQ(record.counterexample->case_index, 2u);
}

TEST(Unit, OneCaseIsTheSameAloneAsAmongOthers) {
  static std::vector<std::uint64_t> drawn;
  const Check check{.sentence = "it holds",
                    .body = [](Case& c) { drawn.push_back(c.draw.below(1'000'000)); }};
  drawn.clear();
  run(check, Unit{.seed = 3, .cases = 50});
  const std::vector<std::uint64_t> all = std::exchange(drawn, {});
  const UnitRecord record = run(check, Unit{.seed = 3, .cases = 50, .only_case = 42});
  EXPECT_EQ(record.cases, 1u);
  EXPECT_EQ(record.requested, 1u);
  EXPECT_EQ(drawn, (std::vector<std::uint64_t>{all[42]}));
}

TEST(Unit, ReplaysGivenChoices) {
  const Check check{.sentence = "it holds",
                    .body = [](Case& c) { expect_equal("choice", 0u, c.draw.below(100)); }};
  const Unit unit{.seed = 3, .only_case = 7, .choices = Choices{55}};
  const UnitRecord record = run(check, unit);
  EXPECT_EQ(record.found, "55");
  EXPECT_EQ(record.counterexample->choices, (Choices{55}));
  EXPECT_EQ(record.counterexample->case_index, 7u);
}

TEST(Unit, DifferentSeedsDrawDifferentCases) {
  static std::uint64_t sum = 0;
  const Check check{.sentence = "it holds",
                    .body = [](Case& c) { sum += c.draw.below(1'000'000); }};
  const auto sum_of = [&](std::uint64_t seed) {
    sum = 0;
    run(check, Unit{.seed = seed, .cases = 20});
    return sum;
  };
  EXPECT_EQ(sum_of(1), sum_of(1));
  EXPECT_NE(sum_of(1), sum_of(2));
}

TEST(Unit, UnloadsAndReloadsTheSubject) {
  int unloads = 0, reloads = 0;
  const Check check{.sentence = "it holds", .rows = 2, .body = [](Case& c) { c.unload_subject(); }};
  const Binding binding{own_side(),  own_side(),         check.role,
                        no_settings, [&] { ++unloads; }, [&] { ++reloads; }};
  Position position{};
  const UnitRecord record = run_unit(check, binding, Unit{}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass);
  EXPECT_EQ(unloads, 2);
  EXPECT_EQ(reloads, 2);
}

TEST(Unit, IsNotJudgedWhereTheSubjectCannotBeLoadedAgain) {
  const Check check{.sentence = "it holds", .rows = 1, .body = [](Case& c) { c.unload_subject(); }};
  const Binding binding{
      own_side(),  own_side(), check.role,
      no_settings, [] {},      [] {
                          throw std::runtime_error{"a GPU runtime came in with it"}; }};
  Position position{};
  const UnitRecord record = run_unit(check, binding, Unit{}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_judged);
}

TEST(Unit, CannotUnloadTheHarnessItself) {
  EXPECT_EQ(decide_record(run([](Case& c) { c.unload_subject(); })).verdict,
            Verdict::not_applicable);
}

}  // namespace
}  // namespace dlcert
