// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/device_argument.hpp"

#include <gtest/gtest.h>

#include "dlcert/cuda/errors.hpp"

namespace dlcert::cuda {
namespace {

std::int64_t current() {
  return 7;
}

std::int64_t index(const DeviceArgument& argument) {
  return device_index(argument, MissingIndex::means_current, current);
}

std::int64_t strict_index(const DeviceArgument& argument) {
  return device_index(argument, MissingIndex::forbidden, [] {
    ADD_FAILURE() << "the current device was asked for";
    return std::int64_t{0};
  });
}

TEST(DeviceIndex, IsAnIntegerAsItIs) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-3}, INT64_MAX})
    EXPECT_EQ(strict_index(value), value);
}

TEST(DeviceIndex, IsThatOfATextOrADevice) {
  EXPECT_EQ(strict_index("cuda:1"), 1);
  EXPECT_EQ(strict_index("cuda:0"), 0);
  EXPECT_EQ(strict_index(Device{"cuda", 12}), 12);
}

TEST(DeviceIndex, IsTheCurrentOneWhereItIsMissing) {
  EXPECT_EQ(index({}), 7);
  EXPECT_EQ(index("cuda"), 7);
  EXPECT_EQ(index(Device{"cuda"}), 7);
  EXPECT_EQ(index("cuda:2"), 2);
}

TEST(DeviceIndex, MayNotBeMissingWhereThatIsForbidden) {
  EXPECT_THROW(strict_index({}), ValueError);
  EXPECT_THROW(strict_index("cuda"), ValueError);
  EXPECT_THROW(strict_index(Device{"cuda"}), ValueError);
}

TEST(DeviceIndex, IsOfGpusOnly) {
  EXPECT_THROW(index("cpu"), ValueError);
  EXPECT_THROW(index("hip:0"), ValueError);
  EXPECT_THROW(index(Device{"cpu", 0}), ValueError);
}

TEST(DeviceText, IsReadStrictly) {
  for (const char* text :
       {"cuda:2 cuda:3", "cuda:1x", "cuda:-1", "cuda:", "cuda:01", "cuda:+1", "cuda: 1", " cuda:1",
        "CUDA:1", "", ":1", "cuda1", "cuda:1:2", "cuda:99999999999999999999", "gpu:0"})
    EXPECT_THROW(static_cast<void>(parse_device(text)), RuntimeError) << text;
  EXPECT_EQ(to_text(parse_device("cuda:10")), "cuda:10");
  EXPECT_EQ(to_text(parse_device("meta")), "meta");
}

TEST(DeviceText, IsNamedInTheError) {
  try {
    static_cast<void>(parse_device("cuda:1x"));
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "invalid device string: 'cuda:1x'");
  }
}

}  // namespace
}  // namespace dlcert::cuda
