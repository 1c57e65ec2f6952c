// SPDX-License-Identifier: Apache-2.0
//
// Capture: what it forbids, and what a replay does. Source: CUDA Runtime API, "Stream Management",
// "Graph Management", and the cudaErrorStreamCapture* values of driver_types.h 13.0.

#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Capturing : public Simulated {
 protected:
  void begin(Stream s, CaptureMode mode = CaptureMode::relaxed) {
    ok(driver_.begin_capture(s, mode));
  }
  Status end(Stream s) { return driver_.end_capture(s, graph_); }
  CaptureStatus status(Stream s) {
    CaptureStatus found{};
    ok(driver_.capture_status(s, found));
    return found;
  }
  void expect_broken(Stream s) {
    EXPECT_EQ(status(s), CaptureStatus::invalidated);
    EXPECT_EQ(driver_.fill_async(data_, 0, size, s), Status::capture_invalidated);
    EXPECT_EQ(end(s), Status::capture_invalidated);
    EXPECT_EQ(graph_, Graph{});
    EXPECT_EQ(status(s), CaptureStatus::none);
  }
  void replay(Stream s) {
    GraphExec executable{};
    ok(driver_.instantiate(graph_, executable));
    ok(driver_.launch_graph(executable, s));
  }

  std::byte* data_ = buffer();
  Stream s_ = stream();
  Graph graph_{};
};

TEST_F(Capturing, CapturedWorkDoesNotRun) {
  begin(s_);
  write(s_, data_, 7);
  EXPECT_EQ(end(s_), Status::success);
  ok(driver_.synchronize_stream(s_));
  EXPECT_NE(visible(data_), 7);
}

TEST_F(Capturing, AReplayRunsIt) {
  begin(s_);
  write(s_, data_, 7);
  ok(end(s_));
  replay(s_);
  ok(driver_.synchronize_stream(s_));
  EXPECT_EQ(visible(data_), 7);
}

TEST_F(Capturing, AReplayIsOrderedLikeAnyWorkOfItsStream) {
  const Stream other = stream();
  begin(s_);
  write(s_, data_, 7);
  ok(end(s_));
  replay(s_);
  read(s_, data_);
  EXPECT_EQ(races(), 0u);
  read(other, data_);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Capturing, AWaitForACapturedEventJoinsTheCapture) {
  const Stream other = stream();
  begin(s_);
  write(s_, data_, 7);
  order(s_, other);
  EXPECT_EQ(status(other), CaptureStatus::active);
  read(other, data_);
  order(other, s_);
  EXPECT_EQ(end(s_), Status::success);
  EXPECT_EQ(status(other), CaptureStatus::none);
  replay(s_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Capturing, BranchesOfAGraphHaveNoOrder) {
  const Stream other = stream();
  begin(s_);
  order(s_, other);
  write(s_, data_, 7);
  read(other, data_);
  order(other, s_);
  ok(end(s_));
  EXPECT_EQ(races(), 0u) << "nothing has run";
  replay(s_);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Capturing, ABranchThatIsNotJoinedIsAnError) {
  const Stream other = stream();
  begin(s_);
  order(s_, other);
  write(other, data_);
  EXPECT_EQ(end(s_), Status::capture_unjoined);
  EXPECT_EQ(status(other), CaptureStatus::none);
}

TEST_F(Capturing, WaitingForACapturingStreamBreaksTheCapture) {
  begin(s_);
  EXPECT_EQ(driver_.synchronize_stream(s_), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(Capturing, AskingACapturingStreamBreaksTheCapture) {
  begin(s_);
  EXPECT_EQ(driver_.query_stream(s_), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(Capturing, WaitingForTheDeviceBreaksTheCapture) {
  begin(s_);
  EXPECT_EQ(driver_.synchronize_device(), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(Capturing, TheLegacyStreamCannotCapture) {
  EXPECT_EQ(driver_.begin_capture(Stream::legacy, CaptureMode::relaxed),
            Status::capture_unsupported);
}

TEST_F(Capturing, LegacyWorkBreaksTheCaptureOfABlockingStream) {
  const Stream blocking = stream(StreamKind::blocking);
  begin(blocking);
  CaptureStatus found{};
  EXPECT_EQ(driver_.capture_status(Stream::legacy, found), Status::capture_implicit);
  EXPECT_EQ(status(blocking), CaptureStatus::active) << "asking breaks nothing";
  EXPECT_EQ(driver_.fill_async(data_, 0, size, Stream::legacy), Status::capture_implicit);
  expect_broken(blocking);
}

TEST_F(Capturing, LegacyWorkLeavesTheCaptureOfANonBlockingStreamAlone) {
  begin(s_);
  ok(driver_.fill_async(data_, 0, size, Stream::legacy));
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(Capturing, AWaitForWhatHappenedOutsideBreaksTheCapture) {
  const Stream outside = stream();
  const Event made = event();
  record(made, outside);
  begin(s_);
  EXPECT_EQ(driver_.wait_event(s_, made), Status::capture_isolation);
  expect_broken(s_);
}

TEST_F(Capturing, TwoCapturesCannotBecomeOne) {
  const Stream other = stream();
  const Event made = event();
  begin(s_);
  begin(other);
  record(made, s_);
  EXPECT_EQ(driver_.wait_event(other, made), Status::capture_merge);
  expect_broken(s_);
  expect_broken(other);
}

TEST_F(Capturing, ACapturedEventIsNotAskedFor) {
  const Event made = event();
  begin(s_);
  record(made, s_);
  EXPECT_EQ(driver_.query_event(made), Status::captured_event);
  expect_broken(s_);
}

TEST_F(Capturing, EndsWhereItBegan) {
  const Stream other = stream();
  begin(s_);
  order(s_, other);
  EXPECT_EQ(end(other), Status::capture_unmatched);
}

TEST_F(Capturing, IsLostWhenAnotherThreadEndsIt) {
  begin(s_, CaptureMode::thread_local_only);
  std::thread{[&] { EXPECT_EQ(end(s_), Status::capture_wrong_thread); }}.join();
  EXPECT_EQ(end(s_), Status::illegal_state);
}

TEST_F(Capturing, OfHipGoesOnWhenAnotherThreadWantsToEndIt) {
  restart({.vendor = Vendor::rocm});
  s_ = stream();
  begin(s_, CaptureMode::thread_local_only);
  std::thread{[&] { EXPECT_EQ(end(s_), Status::capture_wrong_thread); }}.join();
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(Capturing, GlobalModeForbidsAllocationsOnEveryThread) {
  void* memory = nullptr;
  begin(s_, CaptureMode::global);
  std::thread{[&] {
    EXPECT_EQ(driver_.allocate(MemoryKind::device, size, memory), Status::capture_unsupported);
  }}.join();
  expect_broken(s_);
}

TEST_F(Capturing, ThreadLocalModeForbidsAllocationsOnItsThread) {
  void* memory = nullptr;
  begin(s_, CaptureMode::thread_local_only);
  std::thread{[&] { ok(driver_.allocate(MemoryKind::device, size, memory)); }}.join();
  EXPECT_EQ(driver_.allocate(MemoryKind::device, size, memory), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(Capturing, ARelaxedThreadMayAllocate) {
  void* memory = nullptr;
  begin(s_, CaptureMode::global);
  CaptureMode mode = CaptureMode::relaxed;
  ok(driver_.exchange_capture_mode(mode));
  EXPECT_EQ(mode, CaptureMode::global);
  ok(driver_.allocate(MemoryKind::device, size, memory));
  ok(driver_.exchange_capture_mode(mode));
  EXPECT_EQ(end(s_), Status::success);
}

// An event that was recorded outside of every capture.
class AskedWhileCapturing : public Capturing {
 protected:
  AskedWhileCapturing() { record(outside_, stream()); }

  void expect_answers() {
    EXPECT_NE(driver_.query_event(outside_), Status::capture_unsupported);
    ok(driver_.synchronize_event(outside_));
  }
  template <class Action>
  static void elsewhere(const Action& action) {
    std::thread{action}.join();
  }

  Event outside_ = event();
};

TEST_F(AskedWhileCapturing, GlobalModeForbidsQuestionsForEventsOnEveryThread) {
  begin(s_, CaptureMode::global);
  elsewhere([&] { EXPECT_EQ(driver_.query_event(outside_), Status::capture_unsupported); });
  expect_broken(s_);
  begin(s_, CaptureMode::global);
  elsewhere([&] { EXPECT_EQ(driver_.synchronize_event(outside_), Status::capture_unsupported); });
  expect_broken(s_);
  begin(s_, CaptureMode::global);
  EXPECT_EQ(driver_.query_event(outside_), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(AskedWhileCapturing, ThreadLocalModeForbidsThemOnItsThread) {
  begin(s_, CaptureMode::thread_local_only);
  elsewhere([&] { expect_answers(); });
  EXPECT_EQ(driver_.synchronize_event(outside_), Status::capture_unsupported);
  expect_broken(s_);
}

TEST_F(AskedWhileCapturing, ARelaxedCaptureForbidsThemNowhere) {
  begin(s_, CaptureMode::relaxed);
  expect_answers();
  elsewhere([&] { expect_answers(); });
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(AskedWhileCapturing, ARelaxedThreadMayAsk) {
  begin(s_, CaptureMode::global);
  elsewhere([&] {
    for (CaptureMode mode : {CaptureMode::relaxed, CaptureMode::thread_local_only}) {
      ok(driver_.exchange_capture_mode(mode));
      expect_answers();
    }
  });
  CaptureMode mode = CaptureMode::relaxed;
  ok(driver_.exchange_capture_mode(mode));
  expect_answers();
  ok(driver_.exchange_capture_mode(mode));
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(AskedWhileCapturing, ARelaxedThreadMayNotAskForACapturedEvent) {
  const Event made = event();
  begin(s_, CaptureMode::global);
  record(made, s_);
  CaptureMode mode = CaptureMode::relaxed;
  ok(driver_.exchange_capture_mode(mode));
  EXPECT_EQ(driver_.query_event(made), Status::captured_event);
  ok(driver_.exchange_capture_mode(mode));
  expect_broken(s_);
}

TEST_F(AskedWhileCapturing, OtherStreamsBreakACaptureThatForbidsToAskForEvents) {
  const Stream other = stream();
  begin(s_, CaptureMode::global);
  elsewhere([&] { EXPECT_EQ(driver_.query_stream(other), Status::capture_unsupported); });
  expect_broken(s_);
  begin(s_, CaptureMode::thread_local_only);
  elsewhere([&] { ok(driver_.synchronize_stream(other)); });
  EXPECT_EQ(driver_.synchronize_stream(other), Status::capture_unsupported);
  expect_broken(s_);
  begin(s_, CaptureMode::relaxed);
  ok(driver_.query_stream(other));
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(AskedWhileCapturing, TheTimeBetweenEventsMayBeAskedFor) {
  float milliseconds = 0;
  const Event timed = event(EventTiming::enabled);
  record(timed, stream());
  ok(driver_.synchronize_event(timed));
  begin(s_, CaptureMode::global);
  ok(driver_.elapsed_milliseconds(timed, timed, milliseconds));
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(AskedWhileCapturing, TheEventOfACaptureThatIsOverIsNoValue) {
  const Event recorded = event(EventTiming::enabled);
  begin(s_, CaptureMode::global);
  record(recorded, s_);
  float milliseconds = 0;
  EXPECT_EQ(driver_.elapsed_milliseconds(recorded, recorded, milliseconds), Status::captured_event);
  EXPECT_EQ(end(s_), Status::success);
  EXPECT_EQ(driver_.query_event(recorded), Status::invalid_value);
  EXPECT_EQ(driver_.synchronize_event(recorded), Status::invalid_value);
  EXPECT_EQ(driver_.wait_event(stream(), recorded), Status::invalid_value);
  EXPECT_EQ(driver_.elapsed_milliseconds(recorded, recorded, milliseconds), Status::invalid_value);
}

TEST_F(AskedWhileCapturing, HipForbidsNone) {
  restart({.vendor = Vendor::rocm});
  s_ = stream();
  outside_ = event();
  record(outside_, stream());
  begin(s_, CaptureMode::global);
  expect_answers();
  elsewhere([&] { expect_answers(); });
  EXPECT_EQ(end(s_), Status::success);
}

TEST_F(Capturing, ADestroyedStreamEndsItsCapture) {
  void* memory = nullptr;
  begin(s_, CaptureMode::global);
  ok(driver_.destroy_stream(s_));
  ok(driver_.allocate(MemoryKind::device, size, memory));
}

TEST_F(Capturing, AScopeCountsInAReplay) {
  begin(s_);
  driver_.begin_scope("write of t1",
                      {AccessKind::write, {reinterpret_cast<std::uintptr_t>(data_), size, {}}});
  ok(driver_.launch("kernel", s_, {}));
  driver_.end_scope(false);
  ok(end(s_));
  replay(s_);
  read(stream(), data_);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Capturing, OnRocmABlockingCopyBreaksEveryCapture) {
  restart({.vendor = Vendor::rocm});
  data_ = buffer();
  s_ = stream();
  std::byte* const host = buffer(MemoryKind::pinned);
  begin(s_);
  EXPECT_EQ(driver_.copy(host, data_, size, CopyDirection::device_to_host),
            Status::capture_implicit);
  expect_broken(s_);
}

}  // namespace
}  // namespace dlcert::driver
