// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/dtype.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support.hpp"

namespace dlcert::reference {
namespace {

TEST(Dtype, AllowsTheBitsOfEachCodeAndNoOthers) {
  const std::set<int> integers{1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64};
  std::map<int, std::set<int>> legal{{kDLInt, integers},       {kDLUInt, integers},
                                     {kDLFloat, {16, 32, 64}}, {kDLOpaqueHandle, {64}},
                                     {kDLBfloat, {16}},        {kDLComplex, {32, 64, 128}},
                                     {kDLBool, {8}},           {kDLFloat6_e2m3fn, {6}},
                                     {kDLFloat6_e3m2fn, {6}},  {kDLFloat4_e2m1fn, {4}}};
  for (int code = kDLFloat8_e3m4; code <= kDLFloat8_e8m0fnu; ++code)
    legal[code] = {8};
  for (int code = 0; code < 256; ++code) {
    for (int bits = 0; bits < 256; ++bits) {
      const DLDataType type{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
      EXPECT_EQ(Dtype::is_legal(type), legal[code].contains(bits)) << to_string(type);
    }
  }
}

TEST(Dtype, RefusesWhatIsNotLegal) {
  for (const DLDataType type : {DLDataType{18, 32, 1}, DLDataType{kDLFloat, 24, 1},
                                DLDataType{kDLFloat, 32, 0}, DLDataType{kDLBool, 1, 1}}) {
    EXPECT_EQ(kind_of_error([&] { return Dtype::described(type); }), ErrorKind::buffer);
  }
  EXPECT_EQ(kind_of_error([] { return Dtype::byte_swapped(kDLFloat, 32); }), ErrorKind::value);
  EXPECT_EQ(kind_of_error([] { return Dtype::byte_swapped(kDLInt, 8); }), ErrorKind::value);
  EXPECT_EQ(kind_of_error([] { return Dtype::record(0); }), ErrorKind::value);
}

TEST(Dtype, NamesTheRefusedValue) {
  try {
    static_cast<void>(Dtype::described(kDLFloat, 24, 3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "expected a data type of DLPack 1.3 but found code 2 bits 24 lanes 3");
  }
}

TEST(Dtype, PacksElementsNarrowerThanAByteUnlessPadded) {
  const Dtype packed = Dtype::described(kDLFloat6_e2m3fn, 6);
  EXPECT_EQ(packed.stored_bits(), 6);
  EXPECT_EQ(packed.logical_bytes(), 1);
  const Dtype padded = Dtype::described(kDLFloat6_e2m3fn, 6, 1, Packing::padded);
  EXPECT_EQ(padded.stored_bits(), 8);
  EXPECT_TRUE(padded.is_padded());
  EXPECT_NE(packed, padded);
}

TEST(Dtype, CountsAllLanesOfAVector) {
  EXPECT_EQ(Dtype::described(kDLFloat, 32, 4).stored_bits(), 128);
  EXPECT_EQ(Dtype::described(kDLFloat4_e2m1fn, 4, 3).stored_bits(), 12);
  EXPECT_EQ(Dtype::described(kDLFloat4_e2m1fn, 4, 3, Packing::padded).stored_bits(), 16);
  EXPECT_EQ(Dtype::described(kDLComplex, 128, 65535).stored_bits(), 128 * 65535);
}

TEST(Dtype, HasNoPaddingFromAByteOn) {
  EXPECT_EQ(Dtype::described(kDLInt, 8, 1, Packing::padded), Dtype::described(kDLInt, 8));
}

TEST(Dtype, HoldsWhatDlpackCannotDescribe) {
  EXPECT_EQ(Dtype::record(32).logical_bytes(), 32);
  EXPECT_EQ(Dtype::extended_float().logical_bytes(), 10);
  EXPECT_EQ(Dtype::bfloat_complex().logical_bytes(), 4);
  EXPECT_EQ(Dtype::byte_swapped(kDLUInt, 64).logical_bytes(), 8);
  EXPECT_NE(Dtype::byte_swapped(kDLInt, 16), int16());
  std::set<std::string> names;
  for (const Dtype& dtype : {Dtype::record(32), Dtype::extended_float(), Dtype::bfloat_complex(),
                             Dtype::byte_swapped(kDLInt, 16), int16()}) {
    names.insert(to_string(dtype));
  }
  EXPECT_EQ(names.size(), 5U);
}

}  // namespace
}  // namespace dlcert::reference
