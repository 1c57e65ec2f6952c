// SPDX-License-Identifier: Apache-2.0
#include "runner/watch.hpp"

#include <gtest/gtest.h>

namespace dlcert {
namespace {

using namespace std::chrono_literals;

constexpr Watch::Time start{};
constexpr std::uint64_t mib = 1 << 20;

Limits limits() {
  return {.load_seconds = 10, .case_seconds = 2, .patience = 5, .memory_bytes = 100 * mib};
}

// A watch that is asked as often as the pool asks.
class Ticking {
 public:
  explicit Ticking(const Limits& limits) : watch{limits, start} {}

  // As check(), after the worker was at the same place until then.
  std::optional<LimitExceeded> check(const PositionSnapshot& at, std::uint64_t bytes,
                                     Watch::Time now) {
    while (now_ + Watch::longest_tick < now)
      if (auto exceeded = watch.check(at, bytes, now_ += Watch::longest_tick)) return exceeded;
    return watch.check(at, bytes, now_ = now);
  }

  Watch watch;

 private:
  Watch::Time now_ = start;
};

PositionSnapshot running(std::uint32_t unit, std::uint64_t case_index, std::uint64_t beat = 0) {
  return {.phase = Phase::running,
          .unit = unit,
          .case_index = case_index,
          .beat = beat,
          .loaded_bytes = 50 * mib};
}

TEST(Snapshot, KnowsNoUnitThatThereIsNot) {
  Position position{};
  for (const std::uint32_t unit : {0u, 6u})
    EXPECT_EQ((position.unit = unit, snapshot_of(position, 7).unit), unit);
  for (const std::uint32_t unit : {7u, 0x41414141u, no_unit})
    EXPECT_EQ((position.unit = unit, snapshot_of(position, 7).unit), no_unit);
}

TEST(Watch, LoadingMayTakeItsOwnTime) {
  Ticking watch{limits()};
  const PositionSnapshot loading{.phase = Phase::loading};
  EXPECT_FALSE(watch.check(loading, 0, start + 10s));
  const auto exceeded = watch.check(loading, 0, start + 11s);
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->message, "loading took longer than 10 s");
  EXPECT_EQ(exceeded->unit, no_unit);
}

TEST(Watch, AWorkerThatNeverStartsToLoadIsCountedFromItsSpawn) {
  Ticking watch{limits()};
  EXPECT_FALSE(watch.check({}, 0, start + 10s));
  EXPECT_TRUE(watch.check({}, 0, start + 11s));
}

TEST(Watch, EachCaseHasItsOwnLimit) {
  Ticking watch{limits()};
  for (std::uint64_t i = 0; i < 100; ++i)
    ASSERT_FALSE(watch.check(running(3, i), 0, start + i * 2s)) << i;
  EXPECT_FALSE(watch.check(running(3, 99), 0, start + 99 * 2s + 8s));
  const auto exceeded = watch.check(running(3, 99), 0, start + 99 * 2s + 11s);
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->message, "case 99 took longer than 10 s");
  EXPECT_EQ(exceeded->limit, Limit::time);
  EXPECT_EQ(exceeded->unit, 3u);
}

TEST(Watch, ACaseIsSlowBeforeItHasHung) {
  Ticking watch{limits()};
  EXPECT_FALSE(watch.check(running(3, 7), 0, start + 2s));
  EXPECT_EQ(watch.watch.slowness(), "");
  EXPECT_FALSE(watch.check(running(3, 7), 0, start + 4s));
  EXPECT_EQ(watch.watch.slowness(), "case 7 took longer than 2 s");
  EXPECT_FALSE(watch.check(running(3, 8), 0, start + 5s));
  EXPECT_EQ(watch.watch.slowness(), "");
}

// The runner, or the machine, was paused.
TEST(Watch, TimeInWhichNobodyWatchedDoesNotCount) {
  Watch watch{limits(), start};
  EXPECT_FALSE(watch.check(running(3, 7), 0, start + 1s));
  EXPECT_FALSE(watch.check(running(3, 7), 0, start + 1h));
  EXPECT_EQ(watch.slowness(), "");
}

TEST(Watch, AnotherUnitOrABeatIsProgress) {
  Ticking watch{limits()};
  EXPECT_FALSE(watch.check(running(3, 7), 0, start));
  EXPECT_FALSE(watch.check(running(4, 7), 0, start + 6s));
  EXPECT_FALSE(watch.check(running(4, 7, 1), 0, start + 12s));
  EXPECT_TRUE(watch.check(running(4, 7, 1), 0, start + 24s));
}

TEST(Watch, MemoryCountsFromWhatLoadingTook) {
  Ticking watch{limits()};
  EXPECT_FALSE(watch.check(running(5, 0), 150 * mib, start));
  const auto exceeded = watch.check(running(5, 0), 150 * mib + 1, start);
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->message, "allocated more than 100 MiB");
  EXPECT_EQ(exceeded->limit, Limit::memory);
  EXPECT_EQ(exceeded->unit, 5u);
}

TEST(Watch, LoadingMayTakeFourTimesAsMuchMemory) {
  Ticking watch{limits()};
  EXPECT_FALSE(watch.check({.phase = Phase::loading}, 400 * mib, start));
  const auto exceeded = watch.check({.phase = Phase::loading}, 400 * mib + 1, start);
  ASSERT_TRUE(exceeded);
  EXPECT_EQ(exceeded->message, "allocated more than 400 MiB while loading");
  EXPECT_EQ(exceeded->unit, no_unit);
}

TEST(Watch, LargeLimitsAreShownInGibibytes) {
  Ticking watch{{.memory_bytes = 2048 * mib}};
  EXPECT_EQ(watch.check(running(0, 0), 4096 * mib, start)->message, "allocated more than 2.0 GiB");
}

TEST(Watch, EndingMayTakeAsLongAsLoading) {
  Ticking watch{limits()};
  const PositionSnapshot finished{.phase = Phase::finished, .loaded_bytes = 50 * mib};
  EXPECT_FALSE(watch.check(finished, 0, start));
  EXPECT_FALSE(watch.check(finished, 0, start + 10s));
  EXPECT_EQ(watch.check(finished, 0, start + 11s)->message,
            "did not end within 10 s of its last check");
}

}  // namespace
}  // namespace dlcert
