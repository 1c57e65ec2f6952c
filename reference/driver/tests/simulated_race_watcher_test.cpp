// SPDX-License-Identifier: Apache-2.0
//
// Who watches for races is told of each two places once, at once, and outside of the driver's lock.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Noted final : public RaceWatcher {
 public:
  // Asks the driver for its lock, as a place's own calls might.
  std::uint64_t place() override {
    ++asked;
    static_cast<void>(simulated_driver().pending());
    return now;
  }
  void found(const Race& race) override {
    static_cast<void>(simulated_driver().pending());
    races.push_back(race);
  }
  void launched() override { ++launches; }

  std::vector<std::array<std::uint64_t, 2>> places() const {
    std::vector<std::array<std::uint64_t, 2>> all;
    for (const Race& race : races)
      all.push_back({race.first_place, race.second_place});
    return all;
  }

  std::uint64_t now = 1;
  std::vector<Race> races = {};
  int asked = 0, launches = 0;
};

using Places = std::vector<std::array<std::uint64_t, 2>>;

class WatchedRaces : public Simulated {
 protected:
  WatchedRaces() { driver_.watch_races(&noted_); }
  ~WatchedRaces() override { driver_.watch_races(nullptr); }
  WatchedRaces(const WatchedRaces&) = delete;
  WatchedRaces& operator=(const WatchedRaces&) = delete;

  void write_at(std::uint64_t place, Stream on, std::byte* to) {
    noted_.now = place;
    write(on, to);
  }

  Noted noted_;
  std::byte* data_ = buffer();
  Stream first_ = stream();
  Stream second_ = stream();
};

TEST_F(WatchedRaces, AreToldWithThePlacesOfBothCalls) {
  write_at(7, first_, data_);
  EXPECT_EQ(noted_.races.size(), 0u);
  write_at(8, second_, data_);
  EXPECT_EQ(noted_.places(), (Places{{7, 8}}));
  EXPECT_NE(noted_.races.at(0).first.find("fill_async"), std::string::npos);
  EXPECT_EQ(races(), 0u);  // told, not kept
}

TEST_F(WatchedRaces, AreToldOnceForTwoPlaces) {
  for (int i = 0; i < 200; ++i) {
    write_at(7, first_, data_);
    write_at(8, second_, data_);
    ok(driver_.synchronize_device());
  }
  EXPECT_EQ(noted_.places(), (Places{{7, 8}}));
  write_at(7, first_, data_);
  write_at(9, second_, data_);
  EXPECT_EQ(noted_.places(), (Places{{7, 8}, {7, 9}}));
}

TEST_F(WatchedRaces, OfGraphsHaveThePlacesOfTheCapture) {
  ok(driver_.begin_capture(first_, CaptureMode::relaxed));
  write_at(7, first_, data_);
  Graph graph{};
  ok(driver_.end_capture(first_, graph));
  GraphExec executable{};
  ok(driver_.instantiate(graph, executable));
  noted_.now = 8;
  ok(driver_.launch_graph(executable, first_));
  write_at(9, second_, data_);
  EXPECT_EQ(noted_.places(), (Places{{7, 9}}));
}

TEST_F(WatchedRaces, OfReleasesHaveThePlaceOfTheRelease) {
  void* memory = nullptr;
  ok(driver_.allocate_async(size, first_, memory));
  ok(driver_.synchronize_stream(first_));
  write_at(7, second_, static_cast<std::byte*>(memory));
  noted_.now = 8;
  ok(driver_.release(MemoryKind::device, memory));
  EXPECT_EQ(noted_.places(), (Places{{7, 8}}));
}

TEST_F(WatchedRaces, OrderedProgramsHaveNone) {
  write_at(7, first_, data_);
  order(first_, second_);
  write_at(8, second_, data_);
  EXPECT_EQ(noted_.places(), Places{});
}

TEST_F(WatchedRaces, OpaqueLaunchesAreCountedAndHaveNoPlace) {
  ok(driver_.launch("kernel", first_, {}));
  ok(driver_.launch("kernel", first_, {}));
  read(first_, data_);
  EXPECT_EQ(noted_.launches, 2);
  EXPECT_EQ(noted_.asked, 0);
}

TEST_F(WatchedRaces, OnlyWorkHasAPlace) {
  const Event made = event();
  record(made, first_);
  ok(driver_.synchronize_event(made));
  EXPECT_EQ(noted_.asked, 0);
  write(first_, data_);
  EXPECT_EQ(noted_.asked, 1);
}

TEST_F(WatchedRaces, AreKeptAgainWhenNobodyWatches) {
  driver_.watch_races(nullptr);
  write(first_, data_);
  write(second_, data_);
  EXPECT_EQ(races(), 1u);
  EXPECT_EQ(noted_.asked, 0);
}

}  // namespace
}  // namespace dlcert::driver
