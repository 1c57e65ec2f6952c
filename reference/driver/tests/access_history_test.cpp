// SPDX-License-Identifier: Apache-2.0

#include "simulated/access_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace dlcert::driver::simulated {
namespace {

/// What each timeline knows of the others, kept in full.
class Order {
 public:
  explicit Order(std::uint32_t timelines)
      : known_(timelines, std::vector<std::uint64_t>(timelines)) {}

  Position step(std::uint32_t timeline) { return {timeline, ++known_[timeline][timeline]}; }
  /// Whatever `timeline` does from now on comes after all that `other` has done.
  void wait(std::uint32_t timeline, std::uint32_t other) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
      known_[timeline][i] = std::max(known_[timeline][i], known_[other][i]);
    }
  }
  [[nodiscard]] bool is_before(Position earlier, std::uint32_t timeline) const {
    return known_[timeline][earlier.timeline] >= earlier.number;
  }

 private:
  std::vector<std::vector<std::uint64_t>> known_;
};

using Pair = std::pair<Position, Position>;

class AnAccessHistory : public testing::Test {
 protected:
  static constexpr StridedBytes whole{.begin = 4096, .run = 4096};

  void read(std::uint32_t timeline, const StridedBytes& bytes = whole) {
    add(order_.step(timeline), AccessKind::read, bytes);
  }
  void write(std::uint32_t timeline, const StridedBytes& bytes = whole) {
    add(order_.step(timeline), AccessKind::write, bytes);
  }
  void add(Position at, AccessKind kind, const StridedBytes& bytes = whole) {
    history_.add(
        {at, kind, bytes, 0},
        [&](Position earlier) { return order_.is_before(earlier, at.timeline); },
        [&](const RecordedAccess& earlier, Range common) {
          races_.emplace_back(earlier.at, at);
          common_ = common;
        });
  }
  std::size_t races() { return std::exchange(races_, {}).size(); }

  Order order_{70};
  AccessHistory history_;
  std::vector<Pair> races_;
  Range common_;
};

TEST_F(AnAccessHistory, FindsAReadThatDoesNotWaitForTheWrite) {
  write(1);
  read(2);
  EXPECT_EQ(races_, (std::vector<Pair>{{{1, 1}, {2, 1}}}));
  EXPECT_EQ(common_, (Range{4096, 8192}));
}

TEST_F(AnAccessHistory, FindsAWriteThatDoesNotWaitForTheReaders) {
  write(1);
  order_.wait(2, 1);
  order_.wait(3, 1);
  read(2);
  read(3);
  order_.wait(1, 2);
  write(1);
  EXPECT_EQ(races_, (std::vector<Pair>{{{3, 1}, {1, 2}}}));
}

TEST_F(AnAccessHistory, FindsNothingBetweenReadsAndWithinATimeline) {
  write(1);
  read(1);
  write(1);
  order_.wait(2, 1);
  read(2);
  read(1);
  EXPECT_EQ(races(), 0U);
}

TEST_F(AnAccessHistory, FindsNothingWhereNoByteIsCommon) {
  write(1, {.begin = 4096, .run = 64});
  write(2, {.begin = 4160, .run = 64});
  EXPECT_EQ(races(), 0U);
  const auto column = [](std::uintptr_t index) {
    return StridedBytes{.begin = 6000 + 4 * index, .run = 4, .axes = {{20, 64}}};
  };
  write(1, column(0));
  write(2, column(1));
  EXPECT_EQ(races(), 0U);
  write(3, column(1));
  EXPECT_EQ(races(), 1U);
  EXPECT_EQ(common_, bounds(column(1)));
}

TEST_F(AnAccessHistory, KeepsApartWhatWasWrittenInParts) {
  write(1, {.begin = 4096, .run = 2048});
  order_.wait(2, 1);
  write(1, {.begin = 6144, .run = 2048});
  read(2);
  EXPECT_EQ(races_, (std::vector<Pair>{{{1, 2}, {2, 1}}}));
  EXPECT_EQ(common_, (Range{6144, 8192}));
}

TEST_F(AnAccessHistory, KeepsWhatLiesBeyondForgottenBytes) {
  write(1);
  history_.forget_bytes({5000, 6000});
  write(2, {.begin = 5000, .run = 1000});
  EXPECT_EQ(races(), 0U);
  read(3, {.begin = 4999, .run = 1});
  EXPECT_EQ(races(), 1U);
  read(4, {.begin = 6000, .run = 1});
  EXPECT_EQ(races(), 1U);
}

TEST_F(AnAccessHistory, ForgetsColumnsThatHadForgottenBytes) {
  write(1, {.begin = 4096, .run = 4, .axes = {{20, 64}}});
  history_.forget_bytes({4096, 4097});
  read(2);
  EXPECT_EQ(races(), 0U);
}

TEST_F(AnAccessHistory, TellsOfAMissingWaitOnce) {
  write(1);
  for (int i = 0; i < 1000; ++i) {
    read(2);
  }
  EXPECT_EQ(races(), 1U);
  order_.wait(3, 2);
  read(3);
  EXPECT_EQ(races(), 0U) << "it follows from the same missing wait";
  read(4);
  EXPECT_EQ(races(), 1U) << "another wait is missing";
}

TEST_F(AnAccessHistory, TellsOfTwoOperationsOnceWhateverTheirAccesses) {
  const Position both = order_.step(1);
  add(both, AccessKind::write, {.begin = 4096, .run = 64});
  add(both, AccessKind::read, {.begin = 4096, .run = 128});
  const Position later = order_.step(2);
  add(later, AccessKind::read);
  add(later, AccessKind::write);
  add(later, AccessKind::write, {.begin = 4096, .run = 128});
  EXPECT_EQ(races_, (std::vector<Pair>{{both, later}}));
}

TEST_F(AnAccessHistory, ForgetsWhatLaterAccessesCover) {
  for (int i = 0; i < 1000; ++i) {
    write(1);
    order_.wait(2, 1);
    order_.wait(3, 1);
    read(2);
    read(3);
    ASSERT_LE(history_.size(), 3U);
    order_.wait(1, 2);
    order_.wait(1, 3);
  }
  EXPECT_EQ(races(), 0U);
}

TEST_F(AnAccessHistory, KeepsOneReadOfEachTimelineThatNothingOrders) {
  for (int i = 0; i < 1000; ++i) {
    for (std::uint32_t timeline = 1; timeline <= 8; ++timeline) {
      read(timeline);
    }
  }
  EXPECT_EQ(history_.size(), 8U);
  for (std::uint32_t timeline = 1; timeline <= 8; ++timeline) {
    order_.wait(9, timeline);
  }
  read(9);
  EXPECT_EQ(history_.size(), 1U);
}

TEST_F(AnAccessHistory, KeepsOneAccessWhenTheSameBytesWithGapsAreUsedAgain) {
  for (int i = 0; i < 1000; ++i) {
    write(1, {.begin = 4096, .run = 4, .axes = {{16, 256}, {8, 8}}});
  }
  EXPECT_EQ(history_.size(), 1U);
}

TEST_F(AnAccessHistory, StaysBoundedWhenEachAccessHasItsOwnBytes) {
  for (std::uintptr_t i = 0; i < 3 * AccessHistory::most_accesses; ++i) {
    write(1, {.begin = 4096 + i, .run = 1});
  }
  EXPECT_EQ(history_.size(), AccessHistory::most_accesses);
  read(2, {.begin = 4096 + 3 * AccessHistory::most_accesses - 1, .run = 1});
  EXPECT_EQ(races(), 1U) << "the last ones are remembered";
}

TEST_F(AnAccessHistory, StaysSilentWhenAnAccessRacedOftenEnough) {
  write(0);
  for (std::uint32_t timeline = 1; timeline < 70; ++timeline) {
    read(timeline);
  }
  EXPECT_EQ(races(), 64U);
}

TEST_F(AnAccessHistory, ForgetsWhatIsOver) {
  write(1);
  read(1);
  read(2);
  EXPECT_EQ(races(), 1U);
  history_.forget([](Position at) { return at.timeline == 1; });
  EXPECT_EQ(history_.size(), 1U);
  write(3);
  EXPECT_EQ(races_, (std::vector<Pair>{{{2, 1}, {3, 1}}}));
}

// ---- against a history that never forgets ----

class NaiveHistory {
 public:
  std::vector<Pair> add(const RecordedAccess& access, const Order& order) {
    std::vector<Pair> races;
    for (const RecordedAccess& earlier : all_) {
      const bool conflict = earlier.kind == AccessKind::write || access.kind == AccessKind::write;
      if (conflict && earlier.at.timeline != access.at.timeline &&
          !order.is_before(earlier.at, access.at.timeline) && overlap(earlier.bytes, access.bytes))
        races.emplace_back(earlier.at, access.at);
    }
    all_.push_back(access);
    return races;
  }

 private:
  std::vector<RecordedAccess> all_;
};

constexpr std::uint32_t timelines = 5;

/// Bytes that are used again and again, so that accesses cover each other.
StridedBytes draw_bytes(std::mt19937_64& random) {
  switch (random() % 6) {
    case 0:
      return {.begin = 1000 + 16 * (random() % 4), .run = 16};
    case 1:
      return {.begin = 1000 + 4 * (random() % 2), .run = 4, .axes = {{8, 8}}};
    case 2:
      return {.begin = 1000, .run = 32};
    default:
      return {.begin = 1000, .run = 64};
  }
}

/// Operations of several timelines. Of 100 operations `sloppy` do not wait for all the others.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, unsigned sloppy) : random_{seed}, sloppy_{sloppy} {}

  void run() {
    for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
      operate(static_cast<std::uint32_t>(random_() % timelines));
    }
  }
  [[nodiscard]] bool raced() const noexcept { return raced_; }

 private:
  void operate(std::uint32_t timeline) {
    if (random_() % 100 >= sloppy_) {
      for (std::uint32_t other = 0; other < timelines; ++other) {
        order_.wait(timeline, other);
      }
    } else if (random_() % 2 == 0) {
      order_.wait(timeline, static_cast<std::uint32_t>(random_() % timelines));
    }
    const Position at = order_.step(timeline);
    for (std::uint64_t accesses = 1 + random_() % 4 / 2; accesses != 0; --accesses) {
      const AccessKind kind = random_() % 3 == 0 ? AccessKind::write : AccessKind::read;
      access({at, kind, draw_bytes(random_), number_++});
    }
  }

  void access(const RecordedAccess& access) {
    const std::vector<Pair> expected = naive_.add(access, order_);
    std::size_t found = 0;
    history_.add(
        access, [&](Position earlier) { return order_.is_before(earlier, access.at.timeline); },
        [&](const RecordedAccess& earlier, Range common) {
          ++found;
          const Pair pair{earlier.at, access.at};
          EXPECT_NE(std::ranges::find(expected, pair), expected.end()) << "no race";
          EXPECT_TRUE(told_.insert(key(pair)).second) << "told twice";
          EXPECT_EQ(common, overlap(earlier.bytes, access.bytes));
        });
    if (!raced_) {
      ASSERT_EQ(found != 0, !expected.empty()) << "at access " << access.operation;
    }
    raced_ = raced_ || found != 0;
  }

  using Key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>;
  static Key key(const Pair& pair) {
    return {pair.first.timeline, pair.first.number, pair.second.timeline, pair.second.number};
  }

  std::mt19937_64 random_;
  unsigned sloppy_;
  Order order_{timelines};
  AccessHistory history_;
  NaiveHistory naive_;
  std::set<Key> told_;
  std::uint64_t number_ = 0;
  bool raced_ = false;
};

TEST(AccessHistory, FindsTheFirstRaceThatAHistoryFindsWhichNeverForgets) {
  int programs_with_races = 0;
  for (const unsigned sloppy : {0U, 1U, 2U, 10U, 50U, 100U}) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      RandomProgram program{seed, sloppy};
      program.run();
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", sloppy " << sloppy;
      programs_with_races += program.raced() ? 1 : 0;
    }
  }
  EXPECT_GT(programs_with_races, 2000);
  EXPECT_LT(programs_with_races, 5000);
}

}  // namespace
}  // namespace dlcert::driver::simulated
