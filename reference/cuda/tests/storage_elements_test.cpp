// SPDX-License-Identifier: Apache-2.0
//
// Source of the values: IEEE 754-2008, binary16 and roundTiesToEven.

#include "storage_elements.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace dlcert::cuda {
namespace {

std::uint16_t half_bits(double value) {
  return convert_element<Half>(value).bits;
}

TEST(StorageElements, EachHalfThatIsANumberSurvivesAFloat) {
  for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = to_float(half);
    if (std::isnan(value)) continue;
    EXPECT_EQ(convert_element<Half>(value).bits, bits) << value;
  }
}

TEST(StorageElements, HalvesHaveTheirValues) {
  constexpr std::array<std::pair<double, std::uint16_t>, 8> known{{{1.0, 0x3C00},
                                                                   {-2.0, 0xC000},
                                                                   {0.333251953125, 0x3555},
                                                                   {65504.0, 0x7BFF},
                                                                   {0x1p-14, 0x0400},
                                                                   {0x1p-24, 0x0001},
                                                                   {0.0, 0x0000},
                                                                   {-0.0, 0x8000}}};
  for (const auto& [value, bits] : known) {
    EXPECT_EQ(half_bits(value), bits) << value;
    EXPECT_EQ(to_float(Half{bits}), static_cast<float>(value));
  }
}

TEST(StorageElements, HalvesAreRoundedToTheNearestAndToTheEvenOne) {
  EXPECT_EQ(half_bits(1.0 + 0x1p-11), 0x3C00);
  EXPECT_EQ(half_bits(1.0 + 0x3p-11), 0x3C02);
  EXPECT_EQ(half_bits(1.0 + 0x1p-11 + 0x1p-20), 0x3C01);
  EXPECT_EQ(half_bits(0x1p-25), 0x0000);
  EXPECT_EQ(half_bits(0x1.8p-25), 0x0001);
  EXPECT_EQ(half_bits(0x3p-25), 0x0002);
  EXPECT_EQ(half_bits(65519.0), 0x7BFF);
  EXPECT_EQ(half_bits(65520.0), 0x7C00);
  EXPECT_EQ(half_bits(1e30), 0x7C00);
  EXPECT_TRUE(std::isnan(to_float(Half{half_bits(std::nan(""))})));
}

TEST(StorageElements, BFloat16IsTheUpperHalfOfAFloatRounded) {
  EXPECT_EQ(convert_element<BFloat16>(1.0F).bits, 0x3F80);
  EXPECT_EQ(convert_element<BFloat16>(std::bit_cast<float>(0x3F808000U)).bits, 0x3F80);
  EXPECT_EQ(convert_element<BFloat16>(std::bit_cast<float>(0x3F818000U)).bits, 0x3F82);
  EXPECT_EQ(convert_element<BFloat16>(std::bit_cast<float>(0x3F808001U)).bits, 0x3F81);
  EXPECT_TRUE(std::isnan(to_float(convert_element<BFloat16>(std::nanf("")))));
}

TEST(StorageElements, AComplexNumberBecomesRealByItsRealPart) {
  const std::complex<float> value{2.5F, 7.0F};
  EXPECT_EQ(convert_element<std::int32_t>(value), 2);
  EXPECT_EQ(convert_element<double>(value), 2.5);
  EXPECT_EQ(convert_element<std::complex<double>>(value), (std::complex<double>{2.5, 7.0}));
  EXPECT_EQ(convert_element<std::complex<float>>(Half{0x3C00}), (std::complex<float>{1.0F, 0.0F}));
  EXPECT_TRUE(convert_element<bool>(std::complex<float>{0.0F, 1.0F}));
}

TEST(StorageElements, WhatAnIntegerCannotHoldBecomesItsNearestValue) {
  EXPECT_EQ(convert_element<std::uint8_t>(-1.0), 0);
  EXPECT_EQ(convert_element<std::int8_t>(1e9F), 127);
  EXPECT_EQ(convert_element<std::int64_t>(-std::numeric_limits<double>::infinity()),
            std::numeric_limits<std::int64_t>::min());
}

}  // namespace
}  // namespace dlcert::cuda
