// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are drawn: where their elements lie, what is claimed, what they hold.
#include "generators/specs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include <dlcert/adapter.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {
namespace {

constexpr int draws = 3000;

// Places of all elements, in units from the storage's start, in row-major order.
std::vector<std::int64_t> places(const TensorSpec& spec) {
  std::vector<std::int64_t> found;
  const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t axis,
                                                                   std::int64_t at) {
    if (axis == spec.shape.size()) {
      found.push_back(at);
      return;
    }
    for (std::int64_t i = 0; i < spec.shape[axis]; ++i)
      visit(axis + 1, at + i * spec.strides[axis]);
  };
  visit(0, spec.offset);
  return found;
}

template <typename Visit>
void each_spec(const SpecBounds& bounds, const Visit& visit) {
  const Party spy{spy_library(), "spy"};
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Draw draw{seed, static_cast<int>(seed % 101)};
    visit(draw_spec(draw, spy, bounds));
  }
}

TEST(Specs, LieInsideTheirStorage) {
  each_spec({.read_only = true}, [](const TensorSpec& spec) {
    for (const std::int64_t place : places(spec))
      ASSERT_TRUE(place >= 0 && place < spec.storage_size) << to_text(spec);
  });
}

TEST(Specs, OverlapOnlyWhereTheyMay) {
  bool overlapping = false;
  const auto overlaps = [](const TensorSpec& spec) {
    const std::vector<std::int64_t> all = places(spec);
    return std::set<std::int64_t>(all.begin(), all.end()).size() != all.size();
  };
  each_spec({}, [&](const TensorSpec& spec) { overlapping = overlapping || overlaps(spec); });
  EXPECT_TRUE(overlapping);
  each_spec({.layouts = Layouts::no_overlap},
            [&](const TensorSpec& spec) { ASSERT_FALSE(overlaps(spec)) << to_text(spec); });
}

TEST(Specs, AreCompactWhereTheyMust) {
  each_spec({.layouts = Layouts::compact}, [](const TensorSpec& spec) {
    ASSERT_EQ(spec.strides, row_major_strides(spec.shape));
    ASSERT_EQ(spec.offset, 0);
    ASSERT_EQ(spec.storage_size, spec.element_count());
  });
}

TEST(Specs, OfPackedElementsStartOnAByte) {
  each_spec({.padded = false}, [](const TensorSpec& spec) {
    ASSERT_EQ(spec.offset * spec.dtype.bits * spec.dtype.lanes % 8, 0) << to_text(spec);
  });
}

TEST(Specs, StayWithinTheirBounds) {
  const SpecBounds bounds{
      .dtypes = Dtypes::whole_byte,
      .shape = {.max_rank = 3, .min_rank = 1, .empty = false, .max_elements = 20}};
  each_spec(bounds, [](const TensorSpec& spec) {
    ASSERT_TRUE(!spec.shape.empty() && spec.shape.size() <= 3);
    ASSERT_TRUE(spec.element_count() >= 1 && spec.element_count() <= 20) << to_text(spec);
    ASSERT_EQ(spec.dtype.bits % 8, 0);
    ASSERT_EQ(spec.flags, 0u);
  });
}

TEST(Specs, CoverWhatLibrariesHave) {
  std::set<int> codes;
  std::set<std::size_t> ranks;
  bool empty = false, negative = false, zero = false, offset = false, padded = false, lanes = false,
       read_only = false;
  each_spec({.read_only = true}, [&](const TensorSpec& spec) {
    codes.insert(spec.dtype.code);
    ranks.insert(spec.shape.size());
    empty = empty || spec.element_count() == 0;
    for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
      negative = negative || (spec.strides[axis] < 0 && spec.shape[axis] > 1);
      zero = zero || (spec.strides[axis] == 0 && spec.shape[axis] > 1);
    }
    offset = offset || spec.offset != 0;
    padded = padded || spec.padded();
    lanes = lanes || spec.dtype.lanes > 1;
    read_only = read_only || spec.read_only();
  });
  EXPECT_EQ(codes.size(), 18u);
  EXPECT_GT(ranks.size(), 40u);
  EXPECT_EQ(*ranks.rbegin(), 64u);
  EXPECT_TRUE(empty && negative && zero && offset && padded && lanes && read_only);
}

TEST(Specs, ShrinkToACompactFloat) {
  const Party spy{spy_library(), "spy"};
  Draw simplest = Draw::replay({}, 100);
  const TensorSpec spec = draw_spec(simplest, spy, {.read_only = true});
  EXPECT_TRUE(spec.dtype == float32);
  EXPECT_TRUE(spec.shape.empty());
  EXPECT_EQ(spec.flags, 0u);
  EXPECT_EQ(spec.storage_size, 1);
}

// ---- claims -------------------------------------------------------------------------------------

struct Choosy {
  struct Tensor {};
  const char* name() { return "choosy"; }
  const char* version() { return "1"; }
  bool can(const dlcert_tensor_spec& spec) { return claims(spec); }

  bool (*claims)(const dlcert_tensor_spec&) = nullptr;
};

bool compact_int16(const dlcert_tensor_spec& spec) {
  return spec.dtype.code == kDLInt && spec.dtype.bits == 16 && adapter::compact(spec) &&
         spec.flags == 0;
}

bool compact_float32(const dlcert_tensor_spec& spec) {
  return spec.dtype.code == kDLFloat && spec.dtype.bits == 32 && spec.dtype.lanes == 1 &&
         adapter::compact(spec) && spec.flags == 0;
}

TEST(Specs, AreClaimed) {
  Choosy library{.claims = compact_float32};
  const dlcert_adapter table = adapter::table(library);
  const Party party{table, "choosy"};
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Draw draw{seed, 50};
    ASSERT_TRUE(party.can(draw_spec(draw, party, {.read_only = true})));
  }
}

TEST(Specs, OfARareTypeAreFound) {
  Choosy library{.claims = compact_int16};
  const dlcert_adapter table = adapter::table(library);
  const Party party{table, "choosy"};
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Draw draw{seed, 50};
    ASSERT_TRUE(party.can(draw_spec(draw, party)));
  }
}

TEST(Specs, AreNotClaimedByALibraryThatClaimsNothing) {
  Choosy library{.claims = [](const dlcert_tensor_spec&) { return false; }};
  const dlcert_adapter table = adapter::table(library);
  const Party party{table, "choosy"};
  Draw draw{1, 50};
  EXPECT_THROW(draw_spec(draw, party), NoTensorClaimed);
  EXPECT_THROW(require_claimed(party, compact_spec(float32, {})), NoTensorClaimed);
}

// Claims compact float32 tensors, and counts how often it is asked about the one of two elements.
int times_asked = 0;
bool withdraws = false;
bool compact_float32_counted(const dlcert_tensor_spec& spec) {
  const bool is_compact_float32 = compact_float32(spec);
  if (is_compact_float32 && spec.ndim == 1 && spec.shape[0] == 2) ++times_asked;
  return is_compact_float32 && !withdraws;
}

TEST(Specs, AskAboutAnElementTypeAgainOnlyWhenNothingElseIsClaimed) {
  times_asked = 0;
  withdraws = false;
  Choosy library{.claims = compact_float32_counted};
  const dlcert_adapter table = adapter::table(library);
  const Party party{table, "choosy"};
  const SpecBounds several{.dtypes = Dtypes::float32_only, .shape = {.min_rank = 2}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Draw draw{seed, 50};
    draw_spec(draw, party, several);
  }
  EXPECT_EQ(times_asked, 1);

  withdraws = true;
  Draw draw{1, 50};
  EXPECT_THROW(draw_spec(draw, party, several), NoTensorClaimed);
  EXPECT_EQ(times_asked, 2);
}

// ---- libraries of few shapes --------------------------------------------------------------------

bool gray_image(const dlcert_tensor_spec& spec) {
  return spec.dtype.code == kDLUInt && spec.dtype.bits == 8 && spec.flags == 0 && spec.ndim == 2 &&
         spec.shape[0] > 0 && spec.shape[1] > 0 && spec.strides[1] == 1 && spec.offset == 0 &&
         spec.strides[0] >= spec.shape[1];
}

ClaimedTensors of_gray_images() {
  ClaimedTensors tensors;
  tensors.dtypes = {{kDLUInt, 8, 1}};
  tensors.shape = {2, 2};
  tensors.extents = {{1, 2, 3, 4, 64}, {1, 2, 3, 4, 64}};
  tensors.layouts = static_cast<std::uint32_t>(ClaimedLayout::padded_rows);
  return tensors;
}

TEST(Specs, OfALibraryOfFewShapesAreThose) {
  Choosy library{.claims = gray_image};
  const dlcert_adapter table = adapter::table(library);
  Party party{table, "choosy"};
  Draw unknown{1, 50};
  EXPECT_THROW(draw_spec(unknown, party), NoTensorClaimed) << "nobody has asked it";
  party.set_claimed_tensors({of_gray_images()});
  std::set<std::vector<std::int64_t>> shapes;
  std::size_t padded = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed, static_cast<int>(seed % 101)};
    const TensorSpec spec = draw_spec(draw, party);
    ASSERT_TRUE(gray_image(spec.c())) << to_text(spec);
    shapes.insert(spec.shape);
    if (!spec.contiguous()) ++padded;
  }
  EXPECT_EQ(shapes.size(), 25u) << "each extent with each other";
  EXPECT_GT(padded, 30u);
  EXPECT_EQ(draw_simple_spec(unknown, party).shape.size(), 2u);
  EXPECT_THROW(draw_spec(unknown, party, {.shape = {.min_rank = 3}}), NoTensorClaimed);
}

bool image_of_64_rows(const dlcert_tensor_spec& spec) {
  return gray_image(spec) && spec.shape[0] == 64 && adapter::compact(spec);
}

// It does not claim all combinations of its extents, and its tensors exceed a simple one.
TEST(Specs, OfALibraryOfFewShapesAreClaimedWhereItsExtentsDepend) {
  Choosy library{.claims = image_of_64_rows};
  const dlcert_adapter table = adapter::table(library);
  Party party{table, "choosy"};
  ClaimedTensors tensors = of_gray_images();
  tensors.shape = {64, 64};
  party.set_claimed_tensors({tensors});
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draw draw{seed, static_cast<int>(seed % 101)};
    ASSERT_EQ(draw_simple_spec(draw, party).shape[0], 64);
    ASSERT_EQ(draw_spec_of(draw, party, {kDLUInt, 8, 1}, {}).shape[0], 64);
  }
}

TEST(Specs, ThatAreTheSubjectOfACheckAreNotLikeAnyOther) {
  Choosy library{.claims = [](const dlcert_tensor_spec&) { return false; }};
  const dlcert_adapter table = adapter::table(library);
  const Party party{table, "choosy"};
  const auto is_subject = [&](const TensorSpec& spec) {
    try {
      require_claimed(party, spec);
    } catch (const NoTensorClaimed&) {
      return false;
    } catch (const NotClaimed&) {
      return true;
    }
    return false;
  };
  TensorSpec spec = compact_spec(float32, {3});
  EXPECT_FALSE(is_subject(spec));
  EXPECT_TRUE(is_subject(compact_spec({kDLInt, 4, 1}, {8})));
  spec.flags = DLCERT_SPEC_READ_ONLY;
  EXPECT_TRUE(is_subject(spec));
  spec.flags = 0;
  spec.device = {kDLCUDA, 0};
  EXPECT_TRUE(is_subject(spec));
}

// ---- contents -----------------------------------------------------------------------------------

TEST(Contents, AgreeWhereElementsShareMemory) {
  std::uint64_t seed = 0;
  each_spec({}, [&](const TensorSpec& spec) {
    Draw draw{++seed, 50};
    const Bytes logical = draw_logical(draw, spec);
    ASSERT_EQ(gather(spec, scatter(spec, logical).data()), logical) << to_text(spec);
    const Bytes other = different_logical(spec, logical);
    ASSERT_EQ(gather(spec, scatter(spec, other).data()), other) << to_text(spec);
  });
}

TEST(Contents, OfBooleansAreZeroOrOne) {
  Draw draw{7, 50};
  for (const std::byte byte : draw_logical(draw, compact_spec({kDLBool, 8, 1}, {200})))
    ASSERT_TRUE(byte == std::byte{0} || byte == std::byte{1});
}

TEST(Contents, DifferInEveryElement) {
  const TensorSpec spec = compact_spec({kDLInt, 16, 1}, {50});
  Draw draw{7, 50};
  const Bytes logical = draw_logical(draw, spec);
  const Bytes other = different_logical(spec, logical);
  for (std::size_t element = 0; element < logical.size(); element += 2)
    EXPECT_FALSE(std::equal(&logical[element], &logical[element] + 2, &other[element]));
}

}  // namespace
}  // namespace dlcert
