// SPDX-License-Identifier: Apache-2.0
#include "spy/elements.hpp"

#include <gtest/gtest.h>

#include <dlcert/suite/dlpack.hpp>
#include <dlcert/suite/draw.hpp>
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

bool bit_of(const Bytes& from, std::int64_t bit) {
  return (std::to_integer<unsigned>(from[static_cast<std::size_t>(bit / 8)]) >> (bit % 8) & 1u) !=
         0;
}

// By arithmetic on the indices, bit by bit.
Bytes found_one_by_one(const TensorSpec& spec, const Bytes& storage) {
  const std::size_t item = logical_item_size(spec.dtype);
  const ElementLayout layout = ElementLayout::of(spec);
  Bytes logical(static_cast<std::size_t>(spec.element_count()) * item);
  for (std::int64_t element = 0; element < spec.element_count(); ++element) {
    std::int64_t unit = spec.offset;
    std::int64_t rest = element;
    for (std::size_t axis = spec.shape.size(); axis-- > 0; rest /= spec.shape[axis])
      unit += rest % spec.shape[axis] * spec.strides[axis];
    for (std::int64_t bit = 0; bit < std::int64_t{spec.dtype.bits} * spec.dtype.lanes; ++bit)
      if (bit_of(storage, unit * layout.stride_bits + bit))
        logical[static_cast<std::size_t>(element) * item + static_cast<std::size_t>(bit / 8)] |=
            std::byte{1} << (bit % 8);
  }
  return logical;
}

TEST(Elements, OfEverySizeAreFoundInEveryLayout) {
  const dlcert_dtype dtypes[] = {uint4,
                                 float6,
                                 uint8,
                                 uint16,
                                 {kDLUInt, 4, 3},
                                 {kDLUInt, 8, 3},
                                 {kDLFloat, 32, 1},
                                 {kDLFloat, 64, 1},
                                 {kDLComplex, 128, 1}};
  const struct {
    std::vector<std::int64_t> shape, strides;
    std::int64_t offset;
  } layouts[] = {{{}, {}, 8},
                 {{3, 4}, {4, 1}, 0},
                 {{3, 4}, {4, 1}, 16},
                 {{3, 4}, {1, 3}, 8},
                 {{2, 3, 4}, {24, 4, 1}, 0},
                 {{2, 3, 4}, {12, 8, 2}, 8},
                 {{2, 1, 3}, {3, 1000, 1}, 0},
                 {{2, 3, 2}, {0, 2, 1}, 0},
                 {{3, 2}, {-2, -1}, 24},
                 {{2, 3}, {0, 0}, 8}};
  Bytes storage(1024);
  Draw{1, 1}.bytes(storage);
  for (const dlcert_dtype dtype : dtypes)
    for (const auto& [shape, strides, offset] : layouts) {
      const TensorSpec spec = view(dtype, shape, strides, offset, 64);
      const Bytes logical = found_one_by_one(spec, storage);
      EXPECT_EQ(gather(spec, storage.data()), logical) << to_text(spec);
      EXPECT_EQ(found_one_by_one(spec, scatter(spec, logical)), logical) << to_text(spec);
    }
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
