// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/visible_devices.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "dlcert/cuda/errors.hpp"

#include "fakes.hpp"

namespace dlcert::cuda {
namespace {

std::string list_of(std::optional<std::string_view> value) {
  const VisibleDeviceRules rules{driver::Vendor::cuda};
  return to_text(devices_or_throw(rules.parse(value)));
}

std::string error_message(std::string_view value) {
  const ParseResult result = VisibleDeviceRules{driver::Vendor::cuda}.parse(value);
  const auto* error = std::get_if<ParseError>(&result);
  return error == nullptr ? "no error" : error->message;
}

TEST(VisibleDevices, KeepTheirOrder) {
  EXPECT_EQ(list_of("2,0,1"), "[2, 0, 1]");
}

TEST(VisibleDevices, AreTheFirst64WhereTheVariableIsUnset) {
  const VisibleDeviceRules rules{driver::Vendor::cuda};
  const VisibleDevices devices = devices_or_throw(rules.parse(std::nullopt));
  ASSERT_EQ(devices.size(), 64u);
  EXPECT_EQ(std::get<Ordinal>(devices.back()).value(), 63u);
}

TEST(VisibleDevices, EndAtTheFirstInvalidElement) {
  EXPECT_EQ(list_of("0,-1,1"), "[0]");
  EXPECT_EQ(list_of("0,,1"), "[0]");
  EXPECT_EQ(list_of("x,1"), "[]");
  EXPECT_EQ(list_of("0,\n"), "[0]");
}

TEST(VisibleDevices, AreNoneWhereOneIsNamedTwice) {
  EXPECT_EQ(list_of("0,1,0"), "[]");
  EXPECT_EQ(list_of("007,7"), "[]");
  EXPECT_EQ(list_of("GPU-a,GPU-a"), "[]");
  EXPECT_EQ(list_of("0,-1,0"), "[0]");
}

TEST(VisibleDevices, AreToldApartBeyond64Bits) {
  EXPECT_EQ(list_of("18446744073709551616,18446744073709551617"),
            "[18446744073709551616, 18446744073709551617]");
  EXPECT_EQ(list_of("18446744073709551616,018446744073709551616"), "[]");
}

TEST(VisibleDevices, AreFoundTwiceInLongListsToo) {
  std::string value = "0";
  for (int i = 1; i < 100; ++i)
    value += ',' + std::to_string(i);
  const VisibleDeviceRules rules{driver::Vendor::cuda};
  EXPECT_EQ(devices_or_throw(rules.parse(value)).size(), 100u);
  EXPECT_TRUE(devices_or_throw(rules.parse(value + ",50")).empty());
  EXPECT_TRUE(devices_or_throw(rules.parse(value + ",3")).empty());
}

TEST(VisibleDevices, IgnoreAsciiBlanksAroundNumbersAlone) {
  EXPECT_EQ(list_of("\t1 ,\x1c"
                    "0\x1f"),
            "[1, 0]");
  EXPECT_EQ(list_of("\xc2\xa0"
                    "1"),
            "[]");
  EXPECT_EQ(list_of(" GPU-a"), "[]");
  EXPECT_EQ(list_of("GPU-a, GPU-b"), "['GPU-a']");
}

TEST(VisibleDevices, KnowAsciiDigitsAlone) {
  EXPECT_EQ(list_of("\xd9\xa3"), "[]");
  EXPECT_EQ(list_of("1\xc2\xb2"), "[1]");
}

TEST(VisibleDevices, KeepToOneKindOfIdentifier) {
  EXPECT_EQ(list_of("GPU-a,MIG-b,GPU-c"), "['GPU-a']");
  EXPECT_EQ(list_of("MIG-a,MIG-b"), "['MIG-a', 'MIG-b']");
  EXPECT_EQ(list_of("gpu-a"), "[]");
}

TEST(VisibleDevices, RefuseASignWithoutDigits) {
  EXPECT_EQ(error_message("0,+"), "expected digits after the sign but found '+'");
  EXPECT_EQ(error_message("- 1"), "expected digits after the sign but found '- 1'");
  EXPECT_THROW(static_cast<void>(list_of("-")), ValueError);
}

TEST(VisibleDevices, RefuseMoreDigitsThanPythonConverts) {
  const std::string message = error_message(std::string(4301, '9'));
  EXPECT_NE(message.find("4301 digits"), std::string::npos) << message;
  EXPECT_LT(message.size(), 200u);
  EXPECT_EQ(error_message("-" + std::string(4300, '0')), "no error");
}

TEST(VisibleDevices, NeedTimeLinearInTheLengthOfTheValue) {
  constexpr std::size_t bytes = 2'000'000;
  std::string numbers = "0";
  for (int i = 1; numbers.size() < bytes; ++i)
    numbers += ',' + std::to_string(i);
  const VisibleDeviceRules rules{driver::Vendor::cuda};
  for (const std::string& value : {numbers, std::string(bytes, '7'), std::string(bytes, ' '),
                                   "GPU-" + std::string(bytes, 'a'), std::string(bytes, ',')}) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(rules.parse(value));
    // Generous, for builds with sanitizers; a quadratic reading needs minutes.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{20});
  }
}

TEST(VisibleDevices, ComeFromTheVariableOfTheVendor) {
  const Variables variables{{"CUDA_VISIBLE_DEVICES", "1"}, {"HIP_VISIBLE_DEVICES", "2"}};
  const VisibleDeviceRules cuda{driver::Vendor::cuda, environment_of(variables)};
  const VisibleDeviceRules rocm{driver::Vendor::rocm, environment_of(variables)};
  EXPECT_EQ(to_text(devices_or_throw(cuda.visible_devices())), "[1]");
  EXPECT_EQ(to_text(devices_or_throw(rocm.visible_devices())), "[2]");
}

TEST(VisibleDevices, AreShownOnOneShortLine) {
  EXPECT_EQ(list_of("GPU-\n\xff"), "['GPU-\\x0a\\xff']");
  EXPECT_LT(list_of("GPU-" + std::string(1000, 'a')).size(), 100u);
  EXPECT_LT(list_of("GPU-" + std::string(1000, '\xff')).size(), 100u);
}

TEST(OrdinalOfADevice, SaturatesWhereItDoesNotFit) {
  EXPECT_EQ(Ordinal{"00018446744073709551615"}.value(), UINT64_MAX);
  EXPECT_EQ(Ordinal{"18446744073709551616"}.value(), UINT64_MAX);
  EXPECT_NE(Ordinal{"18446744073709551615"}, Ordinal{"18446744073709551616"});
  EXPECT_EQ(Ordinal{"00"}, Ordinal{0});
}

}  // namespace
}  // namespace dlcert::cuda
