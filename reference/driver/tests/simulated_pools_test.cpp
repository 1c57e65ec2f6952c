// SPDX-License-Identifier: Apache-2.0
//
// Memory of streams and its pools. Sources: CUDA programming guide, "Stream-Ordered Memory
// Allocator"; CUDA Runtime API, "Stream Ordered Memory Allocator" and cudaFree.

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Pools : public Simulated {
 protected:
  std::byte* allocate(Stream on, std::size_t bytes = size) {
    void* made = nullptr;
    ok(driver_.allocate_async(bytes, on, made));
    return static_cast<std::byte*>(made);
  }
  std::byte* allocate_from(Pool pool, Stream on, std::size_t bytes = size) {
    void* made = nullptr;
    ok(driver_.allocate_from(pool, bytes, on, made));
    return static_cast<std::byte*>(made);
  }
  Status release(std::byte* memory) { return driver_.release(MemoryKind::device, memory); }
  Pool first(int device = 0) {
    Pool found{};
    ok(driver_.default_pool(device, found));
    return found;
  }
  Pool current(int device = 0) {
    Pool found{};
    ok(driver_.current_pool(device, found));
    return found;
  }
  Pool pool(int device = 0, std::uint64_t bytes = 0) {
    Pool made{};
    ok(driver_.create_pool(device, bytes, made));
    return made;
  }
  std::uint64_t get(Pool of, PoolAttribute attribute) {
    std::uint64_t value = ~std::uint64_t{0};
    ok(driver_.pool_attribute(of, attribute, value));
    return value;
  }
  std::uint64_t free_bytes() {
    std::uint64_t free = 0, total = 0;
    ok(driver_.memory_info(free, total));
    EXPECT_EQ(total, std::uint64_t{1} << 28);
    return free;
  }

  Stream s_ = stream();
};

// ---- release by the host ------------------------------------------------------------------------

TEST_F(Pools, ReleaseByTheHostWaitsForNothing) {
  std::byte* const data = allocate(s_);
  write(s_, data);
  const std::size_t pending = driver_.pending();
  ok(release(data));
  EXPECT_EQ(driver_.pending(), pending);
}

TEST_F(Pools, ReleaseByTheHostRacesWithWorkThatItDoesNotKnowToBeOver) {
  std::byte* const data = allocate(s_);
  read(s_, data);
  ok(release(data));
  const std::vector<Race> found = driver_.take_races();
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.back().second.starts_with("write by release,")) << found.back().text();
}

TEST_F(Pools, ReleaseByTheHostBehindSynchronisationIsNoRace) {
  std::byte* const data = allocate(s_);
  read(s_, data);
  ok(driver_.synchronize_stream(s_));
  ok(release(data));
  EXPECT_EQ(races(), 0u);
  EXPECT_EQ(release(data), Status::invalid_value) << "twice";
}

TEST_F(Pools, OtherMemoryIsReleasedAsEver) {
  std::byte* const data = buffer();
  read(s_, data);
  ok(release(data));
  EXPECT_EQ(driver_.pending(), 0u);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Pools, HipSaysThatItsReleaseSynchronises) {
  restart({.vendor = Vendor::rocm});
  const Stream s = stream();
  std::byte* const data = allocate(s);
  read(s, data);
  ok(release(data));
  EXPECT_EQ(driver_.pending(), 0u);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Pools, OtherMemoryMayBeReleasedInStreamOrder) {
  std::byte* const data = buffer();
  read(s_, data);
  ok(driver_.release_async(data, s_));
  EXPECT_EQ(races(), 0u);
}

// ---- use after release --------------------------------------------------------------------------

TEST_F(Pools, WhatIsSubmittedBehindAReleaseMayNotUseTheMemoryInAnySchedule) {
  for (const Schedule schedule : {Schedule::eager, Schedule::late}) {
    driver_.set_schedule(schedule, 1);
    std::byte* const data = allocate(s_);
    write(s_, data);
    ok(driver_.release_async(data, s_));
    EXPECT_EQ(driver_.fill_async(data, 0, size, s_), Status::invalid_value);
    EXPECT_EQ(driver_.release_async(data, s_), Status::invalid_value);
    EXPECT_EQ(release(data), Status::invalid_value);
    PointerAttributes found;
    ok(driver_.attributes(data, found));
    EXPECT_EQ(found.kind, MemoryKind::pageable);
  }
}

TEST_F(Pools, AKernelBehindAReleaseIsTold) {
  std::byte* const data = allocate(s_);
  ok(driver_.release_async(data, s_));
  read(s_, data);
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].first.starts_with("read by reader")) << found[0].text();
  EXPECT_NE(found[0].text().find("it was released"), std::string::npos) << found[0].text();
}

// A scope says what a launch may touch, not that it does.
TEST_F(Pools, WhatAScopeNamesMayBeReleasedWithinIt) {
  std::byte* const data = allocate(s_);
  driver_.begin_scope("import",
                      {AccessKind::read, {reinterpret_cast<std::uintptr_t>(data), size, {}}});
  ok(driver_.release_async(data, s_));
  ok(driver_.launch("another", s_, {}));
  driver_.end_scope(true);
  EXPECT_EQ(races(), 0u);
}

// ---- pools --------------------------------------------------------------------------------------

TEST_F(Pools, EachDeviceHasAPoolThatIsCurrentAtFirst) {
  EXPECT_NE(first(0), first(1));
  EXPECT_EQ(current(0), first(0));
  Pool found{};
  EXPECT_EQ(driver_.default_pool(2, found), Status::invalid_device);
}

TEST_F(Pools, AllocationTakesFromTheCurrentPoolOfTheStreamsDevice) {
  const Pool own = pool();
  ok(driver_.set_current_pool(0, own));
  EXPECT_EQ(current(), own);
  allocate(s_);
  EXPECT_EQ(get(own, PoolAttribute::used), 512u);
  EXPECT_EQ(get(first(), PoolAttribute::used), 0u);
  EXPECT_EQ(driver_.set_current_pool(1, own), Status::invalid_value) << "of another device";
  EXPECT_EQ(driver_.set_current_pool(0, Pool{7}), Status::invalid_value);
}

TEST_F(Pools, MemoryOfAPoolOfAnotherDeviceIsOrderedInTheStream) {
  const Pool other = pool(1);
  std::byte* const data = allocate_from(other, s_);
  PointerAttributes found;
  ok(driver_.attributes(data, found));
  EXPECT_EQ(found.device, 1);
  write(s_, data);
  EXPECT_EQ(races(), 0u);
  read(stream(), data);
  EXPECT_GE(races(), 1u);
}

TEST_F(Pools, TheReserveIsKeptUpToTheThresholdWhenTheHostWaits) {
  const Pool own = pool();
  const std::uint64_t before = free_bytes();
  std::byte* const data = allocate_from(own, s_, 4096);
  ok(driver_.release_async(data, s_));
  EXPECT_EQ(get(own, PoolAttribute::used), 4096u) << "the release has not run";
  ok(driver_.set_pool_attribute(own, PoolAttribute::release_threshold, 1024));
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(get(own, PoolAttribute::used), 0u);
  EXPECT_EQ(get(own, PoolAttribute::reserved), 1024u);
  EXPECT_EQ(get(own, PoolAttribute::reserved_high), 4096u);
  EXPECT_EQ(free_bytes(), before - 1024);
  ok(driver_.trim_pool(own, 512));
  EXPECT_EQ(get(own, PoolAttribute::reserved), 512u);
  ok(driver_.trim_pool(own, 2048));
  EXPECT_EQ(get(own, PoolAttribute::reserved), 512u) << "trimming reserves nothing";
}

TEST_F(Pools, TrimmingLeavesWhatIsUsed) {
  const Pool own = pool();
  allocate_from(own, s_, 4096);
  ok(driver_.trim_pool(own, 0));
  EXPECT_EQ(get(own, PoolAttribute::reserved), 4096u);
}

TEST_F(Pools, MarksAreResetToZeroOnly) {
  const Pool own = pool();
  std::byte* const data = allocate_from(own, s_, 4096);
  ok(driver_.release_async(data, s_));
  ok(driver_.synchronize_stream(s_));
  for (const PoolAttribute mark : {PoolAttribute::used_high, PoolAttribute::reserved_high}) {
    EXPECT_EQ(get(own, mark), 4096u);
    EXPECT_EQ(driver_.set_pool_attribute(own, mark, 1), Status::invalid_value);
    ok(driver_.set_pool_attribute(own, mark, 0));
    EXPECT_EQ(get(own, mark), 0u);
  }
  for (const PoolAttribute level : {PoolAttribute::used, PoolAttribute::reserved, PoolAttribute{9}})
    EXPECT_EQ(driver_.set_pool_attribute(own, level, 0), Status::invalid_value);
}

TEST_F(Pools, ReuseIsAllowedUntilItIsForbidden) {
  const Pool own = pool();
  for (const PoolAttribute reuse :
       {PoolAttribute::reuse_follow_events, PoolAttribute::reuse_internal,
        PoolAttribute::reuse_opportunistic}) {
    EXPECT_EQ(get(own, reuse), 1u);
    ok(driver_.set_pool_attribute(own, reuse, 0));
    EXPECT_EQ(get(own, reuse), 0u);
  }
}

TEST_F(Pools, APoolHasAnEnd) {
  const Pool own = pool(0, 1024);
  allocate_from(own, s_, 1024);
  void* out = nullptr;
  EXPECT_EQ(driver_.allocate_from(own, 1, s_, out), Status::out_of_memory);
}

TEST_F(Pools, WhatADestroyedPoolGaveStays) {
  const Pool own = pool();
  ok(driver_.set_current_pool(0, own));
  std::byte* const data = allocate(s_, 4096);
  ok(driver_.destroy_pool(own));
  EXPECT_EQ(current(), first());
  EXPECT_EQ(driver_.destroy_pool(own), Status::invalid_value);
  write(s_, data);
  const std::uint64_t before = free_bytes();
  ok(driver_.release_async(data, s_));
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(free_bytes(), before + 4096);
}

TEST_F(Pools, ADefaultPoolIsNotDestroyed) {
  EXPECT_EQ(driver_.destroy_pool(first()), Status::invalid_value);
}

TEST_F(Pools, OtherDevicesAreGivenAccess) {
  PoolAccess found{};
  ok(driver_.pool_access(first(), 1, found));
  EXPECT_EQ(found, PoolAccess::none);
  ok(driver_.set_pool_access(first(), 1, PoolAccess::read_write));
  ok(driver_.pool_access(first(), 1, found));
  EXPECT_EQ(found, PoolAccess::read_write);
  EXPECT_EQ(driver_.set_pool_access(first(), 0, PoolAccess::none), Status::invalid_value)
      << "of its own device";
  EXPECT_EQ(driver_.set_pool_access(first(), 2, PoolAccess::read_write), Status::invalid_value);
}

TEST_F(Pools, FreeMemoryIsWhatNobodyHas) {
  const std::uint64_t before = free_bytes();
  std::byte* const data = buffer(MemoryKind::device, 4096);
  EXPECT_EQ(free_bytes(), before - 4096);
  set_device(1);
  EXPECT_EQ(free_bytes(), before) << "of another device";
  set_device(0);
  ok(release(data));
  EXPECT_EQ(free_bytes(), before);
}

}  // namespace
}  // namespace dlcert::driver
