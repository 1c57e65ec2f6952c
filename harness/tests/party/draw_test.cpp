// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <vector>

#include <dlcert/suite/draw.hpp>

namespace dlcert {
namespace {

Choices ten_choices(std::uint64_t seed) {
  Draw draw{seed, 10};
  for (int i = 0; i < 10; ++i)
    draw.below(1'000'000);
  return draw.choices();
}

TEST(Draw, RepeatsFromItsSeed) {
  EXPECT_EQ(ten_choices(1), ten_choices(1));
  EXPECT_NE(ten_choices(1), ten_choices(2));
}

TEST(Draw, IsUniform) {
  Draw draw{7, 10};
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i)
    ++counts.at(draw.below(6));
  for (const int count : counts)
    EXPECT_NEAR(count, 10'000, 500);
}

TEST(Draw, ReachesBothEndsOfARange) {
  Draw draw{7, 10};
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i)
    seen.insert(draw.between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
}

TEST(Draw, CoversTheWholeOfInt64) {
  Draw draw{7, 10};
  EXPECT_EQ(draw.between(INT64_MIN, INT64_MIN), INT64_MIN);
  EXPECT_EQ(draw.below(1), 0u);
}

TEST(Draw, ReplaysAndAnswersZeroBeyond) {
  Draw draw = Draw::replay({5, 9}, 10);
  EXPECT_EQ(draw.below(10), 5u);
  EXPECT_EQ(draw.below(4), 1u) << "9 is reduced into [0, 4)";
  EXPECT_EQ(draw.below(10), 0u);
  EXPECT_EQ(draw.choices(), (Choices{5, 1, 0}));
}

TEST(Draw, BytesAreZeroWhenTheirChoiceIs) {
  std::array<std::byte, 9> bytes;
  bytes.fill(std::byte{1});
  Draw::replay({0}, 10).bytes(bytes);
  for (const std::byte byte : bytes)
    EXPECT_EQ(byte, std::byte{0});
}

TEST(Draw, BytesRepeatFromTheirChoice) {
  std::array<std::byte, 13> first{}, second{};
  Draw drawn{3, 10};
  drawn.bytes(first);
  ASSERT_EQ(drawn.choices().size(), 1u);
  Draw::replay(drawn.choices(), 10).bytes(second);
  EXPECT_EQ(first, second);
}

TEST(Draw, LogsEveryChoice) {
  const auto log = std::make_unique<ChoiceLog>();
  Draw draw{3, 10};
  draw.log_to(*log);
  draw.below(100);
  draw.below(100);
  EXPECT_EQ(Choices(log->values, log->values + log->count), draw.choices());
}

TEST(ChoiceLog, KeepsTheFirstWhenItIsFull) {
  const auto log = std::make_unique<ChoiceLog>();
  for (std::size_t i = 0; i < ChoiceLog::capacity + 5; ++i)
    log->append(i);
  EXPECT_EQ(log->count, ChoiceLog::capacity);
  EXPECT_EQ(log->values[ChoiceLog::capacity - 1], ChoiceLog::capacity - 1);
}

TEST(MixSeed, DecorrelatesNeighbours) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i < 1000; ++i)
    seeds.insert(mix_seed(42, i));
  EXPECT_EQ(seeds.size(), 1000u);
  EXPECT_NE(mix_seed(42, "abi.a"), mix_seed(42, "abi.b"));
  EXPECT_NE(mix_seed(1, "abi.a"), mix_seed(2, "abi.a"));
}

TEST(Draw, BytesOfAShorterRunAreTheFirstOfALongerOne) {
  std::array<std::byte, 29> longer{};
  Draw::replay({5}, 10).bytes(longer);
  for (std::size_t size = 0; size < longer.size(); ++size) {
    std::vector<std::byte> shorter(size);
    Draw::replay({5}, 10).bytes(shorter);
    EXPECT_TRUE(std::ranges::equal(shorter, std::span{longer}.first(size))) << size;
  }
}

}  // namespace
}  // namespace dlcert
