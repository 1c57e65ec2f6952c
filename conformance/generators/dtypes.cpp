// SPDX-License-Identifier: Apache-2.0
#include "generators/dtypes.hpp"

#include <array>

namespace dlcert {

namespace {

constexpr std::uint8_t code(DLDataTypeCode value) {
  return static_cast<std::uint8_t>(value);
}

// Whole-byte types come first.
constexpr std::array<dlcert_dtype, 42> all_scalars{{
    float32,
    {code(kDLFloat), 64, 1},
    {code(kDLInt), 64, 1},
    {code(kDLInt), 32, 1},
    {code(kDLUInt), 8, 1},
    {code(kDLBool), 8, 1},
    {code(kDLInt), 8, 1},
    {code(kDLInt), 16, 1},
    {code(kDLUInt), 16, 1},
    {code(kDLUInt), 32, 1},
    {code(kDLUInt), 64, 1},
    {code(kDLFloat), 16, 1},
    {code(kDLBfloat), 16, 1},
    {code(kDLComplex), 64, 1},
    {code(kDLComplex), 128, 1},
    {code(kDLComplex), 32, 1},
    {code(kDLFloat8_e4m3fn), 8, 1},
    {code(kDLFloat8_e5m2), 8, 1},
    {code(kDLFloat8_e3m4), 8, 1},
    {code(kDLFloat8_e4m3), 8, 1},
    {code(kDLFloat8_e4m3b11fnuz), 8, 1},
    {code(kDLFloat8_e4m3fnuz), 8, 1},
    {code(kDLFloat8_e5m2fnuz), 8, 1},
    {code(kDLFloat8_e8m0fnu), 8, 1},
    {code(kDLOpaqueHandle), 64, 1},
    {code(kDLFloat4_e2m1fn), 4, 1},
    {code(kDLFloat6_e2m3fn), 6, 1},
    {code(kDLFloat6_e3m2fn), 6, 1},
    {code(kDLInt), 4, 1},
    {code(kDLUInt), 4, 1},
    {code(kDLUInt), 1, 1},
    {code(kDLInt), 1, 1},
    {code(kDLInt), 2, 1},
    {code(kDLUInt), 2, 1},
    {code(kDLInt), 3, 1},
    {code(kDLUInt), 3, 1},
    {code(kDLInt), 5, 1},
    {code(kDLUInt), 5, 1},
    {code(kDLInt), 6, 1},
    {code(kDLUInt), 6, 1},
    {code(kDLInt), 7, 1},
    {code(kDLUInt), 7, 1},
}};
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

std::span<const dlcert_dtype> scalar_dtypes() {
  return all_scalars;
}

dlcert_dtype draw_dtype(Draw& draw, Dtypes kind) {
  dlcert_dtype dtype = draw.one_of(among(draw, kind));
  // Lanes of less than a byte are left out: where the next vector starts is nowhere said.
  if (kind == Dtypes::any && dtype.bits >= 8 && draw.rarely(16))
    dtype.lanes = draw.one_of(lane_counts);
  return dtype;
}

}  // namespace dlcert
