// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/layout.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support.hpp"

namespace dlcert::reference {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

Reach reach(const Dims& shape, const Dims& strides) {
  return reach_of(shape.span(), strides.span());
}

TEST(Reach, SpansFromTheLowestToTheHighestElement) {
  const Reach mixed = reach({3, 4}, {-10, 2});
  EXPECT_EQ(mixed.low, -20);
  EXPECT_EQ(mixed.high, 6);
  const Reach scalar = reach({}, {});
  EXPECT_EQ(scalar.low, 0);
  EXPECT_EQ(scalar.high, 0);
  EXPECT_FALSE(scalar.empty);
}

TEST(Reach, IgnoresTheStrideOfAnAxisWithoutNeighbours) {
  EXPECT_EQ(reach({1, 4}, {int64_max, 1}).high, 3);
  EXPECT_FALSE(reach({1, 4}, {int64_max, 1}).overflow);
}

TEST(Reach, NoticesWhatDoesNotFit) {
  EXPECT_TRUE(reach({3}, {int64_max}).overflow);
  EXPECT_TRUE(reach({2, 2}, {int64_max, 1}).overflow);
  EXPECT_TRUE(reach({2, 2}, {-int64_max, -2}).overflow);
  EXPECT_FALSE(reach({int64_max}, {0}).overflow);
}

TEST(Reach, NoticesEmptyAndNegative) {
  EXPECT_TRUE(reach({2, 0}, {int64_max, int64_max}).empty);
  EXPECT_TRUE(reach({2, -1}, {1, 1}).negative_extent);
  EXPECT_TRUE(reach({std::numeric_limits<std::int64_t>::min()}, {int64_max}).negative_extent);
}

TEST(Reach, IsTheSameByTheShortLoop) {
  constexpr std::int64_t modest = std::int64_t{1} << 31;
  const std::int64_t extents[] = {-1, 0, 1, 2, 3, modest - 1, modest, modest + 1, int64_max};
  for (const std::int64_t outer : extents) {
    for (const std::int64_t inner : extents) {
      const Dims shape{outer, inner, 2};
      for (const Dims& strides : {row_major_strides(shape.span()), Dims{1, outer, 1}, Dims{0, 0, 0},
                                  Dims{-4, 2, 1}, Dims{8, 2, 1}}) {
        const Reach any = reach_of_any(shape.span(), strides.span());
        const Reach found = reach(shape, strides);
        EXPECT_EQ(found.empty, any.empty);
        EXPECT_EQ(found.negative_extent, any.negative_extent);
        EXPECT_EQ(found.overflow, any.overflow);
        EXPECT_EQ(found.low, any.low);
        EXPECT_EQ(found.high, any.high);
      }
    }
  }
}

TEST(Reach, DoesNotTakeAProductThatDoesNotFitForRowMajor) {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t extent = std::int64_t{1} << 31;
  EXPECT_EQ(reach({2, extent, extent, 2}, {lowest, 2 * extent, 2, 1}).low, lowest);
}

TEST(Dims, AreCopiedAtEveryRank) {
  for (std::size_t rank = 0; rank <= max_rank; ++rank) {
    Dims dims = Dims::filled(rank, 0);
    for (std::size_t axis = 0; axis < rank; ++axis)
      dims[axis] = static_cast<std::int64_t>(axis) - 3;
    const Dims copy = dims;
    EXPECT_EQ(copy, dims);
    EXPECT_EQ(Dims(dims.span()), dims);
  }
}

TEST(RowMajorReach, IsTheElementCount) {
  EXPECT_EQ(row_major_reach(Dims{2, 3, 4}.span()).high, 23);
  EXPECT_EQ(row_major_reach({}).high, 0);
  EXPECT_TRUE(row_major_reach(Dims{int64_max, 2}.span()).overflow);
  EXPECT_TRUE(row_major_reach(Dims{int64_max, 2, 0}.span()).empty);
  EXPECT_TRUE(row_major_reach(Dims{-1}.span()).negative_extent);
}

TEST(RowMajorStrides, CountFromTheLastAxis) {
  EXPECT_EQ(row_major_strides(Dims{2, 3, 4}.span()), (Dims{12, 4, 1}));
  EXPECT_EQ(row_major_strides(Dims{3, 0, 4}.span()), (Dims{4, 4, 1}));
  EXPECT_EQ(row_major_strides({}), Dims{});
}

TEST(Bytes, AreRoundedDownOrUp) {
  EXPECT_EQ(floor_bytes(-1), -1);
  EXPECT_EQ(floor_bytes(15), 1);
  EXPECT_EQ(ceil_bytes(15), 2);
  EXPECT_EQ(ceil_bytes(16), 2);
  EXPECT_EQ(ceil_bytes(int64_max), int64_max / 8 + 1);
}

TEST(Dims, HoldAtMostTheHighestRank) {
  EXPECT_EQ(Dims::filled(64, 7).size(), 64U);
  EXPECT_EQ(kind_of_error([] { return Dims::filled(65, 7); }), ErrorKind::value);
  Dims full = Dims::filled(64, 7);
  EXPECT_EQ(kind_of_error([&] {
              full.insert(0, 1);
              return 0;
            }),
            ErrorKind::value);
}

TEST(Dims, InsertBeforeAnAxis) {
  Dims dims{1, 2};
  dims.insert(1, 9);
  dims.insert(3, 8);
  EXPECT_EQ(dims, (Dims{1, 9, 2, 8}));
}

}  // namespace
}  // namespace dlcert::reference
