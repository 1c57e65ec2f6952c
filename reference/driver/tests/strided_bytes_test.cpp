// SPDX-License-Identifier: Apache-2.0

#include "simulated/strided_bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace dlcert::driver::simulated {
namespace {

using Axis = StridedBytes::Axis;

StridedBytes plain(std::uintptr_t begin, std::size_t run) {
  return {.begin = begin, .run = run};
}

StridedBytes strided(std::uintptr_t begin, std::size_t run, std::vector<Axis> axes) {
  return {.begin = begin, .run = run, .axes = std::move(axes)};
}

bool disjoint(const StridedBytes& a, const StridedBytes& b) {
  return !overlap(a, b) && !overlap(b, a);
}

TEST(StridedBytes, AreNormalisedToARangeWhenTheyHaveNoGaps) {
  const StridedBytes matrix = normalised(strided(64, 4, {{3, 40}, {10, 4}}));
  EXPECT_EQ(matrix.run, 120U);
  EXPECT_TRUE(matrix.axes.empty());
  const StridedBytes windows = normalised(strided(64, 8, {{5, 2}}));
  EXPECT_EQ(windows.run, 16U);
  EXPECT_TRUE(windows.axes.empty());
}

TEST(StridedBytes, AreNormalisedToOneAxisWhenAllGapsAreEqual) {
  const StridedBytes columns = normalised(strided(0, 4, {{3, 80}, {1, 7}, {10, 8}, {9, 0}}));
  ASSERT_EQ(columns.axes.size(), 1U);
  EXPECT_EQ(columns.axes[0].extent, 30U);
  EXPECT_EQ(columns.axes[0].stride, 8U);
}

TEST(StridedBytes, WithoutBytesHaveNothingInCommonAndLieInEverything) {
  for (const StridedBytes& none :
       {plain(10, 0), strided(10, 0, {{4, 8}}), strided(10, 4, {{0, 8}, {3, 100}})}) {
    EXPECT_TRUE(bounds(none).empty());
    EXPECT_TRUE(disjoint(none, plain(0, 100)));
    EXPECT_TRUE(contains(plain(0, 100), none));
    EXPECT_TRUE(contains(strided(0, 4, {{20, 10}}), none));
    EXPECT_FALSE(contains(none, plain(10, 1)));
  }
}

TEST(StridedBytes, RangesOverlapInTheirCommonBytes) {
  EXPECT_EQ(overlap(plain(10, 10), plain(15, 10)), (Range{15, 20}));
  EXPECT_EQ(overlap(plain(10, 10), plain(0, 100)), (Range{10, 20}));
  EXPECT_TRUE(disjoint(plain(10, 10), plain(20, 10)));
}

TEST(StridedBytes, ColumnsOfAMatrixAreDisjoint) {
  // A million rows of 16 floats.
  const auto column = [](std::size_t index, std::size_t width) {
    return strided(4096 + 4 * index, 4 * width, {{1'000'000, 64}});
  };
  EXPECT_TRUE(disjoint(column(3, 1), column(4, 1)));
  EXPECT_TRUE(disjoint(column(0, 8), column(8, 8)));
  EXPECT_EQ(overlap(column(0, 9), column(8, 8)), (Range{4096 + 32, 4096 + 999'999 * 64 + 36}));
}

TEST(StridedBytes, BlocksOfOneArrayAreDisjoint) {
  // Of shape (5000, 300, 16) in floats: the halves of the last and of the middle axis.
  const auto block = [](std::size_t row, std::size_t column) {
    return strided(4096 + row * 64 + column * 4, 32, {{5000, 300 * 64}, {150, 64}});
  };
  EXPECT_TRUE(disjoint(block(0, 0), block(0, 8)));
  EXPECT_TRUE(disjoint(block(0, 0), block(150, 0)));
  EXPECT_TRUE(disjoint(block(0, 8), block(150, 0)));
  EXPECT_TRUE(overlap(block(0, 0), block(149, 0)));
}

TEST(StridedBytes, ThatTakeTooLongToCompareCountAsDisjoint) {
  // No modulus tells these apart, and their first common byte is too far away.
  const StridedBytes a = strided(0, 1, {{40'000'000, 3'000'017}});
  const StridedBytes b = strided(1, 1, {{40'000'000, 3'000'029}});
  EXPECT_TRUE(disjoint(a, b));
}

TEST(StridedBytes, ContainTheirParts) {
  const StridedBytes view = strided(4096, 32, {{5000, 300 * 64}, {150, 64}});
  EXPECT_TRUE(contains(view, view));
  EXPECT_TRUE(contains(view, strided(4096 + 64, 16, {{2500, 2 * 300 * 64}, {70, 2 * 64}})));
  EXPECT_TRUE(contains(view, plain(4096 + 300 * 64, 32)));
  EXPECT_FALSE(contains(view, plain(4096 + 300 * 64, 33)));
  EXPECT_FALSE(contains(view, strided(4096, 32, {{151, 64}})));
  EXPECT_TRUE(contains(plain(4096, 5000 * 300 * 64), view));
  EXPECT_FALSE(contains(view, plain(4096, 5000 * 300 * 64)));
}

// ---- against sets of single bytes ----

constexpr std::size_t memory_size = 512;

using ByteSet = std::bitset<memory_size>;

ByteSet bytes_of(const StridedBytes& bytes) {
  ByteSet set;
  std::vector<std::size_t> offsets{bytes.begin};
  for (const Axis& axis : bytes.axes) {
    std::vector<std::size_t> more;
    for (const std::size_t offset : offsets) {
      for (std::size_t i = 0; i < axis.extent; ++i) {
        more.push_back(offset + i * axis.stride);
      }
    }
    offsets = std::move(more);
  }
  for (const std::size_t offset : offsets) {
    for (std::size_t i = 0; i < bytes.run; ++i) {
      set[offset + i] = true;
    }
  }
  return set;
}

Range bounds_of(const ByteSet& set) {
  Range range;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!set[i]) continue;
    if (range.empty()) range.begin = i;
    range.end = i + 1;
  }
  return range;
}

class RandomBytes {
 public:
  explicit RandomBytes(std::uint64_t seed) : random_{seed} {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  // Views of one array with common strides, or axes that have nothing to do with each other.
  StridedBytes draw() {
    const std::size_t size = 1 + below(6);
    StridedBytes bytes = plain(below(60), size);
    const bool in_array = below(2) == 0;
    for (const std::size_t unit : {1U, 8U, 40U}) {
      if (below(3) == 0) continue;
      const std::size_t extent = 1 + below(5);
      bytes.axes.push_back({extent, in_array ? unit * (1 + below(2)) : 1 + below(30)});
    }
    std::ranges::shuffle(bytes.axes, random_);
    return bytes;
  }

  // A few rows of some bytes: mostly a part of them.
  StridedBytes part(StridedBytes bytes) {
    for (Axis& axis : bytes.axes) {
      const std::size_t step = 1 + below(2);
      const std::size_t first = below(axis.extent);
      bytes.begin += first * axis.stride;
      axis = {1 + (axis.extent - 1 - first) / step, axis.stride * step};
    }
    bytes.run = 1 + below(bytes.run);
    return bytes;
  }

 private:
  std::mt19937_64 random_;
};

TEST(StridedBytes, AreTheSameBytesWhenNormalised) {
  RandomBytes random{11};
  for (int i = 0; i < 5000; ++i) {
    const StridedBytes bytes = random.draw();
    const StridedBytes normal = normalised(bytes);
    ASSERT_EQ(bytes_of(normal), bytes_of(bytes)) << "set " << i;
    ASSERT_EQ(bounds(bytes), bounds_of(bytes_of(bytes))) << "set " << i;
    std::size_t below = normal.run;
    for (const Axis& axis : normal.axes) {
      ASSERT_GT(axis.stride, below) << "set " << i;
      below = axis.stride;
    }
  }
}

TEST(StridedBytes, OverlapExactlyWhereBytesAreCommon) {
  RandomBytes random{12};
  int apart = 0;
  for (int i = 0; i < 20000; ++i) {
    const StridedBytes a = random.draw();
    const StridedBytes b = random.draw();
    const ByteSet common = bytes_of(a) & bytes_of(b);
    const Range expected = bounds_of(common);
    const bool within_reach = !common_range(bounds(a), bounds(b)).empty();
    if (expected.empty() && within_reach) ++apart;
    const auto found = overlap(a, b);
    ASSERT_EQ(found.value_or(Range{}), expected) << "pair " << i;
    ASSERT_EQ(overlap(b, a), found) << "pair " << i;
    ASSERT_EQ(overlap(normalised(a), b), found) << "pair " << i;
  }
  EXPECT_GT(apart, 1000) << "the draw rarely interleaves";
}

TEST(StridedBytes, ContainOnlyWhatIsTheirs) {
  RandomBytes random{13};
  int contained = 0;
  int known = 0;
  for (int i = 0; i < 20000; ++i) {
    const StridedBytes outer = random.draw();
    const StridedBytes inner = random.below(2) == 0 ? random.draw() : random.part(outer);
    const bool expected = (bytes_of(inner) & ~bytes_of(outer)).none();
    const bool found = contains(outer, inner);
    ASSERT_TRUE(expected || !found) << "pair " << i;
    contained += expected ? 1 : 0;
    known += found ? 1 : 0;
    ASSERT_TRUE(contains(outer, outer)) << "pair " << i;
  }
  EXPECT_GT(known, contained * 9 / 10) << known << " of " << contained;
}

}  // namespace
}  // namespace dlcert::driver::simulated
