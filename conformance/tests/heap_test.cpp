// SPDX-License-Identifier: Apache-2.0
#include "testbench/heap.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <dlcert/suite/check.hpp>

namespace dlcert::testbench {
namespace {

TEST(HeapGrowth, IsSeen) {
  std::vector<std::unique_ptr<char[]>> kept;
  kept.reserve(10'000);
  EXPECT_THROW(
      expect_no_growth("small leaks", 2'000, [&] { kept.push_back(std::make_unique<char[]>(16)); }),
      Failure);
}

TEST(HeapGrowth, IsNotSeenWhereThereIsNone) {
  EXPECT_NO_THROW(expect_no_growth("allocations and releases", 2'000, [] {
    const auto block = std::make_unique<char[]>(16);
    static_cast<void>(block);
  }));
}

}  // namespace
}  // namespace dlcert::testbench
