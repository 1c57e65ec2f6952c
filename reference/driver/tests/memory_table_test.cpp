// SPDX-License-Identifier: Apache-2.0

#include "simulated/memory_table.hpp"

#include <gtest/gtest.h>

#include <random>

namespace dlcert::driver::simulated {
namespace {

Allocation range(std::uintptr_t begin, std::size_t bytes) {
  Allocation made;
  made.begin = begin;
  made.bytes = bytes;
  return made;
}

TEST(MemoryTable, FindsEveryAddressInside) {
  MemoryTable table;
  const Allocation* const added = table.insert(range(4096, 100));
  EXPECT_EQ(table.find(4096), added);
  EXPECT_EQ(table.find(4195), added);
  EXPECT_EQ(table.find(4195), added) << "asked twice";
}

TEST(MemoryTable, FindsNothingOutside) {
  MemoryTable table;
  EXPECT_EQ(table.find(1), nullptr);
  table.insert(range(4096, 100));
  EXPECT_EQ(table.find(4095), nullptr);
  EXPECT_EQ(table.find(4196), nullptr);
  EXPECT_EQ(table.find(~std::uintptr_t{0}), nullptr);
}

TEST(MemoryTable, ForgetsWhatIsErased) {
  MemoryTable table;
  const Allocation* const added = table.insert(range(4096, 100));
  const std::uint64_t id = added->id;
  EXPECT_NE(table.find(4100), nullptr);
  table.erase(4096);
  EXPECT_EQ(table.find(4100), nullptr);
  EXPECT_NE(table.insert(range(4096, 100))->id, id) << "the next one there is another one";
}

TEST(MemoryTable, RangesDoNotOverlap) {
  MemoryTable table;
  ASSERT_NE(table.insert(range(4096, 100)), nullptr);
  EXPECT_EQ(table.insert(range(4096, 100)), nullptr);
  EXPECT_EQ(table.insert(range(4195, 1)), nullptr);
  EXPECT_EQ(table.insert(range(4000, 97)), nullptr);
  EXPECT_EQ(table.insert(range(4000, 1000)), nullptr);
  EXPECT_NE(table.insert(range(4196, 1)), nullptr);
  EXPECT_NE(table.insert(range(4000, 96)), nullptr);
  EXPECT_EQ(table.size(), 3u);
}

TEST(MemoryTable, AgreesWithASearchThroughAll) {
  std::mt19937_64 random{1};
  MemoryTable table;
  std::map<std::uintptr_t, std::size_t> known;
  for (int step = 0; step < 20'000; ++step) {
    const std::uintptr_t address = 1 + random() % 100'000;
    const auto holder = std::ranges::find_if(known, [&](const auto& each) {
      return each.first <= address && address < each.first + each.second;
    });
    const Allocation* const found = table.find(address);
    ASSERT_EQ(found != nullptr, holder != known.end());
    if (found != nullptr) {
      ASSERT_EQ(found->begin, holder->first);
      if (random() % 2 == 0) {
        known.erase(holder);
        table.erase(found->begin);
      }
    } else if (table.insert(range(address, 1 + random() % 500)) != nullptr) {
      known[address] = table.find(address)->bytes;
    }
  }
}

}  // namespace
}  // namespace dlcert::driver::simulated
