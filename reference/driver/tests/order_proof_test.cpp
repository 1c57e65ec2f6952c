// SPDX-License-Identifier: Apache-2.0
//
// The simulated driver's order against the interpreter of CUDA's documents, program by program:
// every short one, and a share of the longer ones. order_exhaustive runs all of those.

#include <gtest/gtest.h>

#include "order_enumeration.hpp"
#include "order_sampling.hpp"

namespace dlcert::driver::order {
namespace {

constexpr StreamRole blocking = StreamRole::blocking, non_blocking = StreamRole::non_blocking;

void agree_on(const Setting& family, const Enumeration& options) {
  Comparison comparison{family};
  enumerate(family, options, comparison);
  EXPECT_GT(comparison.with_race(), comparison.programs() / 10);
  EXPECT_LT(comparison.with_race(), comparison.programs() - comparison.programs() / 10);
  for (const std::string& text : comparison.disagreements())
    ADD_FAILURE() << text;
}

Setting two_streams(StreamRole first, StreamRole second, CellKind kind = CellKind::managed) {
  return {.streams = {{StreamRole::legacy}, {first}, {second}},
          .cells = {kind, kind},
          .event_devices = {0, 0}};
}

// ---- by exhaustion ------------------------------------------------------------------------------

class OrderProof : public testing::TestWithParam<std::pair<StreamRole, StreamRole>> {
 protected:
  Setting family(CellKind kind = CellKind::managed) const {
    return two_streams(GetParam().first, GetParam().second, kind);
  }
};

TEST_P(OrderProof, EveryProgramOfUpToFourCallsAgrees) {
  agree_on(family(), {.length = 4});
}

TEST_P(OrderProof, ProgramsOfFiveAndSixCallsAgreeWhereTheyAreSampled) {
  agree_on(family(), {.length = 6, .whole = 4, .sampled = 60});
}

TEST_P(OrderProof, EveryProgramOfUpToThreeCallsAgreesWithMoreCalls) {
  for (const CellKind kind : {CellKind::managed, CellKind::pinned, CellKind::device})
    agree_on(family(kind), {.length = 3, .more_calls = true});
}

INSTANTIATE_TEST_SUITE_P(EachPairOfStreams, OrderProof,
                         testing::Values(std::pair{blocking, blocking},
                                         std::pair{blocking, non_blocking},
                                         std::pair{non_blocking, non_blocking}),
                         [](const auto& each) {
                           return each.param.first == non_blocking    ? "non_blocking"
                                  : each.param.second == non_blocking ? "mixed"
                                                                      : "blocking";
                         });

// ---- by sampling ------------------------------------------------------------------------------

class OrderProofSampled : public testing::TestWithParam<SampledFamily> {};

TEST_P(OrderProofSampled, ProgramsOfEightToTwelveCallsAgree) {
  Comparison comparison{GetParam().setting, 1};
  sample(GetParam().setting, 1, GetParam().setting.threads > 1 ? 2000 : 20000, comparison);
  if (comparison.programs() == 0) return;
  EXPECT_GT(comparison.with_race(), comparison.programs() / 10);
  EXPECT_LT(comparison.with_race(), comparison.programs() - comparison.programs() / 10);
  for (const std::string& text : comparison.disagreements())
    ADD_FAILURE() << text;
}

INSTANTIATE_TEST_SUITE_P(Each, OrderProofSampled, testing::ValuesIn(sampled_families()),
                         [](const auto& each) { return std::string(each.param.name); });

// ---- what the enumeration leaves out ------------------------------------------------------------

// Whether there is a race, on which both must agree.
bool races(const Setting& setting, std::vector<Call> program) {
  Comparison comparison{setting};
  const bool raced = comparison.races(program);
  for (const std::string& text : comparison.disagreements())
    ADD_FAILURE() << text;
  return raced;
}

TEST(OrderProofBeyond, AnEventThatWasNeverRecordedOrdersNothing) {
  for (const Verb verb : {Verb::wait, Verb::synchronize_event, Verb::query_event})
    EXPECT_TRUE(races(two_streams(non_blocking, blocking), {{.verb = Verb::fill, .stream = 1},
                                                            {.verb = verb, .stream = 2},
                                                            {.verb = Verb::fill, .stream = 2}}));
}

TEST(OrderProofBeyond, TheLastCallCountsOnlyIfItTouchesMemory) {
  for (const Verb verb : {Verb::wait, Verb::record, Verb::synchronize_stream, Verb::query_stream})
    EXPECT_FALSE(races(two_streams(non_blocking, blocking),
                       {{.verb = Verb::fill, .stream = 1}, {.verb = verb, .stream = 2}}));
}

TEST(OrderProofBeyond, NothingThatFollowsTakesARaceBack) {
  std::vector<Call> program{{.verb = Verb::fill, .stream = 1}, {.verb = Verb::fill, .stream = 2}};
  for (const Verb verb : {Verb::synchronize_device, Verb::host_read, Verb::fill}) {
    program.push_back({.verb = verb, .stream = 2});
    EXPECT_TRUE(races(two_streams(non_blocking, non_blocking), program));
  }
}

}  // namespace
}  // namespace dlcert::driver::order
