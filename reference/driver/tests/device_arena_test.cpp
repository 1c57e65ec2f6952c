// SPDX-License-Identifier: Apache-2.0

#include "simulated/device_arena.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dlcert::driver::simulated {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// What a byte that was touched takes, with the sanitizers' notes about it.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t times_resident = 5;
#else
constexpr std::size_t times_resident = 1;
#endif

std::size_t resident_kibibytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

TEST(DeviceArenaDeathTest, TheHostCannotTouchAnAddress) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  DeviceArena arena{mebibyte};
  auto* const block = static_cast<volatile std::byte*>(arena.allocate(8));
  EXPECT_DEATH(*block = std::byte{1}, "");
}

TEST(DeviceArena, ABlockBeginsWhereItIsAskedTo) {
  DeviceArena arena{mebibyte};
  void* const first = arena.allocate(8);
  void* const aligned = arena.allocate(8192, 4096);
  void* const between = arena.allocate(8);
  EXPECT_EQ((static_cast<std::byte*>(aligned) - static_cast<std::byte*>(first)) % 4096, 0);
  EXPECT_LT(between, aligned);
  EXPECT_EQ(arena.bytes_in_use(), 8192 + 2 * DeviceArena::alignment);
  EXPECT_EQ(arena.allocate(mebibyte - 4096, 4096), nullptr);
}

TEST(DeviceArena, TheDriversViewSeesTheBytes) {
  DeviceArena arena{mebibyte};
  void* const block = arena.allocate(8);
  arena.view(block)[7] = std::byte{42};
  EXPECT_EQ(arena.view(static_cast<std::byte*>(block) + 7)[0], std::byte{42});
}

TEST(DeviceArena, BlocksAreAlignedAndApart) {
  DeviceArena arena{mebibyte};
  std::set<std::uintptr_t> begins;
  for (int i = 0; i < 100; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(arena.allocate(513));
    EXPECT_EQ(begin % DeviceArena::alignment, 0u);
    begins.insert(begin);
  }
  EXPECT_EQ(begins.size(), 100u);
  for (const std::uintptr_t begin : begins)
    EXPECT_FALSE(begins.contains(begin + 512));
}

TEST(DeviceArena, HoldsItsOwnAddresses) {
  DeviceArena arena{mebibyte};
  const auto* const block = static_cast<std::byte*>(arena.allocate(8));
  EXPECT_TRUE(arena.holds(block));
  EXPECT_FALSE(arena.holds(&arena));
  EXPECT_FALSE(arena.holds(arena.view(block)));
}

TEST(DeviceArena, NewAndReleasedBlocksArePoisoned) {
  DeviceArena arena{mebibyte};
  void* const block = arena.allocate(100);
  const std::byte fresh = arena.view(block)[99];
  EXPECT_NE(fresh, std::byte{0});
  arena.view(block)[99] = std::byte{0};
  arena.release(block);
  EXPECT_NE(arena.view(block)[99], std::byte{0});
  EXPECT_NE(arena.view(block)[99], fresh);
}

TEST(DeviceArena, AReleasedBlockIsNotUsedSoonAgain) {
  DeviceArena arena{mebibyte};
  void* const block = arena.allocate(100);
  arena.release(block);
  for (int i = 0; i < 100; ++i)
    EXPECT_NE(arena.allocate(100), block);
}

TEST(DeviceArena, ReleasedBlocksAreUsedWhenThereIsNothingElse) {
  DeviceArena arena{mebibyte};
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    while (void* const block = arena.allocate(mebibyte / 8))
      blocks.push_back(block);
    EXPECT_EQ(blocks.size(), 8u);
    for (void* const block : blocks)
      arena.release(block);
  }
}

TEST(DeviceArena, FreeNeighboursAreOneBlockAndLargeOnesAreDivided) {
  DeviceArena arena{mebibyte};
  std::vector<void*> blocks;
  blocks.reserve(16);
  for (int i = 0; i < 16; ++i)
    blocks.push_back(arena.allocate(mebibyte / 16));
  for (void* const block : blocks)
    arena.release(block);
  EXPECT_NE(arena.allocate(mebibyte / 2), nullptr);
  EXPECT_NE(arena.allocate(1), nullptr);
  EXPECT_NE(arena.allocate(1), nullptr);
}

TEST(DeviceArena, WithoutRoomThereIsNoBlock) {
  DeviceArena arena{mebibyte};
  EXPECT_EQ(arena.allocate(mebibyte + 1), nullptr);
  EXPECT_EQ(arena.allocate(~std::size_t{0}), nullptr);
  EXPECT_NE(arena.allocate(mebibyte), nullptr);
  EXPECT_EQ(arena.allocate(1), nullptr);
}

TEST(DeviceArena, MemoryOfReleasedBlocksStaysBounded) {
  DeviceArena arena{16384 * mebibyte};
  const std::size_t before = resident_kibibytes();
  for (int i = 0; i < 1'000'000; ++i)
    arena.release(arena.allocate(512));
  for (int i = 0; i < 1'000; ++i) {
    void* const large = arena.allocate(16 * mebibyte);
    arena.view(large)[0] = std::byte{1};
    arena.release(large);
  }
  const std::size_t most = times_resident * 2 * DeviceArena::quarantine / 1024;
  EXPECT_LT(resident_kibibytes(), before + most);
}

TEST(DeviceArena, EightOfSixteenGibibytesFitIntoOneProcess) {
  std::vector<std::unique_ptr<DeviceArena>> arenas;
  arenas.reserve(8);
  for (int i = 0; i < 8; ++i)
    arenas.push_back(std::make_unique<DeviceArena>(16384 * mebibyte));
  EXPECT_NE(arenas.back()->allocate(1), nullptr);
}

}  // namespace
}  // namespace dlcert::driver::simulated
