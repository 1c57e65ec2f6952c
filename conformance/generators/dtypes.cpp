// SPDX-License-Identifier: Apache-2.0
#include "generators/dtypes.hpp"

#include <array>

namespace dlcert {

namespace {

constexpr std::size_t whole_byte_count = 25;

constexpr std::array<std::uint16_t, 5> lane_counts{2, 4, 3, 8, 16};

// Half of all cases use one of the types that every library has.
constexpr std::size_t common_count = 5;

std::span<const dlcert_dtype> among(Draw& draw, Dtypes kind) {
  const std::span scalars = scalar_dtypes();
  if (kind == Dtypes::float32_only) return scalars.first(1);
  if (!draw.flip()) return scalars.first(common_count);
  return kind == Dtypes::whole_byte ? scalars.first(whole_byte_count) : scalars;
}

}  // namespace

dlcert_dtype draw_dtype(Draw& draw, Dtypes kind) {
  dlcert_dtype dtype = draw.one_of(among(draw, kind));
  // Lanes of less than a byte are left out: where the next vector starts is nowhere said.
  if (kind == Dtypes::any && dtype.bits >= 8 && draw.rarely(16))
    dtype.lanes = draw.one_of(lane_counts);
  return dtype;
}

}  // namespace dlcert
