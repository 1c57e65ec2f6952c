// SPDX-License-Identifier: Apache-2.0

#include "storage_elements.hpp"

#include <bit>
#include <cmath>

namespace dlcert::cuda {
namespace {

constexpr std::uint32_t sign_bit = 0x8000;
constexpr std::uint32_t half_infinity = 0x7C00;
constexpr std::uint32_t half_nan = 0x7E00;
constexpr int half_fraction_bits = 10;
constexpr int least_half_exponent = -14;  // of a normal value

// `value` divided by 2^shift, to the nearest integer, to the even one of two.
std::uint32_t rounded_shift(std::uint32_t value, int shift) {
  const std::uint32_t rest = value & ((std::uint32_t{1} << shift) - 1);
  const std::uint32_t middle = std::uint32_t{1} << (shift - 1);
  const std::uint32_t whole = value >> shift;
  return whole + ((rest > middle || (rest == middle && (whole & 1) != 0)) ? 1 : 0);
}

}  // namespace

float to_float(Half value) {
  const int exponent = (value.bits >> half_fraction_bits) & 0x1F;
  const int fraction = value.bits & 0x3FF;
  const float sign = (value.bits & sign_bit) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1F)
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), least_half_exponent - 10);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

float to_float(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

void from_float(float value, Half& result) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & sign_bit;
  const auto set = [&](std::uint32_t magnitude) {
    result.bits = static_cast<std::uint16_t>(sign | magnitude);
  };
  if (std::isnan(value)) return set(half_nan);
  const int exponent = static_cast<int>((bits >> 23) & 0xFF) - 127;
  if (exponent > 15) return set(half_infinity);
  if (exponent < least_half_exponent - half_fraction_bits - 1) return set(0);
  const std::uint32_t significand = (bits & 0x7FFFFF) | 0x800000;
  if (exponent < least_half_exponent)
    return set(rounded_shift(significand, 13 + least_half_exponent - exponent));
  // A carry out of the fraction raises the exponent, up to infinity.
  const auto raised = static_cast<std::uint32_t>(exponent - least_half_exponent);
  set((raised << half_fraction_bits) + rounded_shift(significand, 13));
}

void from_float(float value, BFloat16& result) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t quiet = 0x0040;
  result.bits = static_cast<std::uint16_t>(std::isnan(value) ? (bits >> 16) | quiet
                                                             : rounded_shift(bits, 16));
}

}  // namespace dlcert::cuda
