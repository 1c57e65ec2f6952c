// SPDX-License-Identifier: Apache-2.0
#include "records/verdict.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace dlcert {
namespace {

TEST(VerdictText, IsReadBack) {
  for (std::size_t i = 0; i < verdict_count; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(verdict_from_text(to_text(verdict)), verdict) << to_text(verdict);
  }
  EXPECT_THROW(verdict_from_text("PASS"), std::runtime_error);
  EXPECT_THROW(verdict_from_text(""), std::runtime_error);
}

TEST(Worst, FollowsTheOrderOfHarm) {
  const auto worst_of = [](std::initializer_list<Verdict> verdicts) {
    return worst(std::vector<Verdict>{verdicts});
  };
  EXPECT_EQ(worst_of({Verdict::pass, Verdict::not_applicable}), Verdict::pass);
  EXPECT_EQ(worst_of({Verdict::pass, Verdict::not_run}), Verdict::not_run);
  EXPECT_EQ(worst_of({Verdict::flaky, Verdict::not_run, Verdict::pass}), Verdict::flaky);
  EXPECT_EQ(worst_of({Verdict::flaky, Verdict::inconclusive}), Verdict::inconclusive);
  EXPECT_EQ(worst_of({Verdict::inconclusive, Verdict::fail}), Verdict::fail);
  EXPECT_EQ(worst_of({Verdict::fail, Verdict::timeout}), Verdict::timeout);
  EXPECT_EQ(worst_of({Verdict::timeout, Verdict::crash}), Verdict::crash);
  EXPECT_EQ(worst_of({Verdict::not_applicable}), Verdict::not_applicable);
  EXPECT_EQ(worst_of({}), Verdict::not_run);
}

}  // namespace
}  // namespace dlcert
