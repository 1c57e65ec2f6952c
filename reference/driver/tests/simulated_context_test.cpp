// SPDX-License-Identifier: Apache-2.0
//
// What belongs to a device as a whole, and what streams are asked beside their work.
// Source: CUDA Runtime API, cudaDeviceReset, cudaInitDevice, cudaStreamCreateWithPriority,
// cudaGetSymbolAddress; programming guide, "Prohibited and Unhandled Operations" of captures.

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class SimulatedContext : public Simulated {
 protected:
  void* variable(const char& key, std::size_t bytes = size) {
    void* found = nullptr;
    bool made = false;
    ok(driver_.device_variable(&key, bytes, found, made));
    return found;
  }
};

// ---- reset --------------------------------------------------------------------------------------

TEST_F(SimulatedContext, AResetEndsTheStreamsEventsAndMemoryOfItsDevice) {
  const Living before = driver_.living();
  const Stream on = stream();
  const Event recorded = event();
  std::byte* const memory = buffer();
  buffer(MemoryKind::pinned);
  write(on, memory);
  record(recorded, on);
  ok(driver_.reset_device());
  EXPECT_EQ(driver_.query_stream(on), Status::invalid_handle);
  EXPECT_EQ(driver_.query_event(recorded), Status::invalid_handle);
  EXPECT_EQ(driver_.release(MemoryKind::device, memory), Status::invalid_value);
  EXPECT_EQ(driver_.living().allocations, before.allocations);
  EXPECT_EQ(driver_.living().streams, before.streams);
  EXPECT_EQ(driver_.living().events, before.events);
  EXPECT_EQ(driver_.pending(), 0u);
}

TEST_F(SimulatedContext, AResetLeavesOtherDevicesAlone) {
  set_device(1);
  const Stream on = stream();
  std::byte* const memory = buffer();
  set_device(0);
  ok(driver_.reset_device());
  write(on, memory);
  ok(driver_.synchronize_stream(on));
  EXPECT_EQ(visible(memory), 1);
}

TEST_F(SimulatedContext, AResetLeavesWhatAStreamAllocated) {
  const Stream on = stream();
  void* memory = nullptr;
  ok(driver_.allocate_async(size, on, memory));
  ok(driver_.reset_device());
  ok(driver_.release_async(memory, Stream::null));
}

TEST_F(SimulatedContext, AResetEndsTheContextAndTheNextCallMakesANewOne) {
  bool has = false;
  buffer();
  ok(driver_.reset_device());
  ok(driver_.has_context(0, has));
  EXPECT_FALSE(has);
  buffer();
  ok(driver_.has_context(0, has));
  EXPECT_TRUE(has);
}

TEST_F(SimulatedContext, AResetTellsTheHostNothing) {
  std::byte* const pinned = buffer(MemoryKind::pinned);
  set_device(1);
  const Stream on = stream();
  write(on, pinned);
  ok(driver_.reset_device());
  host_reads(pinned);
  EXPECT_EQ(races(), 1u);
}

TEST_F(SimulatedContext, AResetBreaksTheCapturesOfItsStreams) {
  const Stream on = stream();
  ok(driver_.begin_capture(on, CaptureMode::relaxed));
  ok(driver_.reset_device());
  buffer();
}

TEST_F(SimulatedContext, AResetForgetsPeers) {
  ok(driver_.enable_peer_access(1));
  ok(driver_.reset_device());
  ok(driver_.enable_peer_access(1));
}

// ---- variables ----------------------------------------------------------------------------------

TEST_F(SimulatedContext, AVariableIsZeroAtFirstAndTheSameEachTime) {
  static const char key = 0;
  bool made = false;
  void* first = nullptr;
  ok(driver_.device_variable(&key, size, first, made));
  EXPECT_TRUE(made);
  EXPECT_EQ(visible(static_cast<std::byte*>(first)), 0);
  void* again = nullptr;
  ok(driver_.device_variable(&key, size, again, made));
  EXPECT_FALSE(made);
  EXPECT_EQ(first, again);
}

TEST_F(SimulatedContext, EachDeviceHasAVariableOfItsOwn) {
  static const char key = 0;
  const void* const here = variable(key);
  set_device(1);
  EXPECT_NE(variable(key), here);
}

TEST_F(SimulatedContext, AVariableIsNoAllocation) {
  static const char key = 0;
  const Living before = driver_.living();
  void* const memory = variable(key);
  EXPECT_EQ(driver_.living().allocations, before.allocations);
  EXPECT_EQ(driver_.release(MemoryKind::device, memory), Status::invalid_value);
  EXPECT_EQ(driver_.release_async(memory, stream()), Status::invalid_value);
  driver_.drop_device_variable(&key);
  EXPECT_EQ(driver_.living().allocations, before.allocations);
  EXPECT_EQ(driver_.view(memory), nullptr);
}

// ---- streams ------------------------------------------------------------------------------------

TEST_F(SimulatedContext, PrioritiesAreWithinTheRange) {
  for (const auto& [asked, given] : {std::pair{0, 0}, {-3, -3}, {-9, -5}, {4, 0}}) {
    Stream made{};
    StreamDetails found;
    ok(driver_.create_stream(StreamKind::blocking, asked, made));
    ok(driver_.stream_details(made, found));
    EXPECT_EQ(found.priority, given);
  }
}

TEST_F(SimulatedContext, AStreamTellsItsDevice) {
  StreamDetails found;
  set_device(1);
  const Stream on = stream();
  set_device(0);
  ok(driver_.stream_details(on, found));
  EXPECT_EQ(found.device, 1);
  ok(driver_.stream_details(Stream::per_thread, found));
  EXPECT_EQ(found.device, 0);
  EXPECT_EQ(driver_.stream_details(Stream{77}, found), Status::invalid_handle);
}

TEST_F(SimulatedContext, AnOperationThatTouchesNothingIsOrderedAndNoKernel) {
  const Stream on = stream();
  const std::uint64_t kernels = driver_.opaque_launches();
  ok(driver_.submit_nothing("prefetch", on));
  EXPECT_EQ(driver_.opaque_launches(), kernels);
  EXPECT_EQ(driver_.query_stream(on), Status::not_ready);
  ok(driver_.synchronize_stream(on));
  EXPECT_EQ(races(), 0u);
}

TEST_F(SimulatedContext, WhatNoGraphCanHoldIsRefusedAndTheCaptureGoesOn) {
  const Stream on = stream();
  CaptureStatus status{};
  ok(driver_.begin_capture(on, CaptureMode::global));
  EXPECT_EQ(driver_.submit_nothing("prefetch", on), Status::capture_unsupported);
  ok(driver_.capture_status(on, status));
  EXPECT_EQ(status, CaptureStatus::active);
}

// ---- devices and worlds -------------------------------------------------------------------------

TEST_F(SimulatedContext, ADeviceIsInitialisedWithoutBecomingCurrent) {
  int current = -1;
  ok(driver_.init_device(1));
  EXPECT_EQ(driver_.devices_in_use(), std::vector<int>{1});
  ok(driver_.current_device(current));
  EXPECT_EQ(current, 0);
  EXPECT_EQ(driver_.init_device(2), Status::invalid_device);
}

TEST_F(SimulatedContext, RestartsAreCounted) {
  const std::uint64_t before = driver_.restarts();
  restart({});
  EXPECT_EQ(driver_.restarts(), before + 1);
}

TEST_F(SimulatedContext, TheRangeOfMemoryIsFoundFromWithin) {
  std::byte* const memory = buffer();
  MemoryRange first, second;
  ASSERT_TRUE(driver_.memory_range(memory + 5, first));
  EXPECT_EQ(first.begin, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(first.bytes, size);
  ASSERT_TRUE(driver_.memory_range(buffer(), second));
  EXPECT_NE(first.id, second.id);
  EXPECT_FALSE(driver_.memory_range(&first, second));
}

}  // namespace
}  // namespace dlcert::driver
