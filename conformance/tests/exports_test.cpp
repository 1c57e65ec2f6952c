// SPDX-License-Identifier: Apache-2.0
#include "testbench/exports.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace dlcert::testbench {
namespace {

// What a check says of a managed tensor that a library made up, over memory that ends where its
// arrays do.
std::string failure_of(std::int32_t ndim, std::vector<std::int64_t> shape,
                       std::vector<std::int64_t> strides = {}) {
  std::array<std::byte, 64> data{};
  DLManagedTensorVersioned tensor{};
  tensor.version = {1, 3};
  tensor.dl_tensor = {data.data(),
                      {kDLCPU, 0},
                      ndim,
                      {kDLInt, 32, 1},
                      shape.data(),
                      strides.empty() ? nullptr : strides.data(),
                      0};
  const Borrowed managed{{DLCERT_VERSIONED, 0, &tensor}};
  try {
    gather_exported(*managed);
    return {};
  } catch (const Failure& failure) {
    return failure.message;
  }
}

TEST(AnExport, IsReadWhereItIsInMemory) {
  EXPECT_EQ(failure_of(2, {2, 3}), "");
  EXPECT_EQ(failure_of(2, {0, 1l << 40}), "");
  EXPECT_EQ(failure_of(1, {1}, {INT64_MIN}), "");
}

TEST(AnExport, OfMoreThanMemoryIsAFailureAndNotOurs) {
  EXPECT_EQ(failure_of(INT32_MAX, {1}), "rank: expected 1024 or less but found 2147483647");
  EXPECT_EQ(failure_of(1, {-1}), "extent: expected 0 or more but found -1");
  const std::string too_large = "elements: expected at most 1 GiB but found int32 shape=";
  for (const std::string& failure :
       {failure_of(2, {1l << 33, 1l << 33}), failure_of(1, {1l << 40}),
        failure_of(1, {2}, {INT64_MIN}), failure_of(2, {3, 3}, {1l << 61, 1l << 61})})
    EXPECT_EQ(failure.substr(0, too_large.size()), too_large);
}

}  // namespace
}  // namespace dlcert::testbench
