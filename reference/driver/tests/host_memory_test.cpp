// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "dlcert/driver/failing_host_memory.hpp"

namespace dlcert::driver {
namespace {

LiveAllocations change(const LiveAllocations& before) {
  const LiveAllocations now = host_memory().live();
  return {now.blocks - before.blocks, now.bytes - before.bytes};
}

TEST(HostMemory, CountsWhatIsLive) {
  const LiveAllocations before = host_memory().live();
  void* const small = host_memory().allocate(100, 8);
  void* const large = host_memory().allocate(5000, 256);
  EXPECT_EQ(change(before).blocks, 2);
  EXPECT_GE(change(before).bytes, 5100);
  host_memory().deallocate(small, 100, 8);
  EXPECT_EQ(change(before).blocks, 1);
  EXPECT_GE(change(before).bytes, 5000);
  host_memory().deallocate(large, 5000, 256);
  EXPECT_EQ(change(before), (LiveAllocations{}));
}

TEST(HostMemory, AlignsBlocks) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    void* const block = host_memory().allocate(3, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    host_memory().deallocate(block, 3, alignment);
  }
}

TEST(HostMemory, GivesAnEmptyBlockAnAddress) {
  const LiveAllocations before = host_memory().live();
  void* const block = host_memory().allocate(0, 256);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(change(before).blocks, 1);
  host_memory().deallocate(block, 0, 256);
}

TEST(HostMemory, RefusesWhatDoesNotFit) {
  const LiveAllocations before = host_memory().live();
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(static_cast<void>(host_memory().allocate(huge, 8)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(host_memory().allocate(2 * huge, 256)), std::bad_alloc);
  EXPECT_EQ(change(before), (LiveAllocations{}));
}

TEST(HostMemory, KeepsLiveBlocksApart) {
  // More of each size than a thread keeps for reuse, given back in the order of allocation.
  for (std::size_t bytes = 1; bytes <= 600; bytes += 13) {
    std::vector<unsigned char*> blocks(40);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = static_cast<unsigned char*>(host_memory().allocate(bytes, 8));
      std::memset(blocks[i], static_cast<int>(i), bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(blocks[i][0], i);
      EXPECT_EQ(blocks[i][bytes - 1], i);
      host_memory().deallocate(blocks[i], bytes, 8);
    }
  }
}

TEST(HostMemory, CountsAcrossThreads) {
  const LiveAllocations before = host_memory().live();
  std::vector<void*> blocks(64);
  std::thread([&] {
    for (void*& block : blocks)
      block = host_memory().allocate(16, 8);
  }).join();
  EXPECT_EQ(change(before).blocks, 64);
  EXPECT_GE(change(before).bytes, 1024);
  std::thread([&] {
    for (void* block : blocks)
      host_memory().deallocate(block, 16, 8);
  }).join();
  EXPECT_EQ(change(before), (LiveAllocations{}));
}

TEST(FailingHostMemory, FailsOnceAfterTheGivenNumberOfSuccesses) {
  FailingHostMemory failing(host_memory());
  failing.fail_after(1);
  void* const first = failing.allocate(8, 8);
  EXPECT_THROW(static_cast<void>(failing.allocate(8, 8)), std::bad_alloc);
  void* const second = failing.allocate(8, 8);
  failing.deallocate(first, 8, 8);
  failing.deallocate(second, 8, 8);
}

TEST(FailingHostMemory, FailsNothingUnlessAskedTo) {
  FailingHostMemory failing(host_memory());
  failing.fail_after(0);
  failing.fail_after(FailingHostMemory::never);
  void* const block = failing.allocate(8, 8);
  failing.deallocate(block, 8, 8);
}

TEST(FailingHostMemory, HasAnAccountOfItsOwn) {
  FailingHostMemory failing(host_memory());
  void* const other = host_memory().allocate(8, 8);
  void* const block = failing.allocate(16, 8);
  EXPECT_EQ(failing.live(), (LiveAllocations{1, 16}));
  failing.deallocate(block, 16, 8);
  EXPECT_EQ(failing.live(), (LiveAllocations{}));
  host_memory().deallocate(other, 8, 8);
}

TEST(SetHostMemory, ReplacesWhatNewTensorsUse) {
  HostMemory& original = host_memory();
  FailingHostMemory failing(original);
  HostMemory& replaced = set_host_memory(failing);
  EXPECT_EQ(&replaced, &original);
  EXPECT_EQ(&host_memory(), &failing);
  EXPECT_EQ(&set_host_memory(original), &failing);
}

}  // namespace
}  // namespace dlcert::driver
