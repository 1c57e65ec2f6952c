// SPDX-License-Identifier: Apache-2.0
//
// A mistake is an adapter's only where it explains all that was read.
#include "worker/misreadings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dlcert {
namespace {

constexpr dlcert_dtype int16{0, 16, 1};
constexpr dlcert_dtype int32{0, 32, 1};
constexpr dlcert_dtype float32{2, 32, 1};
constexpr dlcert_dtype boolean{6, 8, 1};
constexpr dlcert_dtype complex64{5, 64, 1};

Reading right(dlcert_dtype dtype, std::vector<std::int64_t> shape) {
  const TensorSpec spec = compact_spec(dtype, std::move(shape));
  return {spec, tried_values(spec), tried_values(spec), 0};
}

Reading swapped(dlcert_dtype dtype, std::vector<std::int64_t> shape) {
  Reading reading = right(dtype, std::move(shape));
  const auto item = static_cast<std::ptrdiff_t>(logical_item_size(dtype));
  for (auto at = reading.found.begin(); at != reading.found.end(); at += item)
    std::reverse(at, at + item);
  return reading;
}

Reading transposed(dlcert_dtype dtype) {
  Reading reading = right(dtype, {2, 3});
  const std::size_t item = logical_item_size(dtype);
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 3; ++column)
      std::copy_n(&reading.logical[(column * 2 + row) * item], item,
                  &reading.found[(row * 3 + column) * item]);
  return reading;
}

TEST(Misreadings, RightReadingsShowNone) {
  const std::vector<Reading> readings{right(int16, {2, 3}), right(int32, {3}), right(boolean, {3}),
                                      right(float32, {}), right(float32, {0, 3})};
  EXPECT_EQ(misreading(readings, "create and read"), "");
  EXPECT_EQ(broken_read(readings), "");
}

TEST(Misreadings, OneThatExplainsAllIsTold) {
  EXPECT_NE(misreading({{transposed(int16), transposed(int32), transposed(float32)}}, "x")
                .find("column-major"),
            std::string::npos);
  EXPECT_NE(misreading({{swapped(int16, {3}), swapped(int32, {3}), swapped(float32, {})}}, "x")
                .find("swaps"),
            std::string::npos);
}

TEST(Misreadings, OneThatDoesNotExplainAllIsTheLibrarys) {
  // One right tensor of another dtype, where the mistake would have shown.
  EXPECT_EQ(misreading({{swapped(int32, {3}), swapped(int32, {}), swapped(int32, {2, 3}),
                         right(int16, {3})}},
                       "x"),
            "");
  EXPECT_EQ(misreading({{transposed(int16), transposed(int32), transposed(float32),
                         right(float32, {2, 3})}},
                       "x"),
            "");
}

TEST(Misreadings, OneDtypeIsNotEveryDtype) {
  EXPECT_EQ(misreading({{swapped(int32, {3}), swapped(int32, {}), swapped(int32, {2, 3})}}, "x"),
            "");
}

TEST(Misreadings, FewTensorsAreNoPattern) {
  EXPECT_EQ(misreading({{transposed(int16), transposed(int32)}}, "x"), "");
}

TEST(Misreadings, ATriedValueIsNeverWhatABufferIsFilledWith) {
  for (const dlcert_dtype dtype : {int16, int32, float32, boolean, complex64})
    for (const bool second : {false, true}) {
      const Bytes values = tried_values(compact_spec(dtype, {2, 3, 2}), second);
      EXPECT_EQ(std::ranges::count(values, unread), 0);
      EXPECT_EQ(values.size(), 12 * logical_item_size(dtype));
    }
}

TEST(Misreadings, ABufferLeftAloneInEveryTensorBreaksRead) {
  std::vector<Reading> readings{right(int16, {2, 3}), right(int32, {3}), right(boolean, {3})};
  readings[0].found.back() = unread;
  readings[1].found.back() = unread;
  EXPECT_EQ(broken_read(readings), "") << "one tensor was read";
  readings[2].found.back() = unread;
  EXPECT_NE(broken_read(readings).find("leaves bytes of the buffer"), std::string::npos);
}

TEST(Misreadings, AnOverrunOfOneTensorIsNotOfItsDtype) {
  std::vector<Reading> readings{right(boolean, {3}), right(boolean, {2, 3}), right(int16, {3})};
  readings[0].overrun = 9;
  EXPECT_EQ(broken_read(readings), "");
  readings[1].overrun = 18;
  EXPECT_NE(broken_read(readings).find("9 bytes past the end"), std::string::npos);
}

TEST(Misreadings, ADescriptionMustBeWrongEveryTime) {
  std::vector<Described> described;
  for (const dlcert_dtype dtype : {int16, int32, float32}) {
    const TensorSpec spec = compact_spec(dtype, {2, 3});
    Description description;
    description.dtype = dtype;
    description.shape = spec.shape;
    description.strides = spec.strides;
    for (std::int64_t& stride : *description.strides)
      stride *= static_cast<std::int64_t>(logical_item_size(dtype));
    described.push_back({spec, description});
  }
  EXPECT_NE(misdescription(described).find("strides are described in bytes"), std::string::npos);
  described[1].description.strides = described[1].spec.strides;
  EXPECT_EQ(misdescription(described), "");
  for (Described& one : described)
    one.description.device = {2, 1};
  EXPECT_EQ(misdescription(described), "") << "where a tensor lies is the library's";
}

}  // namespace
}  // namespace dlcert
