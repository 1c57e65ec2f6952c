// SPDX-License-Identifier: Apache-2.0
#include "spy/guarded_block.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace dlcert {
namespace {

TEST(GuardedBlock, EndsDirectlyBeforeAnInaccessiblePage) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{24}, std::size_t{4096}, std::size_t{5000}}) {
    const GuardedBlock block{bytes};
    block.data()[0] = std::byte{1};
    block.data()[bytes - 1] = std::byte{2};
    volatile std::byte* const behind = block.data() + bytes;
    EXPECT_DEATH(behind[0] = std::byte{3}, "");
  }
}

TEST(GuardedBlock, BeginsBehindAnInaccessiblePage) {
  const GuardedBlock block{4096};
  volatile std::byte* const before = block.data() - 1;
  EXPECT_DEATH(before[0] = std::byte{3}, "");
}

TEST(GuardedBlock, OfNoBytesHasAnAddressThatNobodyMayTouch) {
  const GuardedBlock block{0};
  ASSERT_NE(block.data(), nullptr);
  volatile std::byte* const data = block.data();
  EXPECT_DEATH(data[0] = std::byte{3}, "");
}

TEST(GuardedBlock, UsesItsPlaceAgain) {
  std::byte* end = nullptr;
  {
    const GuardedBlock block{100};
    end = block.end();
  }
  const GuardedBlock next{30};
  EXPECT_EQ(next.end(), end);
}

TEST(GuardedBlock, IsWritableAgainAfterProtectedUse) {
  {
    GuardedBlock block{100};
    block.make_read_only();
  }
  {
    GuardedBlock block{100};
    block.data()[0] = std::byte{1};
    block.make_inaccessible();
  }
  const GuardedBlock block{100};
  block.data()[0] = std::byte{1};
}

TEST(GuardedBlock, ReadOnlyAndInaccessiblePagesFault) {
  GuardedBlock block{8};
  volatile std::byte* const data = block.data();
  data[0] = std::byte{5};
  block.make_read_only();
  EXPECT_TRUE(data[0] == std::byte{5});
  EXPECT_DEATH(data[0] = std::byte{1}, "");
  block.make_inaccessible();
  EXPECT_DEATH(static_cast<void>(data[0]), "");
}

std::byte* abandoned(bool inaccessible) {
  GuardedBlock block{100};
  if (inaccessible) block.make_inaccessible();
  block.abandon();
  return block.end();
}

TEST(GuardedBlock, IsNotUsedAgainSoonOnceAbandoned) {
  const std::byte* const end = abandoned(false);
  const GuardedBlock next{100};
  EXPECT_NE(next.end(), end);
}

TEST(GuardedBlock, AbandonedOnesDoNotUseUpTheMappingsOfTheProcess) {
  for (int i = 0; i < 100'000; ++i)
    abandoned(true);
  const GuardedBlock block{100};
  block.data()[0] = std::byte{1};
}

TEST(GuardedBlock, IsTakenAndGivenBackOnAnyThread) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int round = 0; round < 200; ++round) {
        GuardedBlock block{static_cast<std::size_t>(round)};
        block.fill_with_poison();
        for (std::size_t at = 0; at < block.bytes(); ++at)
          ASSERT_EQ(block.data()[at], GuardedBlock::poison);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

}  // namespace
}  // namespace dlcert
