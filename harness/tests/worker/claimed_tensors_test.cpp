// SPDX-License-Identifier: Apache-2.0
//
// What is found of the claims of libraries that have tensors of all shapes, of a few, or of one.
#include "worker/claimed_tensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include <dlcert/adapter.hpp>
#include <dlcert/suite/spy.hpp>

#include "worker/claimed_specs.hpp"

namespace dlcert::claims {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::array host{dlcert_device{kDLCPU, 0}};
constexpr dlcert_dtype uint8{kDLUInt, 8, 1};
constexpr dlcert_dtype float32{kDLFloat, 32, 1};

struct Claiming {
  const char* name() { return "claiming"; }
  const char* version() { return "1"; }
  std::uint32_t properties() { return 0; }
  bool can(const dlcert_tensor_spec& spec) { return claims(spec); }

  std::function<bool(const dlcert_tensor_spec&)> claims;
};

std::vector<ClaimedTensors> found(std::function<bool(const dlcert_tensor_spec&)> claims) {
  Claiming library{.claims = std::move(claims)};
  const dlcert_adapter table = adapter::table(library);
  return find_claimed_tensors(Party{table, "claiming"}, host, [] {});
}

bool is(dlcert_dtype wanted, const dlcert_tensor_spec& spec) {
  return spec.dtype.code == wanted.code && spec.dtype.bits == wanted.bits && spec.dtype.lanes == 1;
}

bool is_writable(const dlcert_tensor_spec& spec) {
  return (spec.flags & DLCERT_SPEC_READ_ONLY) == 0;
}

bool has(const ClaimedTensors& tensors, ClaimedLayout layout) {
  return (tensors.layouts & static_cast<std::uint32_t>(layout)) != 0;
}

TEST(ClaimedTensors, OfALibraryOfAllShapesAreOfEachRank) {
  const Party spy{spy_library(), "spy"};
  const std::vector<ClaimedTensors> all = find_claimed_tensors(spy, host, [] {});
  for (std::size_t rank = 0; rank <= 8; ++rank) {
    const auto one = std::ranges::find_if(all, [&](const ClaimedTensors& tensors) {
      return tensors.shape.size() == rank && tensors.flags == 0;
    });
    ASSERT_NE(one, all.end()) << rank;
    EXPECT_GT(one->dtypes.size(), 20u) << rank;
    for (const Extents& extents : one->extents)
      EXPECT_TRUE(std::ranges::includes(extents, Extents{0, 1, 2, 3, 4, 5, 6, 7, 8})) << rank;
    for (const ClaimedLayout layout : {ClaimedLayout::permuted, ClaimedLayout::padded_rows})
      EXPECT_EQ(has(*one, layout), rank > 1) << rank;
    for (const ClaimedLayout layout : {ClaimedLayout::stepped, ClaimedLayout::offset,
                                       ClaimedLayout::reversed, ClaimedLayout::broadcast})
      EXPECT_EQ(has(*one, layout), rank > 0) << rank;
  }
}

TEST(ClaimedTensors, OfSeveralMemoriesAreTogetherWhereTheyAreTheSame) {
  constexpr std::array memories{dlcert_device{kDLCPU, 0}, dlcert_device{kDLCUDA, 0},
                                dlcert_device{kDLCUDA, 1}};
  Claiming library{.claims = [](const dlcert_tensor_spec& spec) {
    return is(float32, spec) && (spec.device.type == kDLCPU || spec.ndim == 1);
  }};
  const dlcert_adapter table = adapter::table(library);
  for (const ClaimedTensors& one :
       find_claimed_tensors(Party{table, "claiming"}, memories, [] {})) {
    EXPECT_TRUE(one.are_on({kDLCPU, 0}));
    EXPECT_EQ(one.are_on({kDLCUDA, 1}), one.shape.size() == 1);
    EXPECT_EQ(one.devices.size(), one.shape.size() == 1 ? 3u : 1u);
  }
}

TEST(ClaimedTensors, OfImagesAreOfOneRankAndType) {
  const auto all = found([](const dlcert_tensor_spec& spec) {
    return is(uint8, spec) && spec.ndim == 2 && is_writable(spec) && spec.offset == 0 &&
           spec.shape[0] > 0 && spec.shape[1] > 0 && spec.strides[1] == 1 &&
           spec.strides[0] >= spec.shape[1];
  });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].shape.size(), 2u);
  ASSERT_EQ(all[0].dtypes.size(), 1u);
  EXPECT_TRUE(is(uint8, compact_spec(all[0].dtypes[0], {}).c()));
  EXPECT_EQ(all[0].extents[0], (Extents{1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}));
  EXPECT_EQ(all[0].layouts, static_cast<std::uint32_t>(ClaimedLayout::padded_rows));
}

TEST(ClaimedTensors, OfOneShapeHaveOneExtentOnEachAxis) {
  for (const Extents& shape : {Extents{3, 3}, Extents{7, 2}, Extents{1, 3, 224, 224}}) {
    const auto all = found([&](const dlcert_tensor_spec& spec) {
      return is(float32, spec) && std::cmp_equal(spec.ndim, shape.size()) &&
             std::ranges::equal(std::span{spec.shape, shape.size()}, shape);
    });
    ASSERT_FALSE(all.empty()) << testing::PrintToString(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      EXPECT_EQ(all[0].extents[axis], Extents{shape[axis]}) << testing::PrintToString(shape);
  }
}

TEST(ClaimedTensors, HaveTheNumbersOfChannelsThatAreClaimed) {
  const auto all = found([](const dlcert_tensor_spec& spec) {
    return is(uint8, spec) && spec.ndim == 3 && (spec.shape[2] == 1 || spec.shape[2] == 3);
  });
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].extents[2], (Extents{1, 3}));
}

TEST(ClaimedTensors, HaveTheLeastAndTheLargestExtent) {
  const auto all = found([](const dlcert_tensor_spec& spec) {
    return is(float32, spec) && spec.ndim == 1 && spec.shape[0] >= 11 && spec.shape[0] <= 50;
  });
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].extents[0], (Extents{11, 16, 32, 50}));
}

TEST(ClaimedTensors, OfTypesThatNobodyElseHasAreFound) {
  const dlcert_dtype float4{kDLFloat4_e2m1fn, 4, 1};
  const auto padded = found([&](const dlcert_tensor_spec& spec) {
    return is(float4, spec) && spec.ndim == 2 && !is_writable(spec) &&
           (spec.flags & DLCERT_SPEC_SUBBYTE_PADDED) != 0;
  });
  ASSERT_EQ(padded.size(), 1u);
  EXPECT_EQ(padded[0].flags, DLCERT_SPEC_READ_ONLY | DLCERT_SPEC_SUBBYTE_PADDED);
  const auto packed =
      found([&](const dlcert_tensor_spec& spec) { return is(float4, spec) && spec.ndim == 2; });
  ASSERT_FALSE(packed.empty());
  EXPECT_EQ(packed[0].dtypes.size(), 1u);
}

TEST(ClaimedTensors, AreApartWhereTheTypesHaveOtherShapes) {
  const auto all = found([](const dlcert_tensor_spec& spec) {
    return is_writable(spec) && spec.ndim == 2 &&
           (is(uint8, spec) ? spec.shape[0] == 4 : is(float32, spec) && spec.shape[0] == 3);
  });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].shape[0], all[1].shape[0]);
}

TEST(ClaimedTensors, AreNoneOfALibraryThatClaimsNone) {
  EXPECT_TRUE(found([](const dlcert_tensor_spec&) { return false; }).empty());
}

// ---- what the preflight makes of it -------------------------------------------------------------

TEST(ClaimedKinds, OfImagesAreNamedAndOneIsTried) {
  Claiming library{.claims = [](const dlcert_tensor_spec& spec) {
    return is(uint8, spec) && spec.ndim == 3 && spec.shape[2] == 3 && spec.device.type == kDLCPU;
  }};
  const dlcert_adapter table = adapter::table(library);
  Party party{table, "claiming"};
  EXPECT_TRUE(claimed_kinds(party, Platform::any).empty()) << "nobody has asked it";
  const std::size_t usual = specs_of("compact", host[0], party).size();
  party.set_claimed_tensors(find_claimed_tensors(party, host, [] {}));
  const std::vector<std::string> kinds = claimed_kinds(party, Platform::any);
  for (const char* const kind : {"cpu-any", "cpu-permuted", "cpu-read-only", "uint8"})
    EXPECT_EQ(std::ranges::count(kinds, kind), 1) << kind;
  const std::vector<TensorSpec> tried = specs_of("compact", host[0], party);
  ASSERT_EQ(tried.size(), usual + 1);
  EXPECT_EQ(tried.back().shape, (Extents{3, 3, 3}));
}

}  // namespace
}  // namespace dlcert::claims
