// SPDX-License-Identifier: Apache-2.0
//
// A driver that does not start, that does not survive a fork, and which devices it has in use.
// Source: CUDA Runtime API, "Initialization", cudaSetDevice, cudaDeviceCanAccessPeer.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "simulated_fixture.hpp"

// Else TSan ends a forked child that starts a thread, as a world that it restarts does.
#if defined(__SANITIZE_THREAD__)
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0";
}
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace dlcert::driver {
namespace {

/// Whether `body()` holds in a forked child, which ends then.
template <class Body>
bool holds_in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int state = 0;
  return ::waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

TEST_F(Simulated, DevicesBearTheNamesAndCapabilitiesThatTheyWereGiven) {
  restart({.devices = 2, .models = {{"Tesla K40c", 3, 5}}});
  DeviceProperties given, default_one;
  ok(driver_.properties(0, given));
  ok(driver_.properties(1, default_one));
  EXPECT_EQ(given.name, "Tesla K40c");
  EXPECT_EQ(given.major, 3);
  EXPECT_EQ(given.minor, 5);
  EXPECT_EQ(default_one.name, "Simulated NVIDIA device");
  EXPECT_EQ(default_one.major, 9);
}

TEST_F(Simulated, WhatCannotStartAnswersEveryCallWithItsError) {
  for (const Status error :
       {Status::insufficient_driver, Status::no_device, Status::not_initialized, Status::unknown}) {
    restart({.devices = 2, .start_error = error});
    int count = 7;
    Stream made{};
    EXPECT_EQ(driver_.device_count(count), error);
    EXPECT_EQ(count, 7);
    EXPECT_EQ(driver_.set_device(0), error);
    EXPECT_EQ(driver_.create_stream(StreamKind::blocking, 0, made), error);
    EXPECT_EQ(driver_.peek_error(), error);
    EXPECT_TRUE(driver_.devices_in_use().empty());
  }
}

TEST_F(Simulated, VersionIsTheGivenOneOrTheVendors) {
  EXPECT_EQ(driver_.version(), 13000);
  restart({.version = 10020});
  EXPECT_EQ(driver_.version(), 10020);
  EXPECT_THROW(driver_.restart({.version = -1}), std::invalid_argument);
}

TEST_F(Simulated, DriverIsAsNewAsTheRuntimeUnlessItIsTooOldOrMissing) {
  restart({.version = 10020});
  EXPECT_EQ(driver_.driver_version(), 10020);
  restart({.start_error = Status::insufficient_driver});
  EXPECT_EQ(driver_.driver_version(), 0);
  restart({.start_error = Status::insufficient_driver, .driver_version = 11040});
  EXPECT_EQ(driver_.driver_version(), 11040);
  EXPECT_THROW(driver_.restart({.driver_version = -1}), std::invalid_argument);
}

TEST_F(Simulated, PeerAccessIsDeniedToThePairsThatWereNamed) {
  restart({.devices = 2, .without_peer_access = {{0, 1}}});
  bool can = true;
  ok(driver_.can_access_peer(0, 1, can));
  EXPECT_FALSE(can);
  ok(driver_.can_access_peer(1, 0, can));
  EXPECT_TRUE(can);
}

TEST_F(Simulated, OnlyDevicesThatWereWorkedOnAreInUse) {
  int count = 0;
  bool has = true;
  DeviceProperties properties;
  ok(driver_.device_count(count));
  ok(driver_.properties(0, properties));
  ok(driver_.has_context(1, has));
  EXPECT_FALSE(has);
  EXPECT_TRUE(driver_.devices_in_use().empty());
  set_device(1);
  EXPECT_EQ(driver_.devices_in_use(), std::vector{1});
  std::thread{[&] { ok(driver_.synchronize_device()); }}.join();  // another thread is on device 0
  EXPECT_EQ(driver_.devices_in_use(), (std::vector{0, 1}));
  ok(driver_.has_context(1, has));
  EXPECT_TRUE(has);
  EXPECT_EQ(driver_.has_context(2, has), Status::invalid_device);
}

TEST_F(Simulated, WhatWasMadeAndNotEndedIsCounted) {
  const Living before = driver_.living();
  Stream stream{};
  Event event{};
  void* memory = nullptr;
  ok(driver_.create_stream(StreamKind::blocking, 0, stream));
  ok(driver_.create_event(EventTiming::disabled, event));
  ok(driver_.allocate(MemoryKind::pinned, 16, memory));
  EXPECT_EQ(driver_.living().streams, before.streams + 1);
  EXPECT_EQ(driver_.living().events, before.events + 1);
  EXPECT_EQ(driver_.living().allocations, before.allocations + 1);
  ok(driver_.destroy_stream(stream));
  ok(driver_.destroy_event(event));
  ok(driver_.release(MemoryKind::pinned, memory));
  EXPECT_EQ(driver_.living().streams, before.streams);
  EXPECT_EQ(driver_.living().events, before.events);
  EXPECT_EQ(driver_.living().allocations, before.allocations);
}

TEST_F(Simulated, QueriesOfDevicesAreTraced) {
  int count = 0;
  DeviceProperties properties;
  driver_.start_trace();
  ok(driver_.device_count(count));
  ok(driver_.properties(0, properties));
  set_device(1);
  const std::vector<Call> calls = driver_.stop_trace();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].function, "device_count");
  EXPECT_EQ(calls[1].function, "properties");
  EXPECT_EQ(calls[2].function, "set_device");
  EXPECT_EQ(calls[2].device, 1);
}

// ---- forks --------------------------------------------------------------------------------------

TEST_F(Simulated, AChildThatIsForkedAfterTheFirstCallIsNotInitialized) {
  restart({.ends_at_fork = true});
  int count = 0;
  ok(driver_.device_count(count));
  EXPECT_TRUE(holds_in_child([&] {
    int found = 7;
    return driver_.device_count(found) == Status::not_initialized && found == 7 &&
           driver_.synchronize_device() == Status::not_initialized;
  }));
  EXPECT_EQ(driver_.device_count(count), Status::success) << "in the parent";
}

TEST_F(Simulated, AForkBeforeTheFirstCallIsHarmless) {
  restart({.ends_at_fork = true});
  EXPECT_TRUE(holds_in_child([&] { return driver_.synchronize_device() == Status::success; }));
}

TEST_F(Simulated, AChildThatRestartsHasAWorldOfItsOwn) {
  restart({.ends_at_fork = true});
  std::byte* const of_parent = buffer();
  ok(driver_.fill(of_parent, 1, size));
  ok(driver_.synchronize_device());
  EXPECT_TRUE(holds_in_child([&] {
    driver_.restart({.memory_per_device = std::uint64_t{1} << 28});
    void* own = nullptr;
    bool right = driver_.view(of_parent) == nullptr &&
                 driver_.allocate(MemoryKind::device, size, own) == Status::success &&
                 driver_.fill(own, 2, size) == Status::success &&
                 driver_.synchronize_device() == Status::success;
    return right && driver_.view(own)[0] == std::byte{2};
  }));
  EXPECT_EQ(visible(of_parent), 1);
}

TEST_F(Simulated, AChildThatRestartsHasAThreadForHostFunctionsAgain) {
  std::array<int, 1> ran{};
  const HostFunction count = [](void* data) { ++*static_cast<int*>(data); };
  ok(driver_.launch_host_function(Stream::null, count, ran.data()));
  ok(driver_.synchronize_device());
  EXPECT_TRUE(holds_in_child([&] {
    driver_.restart({});
    return driver_.launch_host_function(Stream::null, count, ran.data()) == Status::success &&
           driver_.synchronize_device() == Status::success && ran[0] == 2;
  }));
}

TEST_F(Simulated, AForkWhileOtherThreadsCallLeavesTheChildUsable) {
  std::atomic<bool> ended = false;
  std::thread caller{[&] {
    int count = 0;
    while (!ended)
      ok(driver_.device_count(count));
  }};
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(holds_in_child([&] {
      driver_.restart({});
      return driver_.synchronize_device() == Status::success;
    }));
  ended = true;
  caller.join();
}

}  // namespace
}  // namespace dlcert::driver
