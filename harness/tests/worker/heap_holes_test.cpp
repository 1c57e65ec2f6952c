// SPDX-License-Identifier: Apache-2.0
#include "worker/heap_holes.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>

namespace dlcert {
namespace {

constexpr std::size_t page = 4096;

// Of some blocks of mixed sizes that are allocated now.
std::size_t pages_of_new_blocks() {
  std::array<void*, 64> blocks{};
  std::set<std::uintptr_t> pages;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = std::malloc(24 + 16 * (i % 8));
    pages.insert(reinterpret_cast<std::uintptr_t>(blocks[i]) / page);
  }
  for (void* const block : blocks)
    std::free(block);
  return pages.size();
}

TEST(HeapHoles, WhatIsAllocatedWhenTheyAreFilledLiesSideBySide) {
  if (::mallinfo2().uordblks == 0) GTEST_SKIP() << "the heap is a sanitizer's";
  std::array<void*, 2000> small{}, between{};
  for (std::size_t i = 0; i < small.size(); ++i) {
    small[i] = std::malloc(24 + 16 * (i % 8));
    between[i] = std::malloc(page / 2);
  }
  for (void* const block : small)
    std::free(block);
  EXPECT_GT(pages_of_new_blocks(), 30u) << "there are no holes to be filled";
  fill_heap_holes();
  EXPECT_LE(pages_of_new_blocks(), 8u);
  for (void* const block : between)
    std::free(block);
}

}  // namespace
}  // namespace dlcert
