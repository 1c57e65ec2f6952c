// SPDX-License-Identifier: Apache-2.0
//
// Devices, handles, errors and what can be seen of a run. Sources: CUDA Runtime API, "Device
// Management", "Peer Device Memory Access", "Error Handling"; CUDA C++ Programming Guide,
// "Multi-Device System".

#include <stdexcept>
#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

TEST_F(Simulated, DevicesAreCountedAndChosenPerThread) {
  int count = 0, device = -1;
  ok(driver_.device_count(count));
  EXPECT_EQ(count, 2);
  set_device(1);
  ok(driver_.current_device(device));
  EXPECT_EQ(device, 1);
  std::thread{[&] { ok(driver_.current_device(device)); }}.join();
  EXPECT_EQ(device, 0);
  EXPECT_EQ(driver_.set_device(2), Status::invalid_device);
  EXPECT_EQ(driver_.set_device(-1), Status::invalid_device);
}

TEST_F(Simulated, WithoutDevicesEverythingSaysSo) {
  restart({.devices = 0});
  int number = 5;
  void* memory = nullptr;
  Stream made{};
  EXPECT_EQ(driver_.device_count(number), Status::no_device);
  EXPECT_EQ(number, 5);
  EXPECT_EQ(driver_.set_device(0), Status::no_device);
  EXPECT_EQ(driver_.allocate(MemoryKind::device, 8, memory), Status::no_device);
  EXPECT_EQ(driver_.create_stream(StreamKind::blocking, 0, made), Status::no_device);
  EXPECT_EQ(driver_.copy(memory, memory, 0, CopyDirection::inferred), Status::no_device);
  EXPECT_EQ(driver_.synchronize_device(), Status::no_device);
}

TEST_F(Simulated, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(driver_.restart({.devices = 65}), std::invalid_argument);
  EXPECT_THROW(driver_.restart({.devices = -1}), std::invalid_argument);
  EXPECT_THROW(driver_.restart({.memory_per_device = 0}), std::invalid_argument);
}

TEST_F(Simulated, DevicesDiffer) {
  DeviceProperties first, second;
  ok(driver_.properties(0, first));
  ok(driver_.properties(1, second));
  EXPECT_NE(first.uuid, second.uuid);
  EXPECT_NE(first.pci_bus_id, second.pci_bus_id);
  EXPECT_EQ(driver_.properties(2, first), Status::invalid_device);
}

TEST_F(Simulated, PeerAccessIsEnabledOnce) {
  bool can = false;
  ok(driver_.can_access_peer(0, 1, can));
  EXPECT_TRUE(can);
  ok(driver_.can_access_peer(0, 0, can));
  EXPECT_FALSE(can);
  EXPECT_EQ(driver_.disable_peer_access(1), Status::peer_access_not_enabled);
  ok(driver_.enable_peer_access(1));
  EXPECT_EQ(driver_.enable_peer_access(1), Status::peer_access_already_enabled);
  EXPECT_EQ(driver_.enable_peer_access(0), Status::invalid_device) << "itself";
  ok(driver_.disable_peer_access(1));
}

TEST_F(Simulated, WhatBelongsToAnotherDevice) {
  const Stream other = stream();
  std::byte* const data = buffer();
  const Event of_first = event();
  set_device(1);
  EXPECT_EQ(driver_.launch("kernel", other, {}), Status::invalid_handle);
  EXPECT_EQ(driver_.fill_async(data, 0, size, other), Status::success);
  EXPECT_EQ(driver_.record_event(event(), other), Status::invalid_handle);
  EXPECT_EQ(driver_.record_event(of_first, other), Status::success);
  EXPECT_EQ(driver_.wait_event(stream(), of_first), Status::success);
  EXPECT_EQ(driver_.synchronize_event(of_first), Status::success);
  EXPECT_EQ(driver_.synchronize_stream(other), Status::success);
}

TEST_F(Simulated, StaleAndInventedHandlesAreRefused) {
  const Stream s = stream();
  const Event made = event();
  ok(driver_.destroy_stream(s));
  ok(driver_.destroy_event(made));
  for (const Stream bad : {s, Stream{3}, Stream{0x7d1000000001}, Stream{~std::uintptr_t{0}}}) {
    EXPECT_EQ(driver_.query_stream(bad), Status::invalid_handle);
    EXPECT_EQ(driver_.destroy_stream(bad), Status::invalid_handle);
    EXPECT_EQ(driver_.wait_event(bad, event()), Status::invalid_handle);
  }
  EXPECT_EQ(driver_.query_event(made), Status::invalid_handle);
  EXPECT_EQ(driver_.record_event(Event{}, Stream::legacy), Status::invalid_handle);
  EXPECT_EQ(driver_.destroy_stream(Stream::legacy), Status::invalid_handle);
  EXPECT_NE(stream(), s) << "a number is never given twice";
}

TEST_F(Simulated, AStreamThatEndsFinishesItsWork) {
  std::byte* const data = buffer();
  const Stream s = stream(), other = stream();
  write(s, data, 7);
  order(s, other);
  ok(driver_.destroy_stream(s));
  ok(driver_.synchronize_stream(other));
  EXPECT_EQ(visible(data), 7);
}

TEST_F(Simulated, AStreamThatFollowsAnEndedOneIsAnotherStream) {
  std::byte* const data = buffer();
  for (int i = 0; i < 10; ++i) {
    const Stream s = stream();
    write(s, data);
    ok(driver_.destroy_stream(s));
  }
  EXPECT_EQ(races(), 9u) << "nobody waited for any of them";
  for (int i = 0; i < 10; ++i) {
    const Stream s = stream();
    write(s, buffer());
    ok(driver_.synchronize_stream(s));
    ok(driver_.destroy_stream(s));
  }
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, StreamsHaveAKindAndAnIdentity) {
  const Stream blocking = stream(StreamKind::blocking), other = stream();
  StreamKind kind{};
  ok(driver_.stream_kind(other, kind));
  EXPECT_EQ(kind, StreamKind::non_blocking);
  ok(driver_.stream_kind(blocking, kind));
  EXPECT_EQ(kind, StreamKind::blocking);
  std::uint64_t null = 0, legacy = 0, per_thread = 0;
  ok(driver_.stream_id(Stream::null, null));
  ok(driver_.stream_id(Stream::legacy, legacy));
  ok(driver_.stream_id(Stream::per_thread, per_thread));
  EXPECT_EQ(null, legacy);
  EXPECT_NE(null, per_thread);
}

TEST_F(Simulated, ElapsedTimeNeedsTwoTimedAndFinishedRecords) {
  const Stream s = stream();
  const Event start = event(EventTiming::enabled), end = event(EventTiming::enabled);
  const Event untimed = event();
  float milliseconds = 0;
  EXPECT_EQ(driver_.elapsed_milliseconds(start, end, milliseconds), Status::invalid_handle);
  record(start, s);
  record(untimed, s);
  write(s, buffer());
  record(end, s);
  EXPECT_EQ(driver_.elapsed_milliseconds(start, end, milliseconds), Status::not_ready);
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(driver_.elapsed_milliseconds(start, end, milliseconds), Status::success);
  EXPECT_GT(milliseconds, 0);
  EXPECT_EQ(driver_.elapsed_milliseconds(start, untimed, milliseconds), Status::invalid_handle);
}

TEST_F(Simulated, WhoKeepsAskingForATimeGetsIt) {
  const Stream s = stream();
  const Event start = event(EventTiming::enabled), end = event(EventTiming::enabled);
  record(start, s);
  record(end, s);
  float milliseconds = 0;
  while (driver_.elapsed_milliseconds(start, end, milliseconds) == Status::not_ready)
    ;
  EXPECT_EQ(driver_.elapsed_milliseconds(start, end, milliseconds), Status::success);
}

TEST_F(Simulated, TheLastErrorIsKeptUntilItIsTaken) {
  EXPECT_EQ(driver_.set_device(9), Status::invalid_device);
  set_device(0);
  EXPECT_EQ(driver_.peek_error(), Status::invalid_device);
  EXPECT_EQ(driver_.take_error(), Status::invalid_device);
  EXPECT_EQ(driver_.take_error(), Status::success);
}

TEST_F(Simulated, AnErrorOfTheDeviceSticks) {
  std::byte* const data = buffer();
  const Stream s = stream();
  driver_.fail_next_operation(0, Status::illegal_address);
  ok(driver_.fill_async(data, 7, size, s));
  EXPECT_EQ(driver_.synchronize_stream(s), Status::illegal_address);
  EXPECT_EQ(driver_.fill_async(data, 7, size, s), Status::illegal_address);
  EXPECT_EQ(driver_.take_error(), Status::illegal_address);
  EXPECT_EQ(driver_.take_error(), Status::illegal_address) << "it cannot be taken away";
  set_device(1);
  EXPECT_EQ(driver_.synchronize_device(), Status::success) << "the other device works";
}

TEST_F(Simulated, HostFunctionsDoNotRunAfterAnError) {
  static bool ran;
  ran = false;
  const Stream s = stream();
  driver_.fail_next_operation(0, Status::launch_failure);
  ok(driver_.launch("kernel", s, {}));
  ok(driver_.launch_host_function(
      s, [](void*) { ran = true; }, nullptr));
  EXPECT_EQ(driver_.synchronize_stream(s), Status::launch_failure);
  EXPECT_FALSE(ran);
}

TEST_F(Simulated, CallsCanBeSeen) {
  const Stream s = stream();
  const Event made = event();
  driver_.start_trace();
  record(made, s);
  ok(driver_.synchronize_event(made));
  const std::vector<Call> calls = driver_.stop_trace();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].function, "record_event");
  EXPECT_EQ(calls[0].stream, s);
  EXPECT_EQ(calls[0].event, made);
  EXPECT_FALSE(calls[0].waited);
  EXPECT_EQ(calls[1].function, "synchronize_event");
  EXPECT_TRUE(calls[1].waited);
}

// What an implementation does for `write(tensor)` counts as a write of that tensor.
TEST_F(Simulated, AScopeGivesOpaqueWorkItsMeaning) {
  std::byte* const data = buffer();
  const Stream s = stream(), other = stream();
  driver_.begin_scope("write of t1",
                      {AccessKind::write, {reinterpret_cast<std::uintptr_t>(data), size, {}}});
  ok(driver_.launch("kernel", s, {}));
  driver_.end_scope(false);
  read(other, data);
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].first.starts_with("write by write of t1")) << found[0].text();
  ok(driver_.launch("kernel", stream(), {}));
  EXPECT_EQ(races(), 0u) << "a kernel outside of it touches nothing";
}

TEST_F(Simulated, AMangledNameIsReadableInARace) {
  std::byte* const data = buffer();
  const SimulatedDriver::Access access{AccessKind::write,
                                       {reinterpret_cast<std::uintptr_t>(data), size, {}}};
  for (const char* const name : {"_Z3addPf", "_Z of no function"})
    ok(driver_.launch(name, stream(), {&access, 1}));
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].first.starts_with("write by add(float*), operation")) << found[0].text();
  EXPECT_TRUE(found[0].second.starts_with("write by _Z of no function,")) << found[0].text();
}

TEST_F(Simulated, AScopeDoesNotCountWorkOfWhichTheBytesAreKnown) {
  std::byte* const data = buffer();
  std::byte* const elsewhere = buffer();
  const Stream s = stream(), unrelated = stream();
  driver_.begin_scope("write of t1",
                      {AccessKind::write, {reinterpret_cast<std::uintptr_t>(data), size, {}}});
  write(s, data);
  write(unrelated, elsewhere);
  ok(driver_.launch_host_function(
      unrelated, [](void*) {}, nullptr));
  driver_.end_scope(false);
  read(s, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, TracedCallsTellWhereTheyWrite) {
  std::byte* const data = buffer();
  const Stream s = stream();
  driver_.start_trace();
  write(s, data);
  ok(driver_.synchronize_stream(s));
  const std::vector<Call> calls = driver_.stop_trace();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].written, reinterpret_cast<std::uintptr_t>(data));
  EXPECT_EQ(calls[1].written, 0u);
}

TEST_F(Simulated, AScopeDoesNotCountWhatOnlyOrders) {
  std::byte* const data = buffer();
  const Stream s = stream(), unrelated = stream();
  write(s, data);
  driver_.begin_scope("read of t1",
                      {AccessKind::read, {reinterpret_cast<std::uintptr_t>(data), size, {}}});
  order(unrelated, s);
  read(s, data);
  driver_.end_scope(false);
  EXPECT_EQ(races(), 0u);
}

}  // namespace
}  // namespace dlcert::driver
