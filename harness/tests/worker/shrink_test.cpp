// SPDX-License-Identifier: Apache-2.0
#include "worker/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

namespace dlcert {
namespace {

constexpr ShrinkBudget plenty{.candidates = 100'000, .seconds = 10};

TEST(Shrink, FindsTheSmallestChoice) {
  const Fails fails = [](const Choices& choices) {
    return std::ranges::any_of(choices, [](std::uint64_t choice) { return choice >= 17; });
  };
  const Shrunk shrunk = shrink({3, 900, 12, 5000, 7}, fails, plenty);
  EXPECT_EQ(shrunk.choices, (Choices{17}));
  EXPECT_GT(shrunk.steps, 0);
  EXPECT_GE(shrunk.candidates, shrunk.steps);
}

TEST(Shrink, KeepsWhatMustStayTogether) {
  const Fails fails = [](const Choices& choices) {
    return std::accumulate(choices.begin(), choices.end(), std::uint64_t{0}) >= 10 &&
           choices.size() >= 2;
  };
  const Shrunk shrunk = shrink({8, 8, 8, 8}, fails, plenty);
  EXPECT_EQ(shrunk.choices.size(), 2u);
  EXPECT_EQ(shrunk.choices[0] + shrunk.choices[1], 10u);
}

TEST(Shrink, ReturnsTheStartWhenNothingSmallerFails) {
  const Choices start{5, 6};
  const Shrunk shrunk = shrink(
      start, [&](const Choices& c) { return c == start; }, plenty);
  EXPECT_EQ(shrunk.choices, start);
  EXPECT_EQ(shrunk.steps, 0);
}

TEST(Shrink, StopsAtItsBudgetOfCandidates) {
  int calls = 0;
  const Fails fails = [&](const Choices&) {
    ++calls;
    return false;
  };
  const Shrunk shrunk = shrink(Choices(100, 1000), fails, {.candidates = 20, .seconds = 10});
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(shrunk.candidates, 20);
}

TEST(Shrink, StopsAtItsBudgetOfTime) {
  const Fails fails = [](const Choices&) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return false;
  };
  const auto start = std::chrono::steady_clock::now();
  shrink(Choices(1000, 1000), fails, {.candidates = 100'000, .seconds = 0.05});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{5});
}

}  // namespace
}  // namespace dlcert
