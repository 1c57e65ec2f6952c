// SPDX-License-Identifier: Apache-2.0
#include <dlpack/dlpack.h>

#include <array>

#include <dlcert/suite/spec.hpp>

namespace dlcert {

namespace {

constexpr std::uint8_t code(DLDataTypeCode value) {
  return static_cast<std::uint8_t>(value);
}

constexpr std::array<dlcert_dtype, 42> all_scalars{{
    {code(kDLFloat), 32, 1},
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

}  // namespace

std::span<const dlcert_dtype> scalar_dtypes() {
  return all_scalars;
}

}  // namespace dlcert
