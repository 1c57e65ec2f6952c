// SPDX-License-Identifier: Apache-2.0
//
// Copies with pageable memory, which might be synchronous. Source: CUDA Runtime API 12 and 13, "API
// synchronization behavior"; HIP, hipMemcpyAsync.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Pageable : public Simulated {
 protected:
  static constexpr std::uint64_t seeds = 20;

  void start(SimulatedOptions options) {
    restart(std::move(options));
    data_ = buffer();
    s_ = stream();
    host_.fill(std::byte{1});
  }
  void put() {
    ok(driver_.copy_async(data_, host_.data(), size, CopyDirection::host_to_device, s_));
  }
  void fetch() {
    ok(driver_.copy_async(host_.data(), data_, size, CopyDirection::device_to_host, s_));
  }

  // What a copy brings whose source is written again before anything waits for it.
  int brought_from_reused_source() {
    put();
    host_.fill(std::byte{2});
    ok(driver_.synchronize_stream(s_));
    return visible(data_);
  }
  // What lies in a copy's target before anything waits for it.
  int found_without_waiting() {
    write(s_, data_, 3);
    fetch();
    return std::to_integer<int>(host_.back());
  }

  std::byte* data_ = nullptr;
  Stream s_{};
  std::array<std::byte, size> host_{};
};

TEST_F(Pageable, EarlyIsAtOnce) {
  start({.schedule = Schedule::eager});
  EXPECT_EQ(brought_from_reused_source(), 1);
  EXPECT_EQ(found_without_waiting(), 3);
}

TEST_F(Pageable, LateIsWhenSomethingWaits) {
  start({.schedule = Schedule::late});
  EXPECT_EQ(brought_from_reused_source(), 2);
  EXPECT_EQ(found_without_waiting(), 2);
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(host_.back(), std::byte{3});
}

TEST_F(Pageable, TheSeedDecides) {
  std::set<int> brought, found;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    start({.schedule = Schedule::seeded, .seed = seed});
    brought.insert(brought_from_reused_source());
    host_.fill(std::byte{2});
    found.insert(found_without_waiting());
    ok(driver_.synchronize_stream(s_));
  }
  EXPECT_EQ(brought, (std::set<int>{1, 2}));
  EXPECT_EQ(found, (std::set<int>{2, 3}));
}

TEST_F(Pageable, ASourceThatPendingWorkStillWritesIsReadBehindIt) {
  for (std::uint64_t seed = 0; seed <= seeds; ++seed) {
    start({.schedule = seed == 0 ? Schedule::eager : Schedule::seeded, .seed = seed});
    std::byte* const to = buffer();
    write(s_, data_, 3);
    fetch();
    ok(driver_.copy_async(to, host_.data(), size, CopyDirection::host_to_device, s_));
    ok(driver_.synchronize_stream(s_));
    EXPECT_EQ(visible(to), 3) << "seed " << seed;
  }
}

TEST_F(Pageable, ASourceBehindAHostFunctionIsReadBehindIt) {
  start({.schedule = Schedule::eager});
  ok(driver_.launch_host_function(
      s_, [](void* host) { std::memset(host, 5, size); }, host_.data()));
  put();
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(visible(data_), 5);
}

TEST_F(Pageable, ASourceBehindLegacyWorkIsReadBehindIt) {
  start({.schedule = Schedule::eager});
  s_ = stream(StreamKind::blocking);
  ok(driver_.launch_host_function(
      Stream::legacy, [](void* host) { std::memset(host, 5, size); }, host_.data()));
  put();
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(visible(data_), 5);
}

TEST_F(Pageable, RowsAreNoDifferent) {
  start({.schedule = Schedule::late});
  ok(driver_.copy_2d_async(data_, 8, host_.data(), 8, 8, 8, CopyDirection::inferred, s_));
  host_.fill(std::byte{2});
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(visible(data_), 2);
}

TEST_F(Pageable, WhoWaitsSeesNoDifference) {
  for (const Schedule schedule : {Schedule::eager, Schedule::late, Schedule::seeded}) {
    start({.schedule = schedule});
    put();
    ok(driver_.synchronize_stream(s_));
    host_.fill(std::byte{2});
    fetch();
    ok(driver_.synchronize_stream(s_));
    EXPECT_EQ(host_.back(), std::byte{1});
    EXPECT_EQ(races(), 0u);
  }
}

TEST_F(Pageable, ThatACopyHasRunAtOnceIsNotKnown) {
  start({.schedule = Schedule::eager});
  fetch();
  write(stream(), data_);
  EXPECT_EQ(races(), 1u) << "no program may rely on it";
}

TEST_F(Pageable, BetweenHostMemoriesACopyIsSynchronous) {
  start({.schedule = Schedule::late});
  std::array<std::byte, size> other{};
  ok(driver_.copy_async(other.data(), host_.data(), size, CopyDirection::host_to_host, s_));
  EXPECT_EQ(other.back(), std::byte{1});
}

TEST_F(Pageable, ABlockingCopyHasTakenItsSource) {
  start({.schedule = Schedule::late});
  ok(driver_.copy(data_, host_.data(), size, CopyDirection::host_to_device));
  host_.fill(std::byte{2});
  EXPECT_NE(visible(data_), 1) << "it may still be under way to the device";
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(data_), 1);
}

TEST_F(Pageable, ABlockingCopyTakesItsSourceBehindItsStream) {
  start({.schedule = Schedule::late});
  ok(driver_.launch_host_function(
      Stream::legacy, [](void* host) { std::memset(host, 5, size); }, host_.data()));
  ok(driver_.copy(data_, host_.data(), size, CopyDirection::host_to_device));
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(data_), 5);
}

TEST_F(Pageable, ABlockingCopyOfRowsHasTakenItsSource) {
  start({.schedule = Schedule::late});
  ok(driver_.copy_box(data_, {8}, host_.data(), {8}, {8, 8}, CopyDirection::host_to_device,
                      Stream::null));
  host_.fill(std::byte{2});
  EXPECT_NE(visible(data_), 1);
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(data_), 1);
}

TEST_F(Pageable, ABlockingCopyInTheStreamOfTheThreadLeavesTheOthersAlone) {
  start({.schedule = Schedule::late});
  std::byte* const other = buffer();
  write(s_, other, 7);
  ok(driver_.copy_box(host_.data(), {8}, data_, {8}, {8, 8}, CopyDirection::inferred,
                      Stream::per_thread));
  EXPECT_NE(visible(other), 7);
}

TEST_F(Pageable, ABlockingCopyToTheHostIsComplete) {
  start({.schedule = Schedule::late});
  ok(driver_.fill(data_, 3, size));
  ok(driver_.copy_box(host_.data(), {8}, data_, {8}, {8, 8}, CopyDirection::inferred,
                      Stream::null));
  EXPECT_EQ(host_.back(), std::byte{3});
}

TEST_F(Pageable, HipIsAlwaysAtOnce) {
  start({.vendor = Vendor::rocm, .schedule = Schedule::late});
  EXPECT_EQ(brought_from_reused_source(), 1);
  EXPECT_EQ(found_without_waiting(), 3);
}

TEST_F(Pageable, AGraphReadsItWhenItIsLaunched) {
  for (const Vendor vendor : {Vendor::cuda, Vendor::rocm}) {
    start({.vendor = vendor, .schedule = Schedule::eager});
    Graph graph{};
    GraphExec executable{};
    ok(driver_.begin_capture(s_, CaptureMode::relaxed));
    put();
    ok(driver_.end_capture(s_, graph));
    host_.fill(std::byte{2});
    ok(driver_.instantiate(graph, executable));
    ok(driver_.launch_graph(executable, s_));
    ok(driver_.synchronize_stream(s_));
    EXPECT_EQ(visible(data_), 2);
  }
}

// ---- directions ---------------------------------------------------------------------------------

TEST_F(Pageable, PinnedMemoryIsADevicesToo) {
  start({});
  std::byte* const pinned = buffer(MemoryKind::pinned);
  ok(driver_.copy(pinned, host_.data(), size, CopyDirection::host_to_device));
  EXPECT_EQ(pinned[0], std::byte{1});
  host_.fill(std::byte{2});
  ok(driver_.copy(host_.data(), pinned, size, CopyDirection::device_to_host));
  EXPECT_EQ(host_.back(), std::byte{1});
  ok(driver_.copy(pinned, pinned + size / 2, size / 2, CopyDirection::device_to_device));
  ok(driver_.copy(data_, pinned, size, CopyDirection::device_to_device));
}

TEST_F(Pageable, PageableMemoryIsNoDevices) {
  start({});
  std::array<std::byte, size> other{};
  for (const CopyDirection direction :
       {CopyDirection::host_to_device, CopyDirection::device_to_host,
        CopyDirection::device_to_device})
    EXPECT_EQ(driver_.copy(other.data(), host_.data(), size, direction), Status::invalid_value);
}

TEST_F(Pageable, DeviceMemoryIsNotTheHosts) {
  start({});
  std::byte* const pinned = buffer(MemoryKind::pinned);
  EXPECT_EQ(driver_.copy(data_, pinned, size, CopyDirection::device_to_host),
            Status::invalid_value);
  EXPECT_EQ(driver_.copy(pinned, data_, size, CopyDirection::host_to_device),
            Status::invalid_value);
  EXPECT_EQ(driver_.copy(pinned, data_, size, CopyDirection::host_to_host), Status::invalid_value);
}

}  // namespace
}  // namespace dlcert::driver
