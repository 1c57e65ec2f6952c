// SPDX-License-Identifier: Apache-2.0
#include "spy/elements.hpp"

#include <gtest/gtest.h>

#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values)
    out.push_back(static_cast<std::byte>(value));
  return out;
}

TensorSpec view(dlcert_dtype dtype, std::vector<std::int64_t> shape,
                std::vector<std::int64_t> strides, std::int64_t offset, std::int64_t storage_size) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = std::move(shape);
  spec.strides = std::move(strides);
  spec.offset = offset;
  spec.storage_size = storage_size;
  return spec;
}

constexpr dlcert_dtype uint8{kDLUInt, 8, 1};
constexpr dlcert_dtype uint16{kDLUInt, 16, 1};
constexpr dlcert_dtype uint4{kDLUInt, 4, 1};
constexpr dlcert_dtype float6{kDLFloat6_e2m3fn, 6, 1};

TEST(Elements, AreInRowMajorOrderOfTheirIndices) {
  const TensorSpec transposed = view(uint8, {2, 3}, {1, 2}, 0, 6);
  const Bytes storage = bytes({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(gather(transposed, storage.data()), bytes({0, 2, 4, 1, 3, 5}));
}

TEST(Elements, FollowStepsOffsetsAndReversedAxes) {
  const TensorSpec spec = view(uint8, {3}, {-2}, 5, 7);
  const Bytes storage = bytes({0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(gather(spec, storage.data()), bytes({5, 3, 1}));
}

TEST(Elements, OfABroadcastAxisAreTheSame) {
  const TensorSpec spec = view(uint16, {2, 2}, {0, 1}, 0, 2);
  const Bytes storage = bytes({1, 2, 3, 4});
  EXPECT_EQ(gather(spec, storage.data()), bytes({1, 2, 3, 4, 1, 2, 3, 4}));
}

TEST(Elements, OfRankZeroAreOneAndOfNoExtentNone) {
  const Bytes storage = bytes({7, 8});
  EXPECT_EQ(gather(view(uint8, {}, {}, 1, 2), storage.data()), bytes({8}));
  EXPECT_EQ(gather(view(uint8, {2, 0, 3}, {3, 3, 1}, 0, 0), storage.data()), Bytes{});
}

TEST(Elements, PackedFromTheLeastSignificantBitUp) {
  const TensorSpec spec = compact_spec(uint4, {3});
  EXPECT_EQ(scatter(spec, bytes({1, 2, 3})), bytes({0x21, 0xA3}));
  EXPECT_EQ(gather(spec, bytes({0x21, 0xF3}).data()), bytes({1, 2, 3}));
}

TEST(Elements, PackedMayStraddleBytes) {
  const TensorSpec spec = compact_spec(float6, {4});
  const Bytes logical = bytes({0x3F, 0x00, 0x2A, 0x15});
  const Bytes storage = scatter(spec, logical);
  ASSERT_EQ(storage.size(), 3u);
  EXPECT_EQ(storage, bytes({0x3F, 0xA0, 0x56}));
  EXPECT_EQ(gather(spec, storage.data()), logical);
}

TEST(Elements, PackedMayRunBackwards) {
  const TensorSpec spec = view(uint4, {4}, {-1}, 3, 4);
  const Bytes storage = bytes({0x21, 0x43});
  EXPECT_EQ(gather(spec, storage.data()), bytes({4, 3, 2, 1}));
  TensorSpec from_last = spec;
  from_last.offset = 0;
  from_last.shape = {1};
  EXPECT_EQ(gather(from_last, storage.data()), bytes({1}));
}

TEST(Elements, PaddedHaveBytesOfTheirOwnAndKeepOnlyTheirValue) {
  TensorSpec spec = compact_spec(uint4, {2});
  spec.flags = DLCERT_SPEC_SUBBYTE_PADDED;
  EXPECT_EQ(scatter(spec, bytes({1, 2})), bytes({1, 2}));
  EXPECT_EQ(gather(spec, bytes({0xF1, 0xF2}).data()), bytes({1, 2}));
}

TEST(Elements, WithByteStridesLieAnywhere) {
  TensorSpec spec = view(uint16, {2}, {5}, 1, 8);
  spec.flags = DLCERT_SPEC_BYTE_STRIDES;
  EXPECT_EQ(scatter(spec, bytes({1, 2, 3, 4})), bytes({0xA5, 1, 2, 0xA5, 0xA5, 0xA5, 3, 4}));
}

TEST(Elements, ScatteredComeBackByGather) {
  const TensorSpec spec = view(uint16, {2, 3}, {-1, 4}, 2, 12);
  Bytes logical;
  for (int i = 0; i < 12; ++i)
    logical.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(gather(spec, scatter(spec, logical).data()), logical);
}

}  // namespace
}  // namespace dlcert
