// SPDX-License-Identifier: Apache-2.0
//
// Which work is ordered, and which is not. Sources: CUDA C++ Programming Guide, "Implicit
// Synchronization"; CUDA Runtime API, "Stream synchronization behavior" and "Event Management".

#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

TEST_F(Simulated, OneStreamKeepsItsOrder) {
  const Stream s = stream();
  std::byte* const data = buffer();
  write(s, data);
  read(s, data);
  write(s, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, TwoStreamsHaveNoOrder) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  write(producer, data);
  read(consumer, data);
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].first.starts_with("write by fill_async, operation 1 of stream 0x7d1"));
  EXPECT_TRUE(found[0].second.starts_with("read by reader, operation 1 of stream 0x7d1"));
  EXPECT_EQ(found[0].begin, reinterpret_cast<std::uintptr_t>(data));
  EXPECT_EQ(found[0].end - found[0].begin, size);
  EXPECT_NE(found[0].missing.find("wait for operation 1 of stream"), std::string::npos);
}

TEST_F(Simulated, AWriteIsUnfinishedUntilTheHostKnowsOfItsEnd) {
  std::byte* const data = buffer();
  const Stream producer = stream();
  EXPECT_FALSE(driver_.has_unfinished_write(data, size));
  read(producer, data);
  EXPECT_FALSE(driver_.has_unfinished_write(data, size));
  write(producer, data);
  EXPECT_TRUE(driver_.has_unfinished_write(data, size));
  EXPECT_TRUE(driver_.has_unfinished_write(data + 1, 1));
  EXPECT_FALSE(driver_.has_unfinished_write(buffer(), size));
  ASSERT_EQ(driver_.synchronize_stream(producer), Status::success);
  EXPECT_FALSE(driver_.has_unfinished_write(data, size));
}

TEST_F(Simulated, TwoReadsNeedNoOrder) {
  std::byte* const data = buffer();
  read(stream(), data);
  read(stream(), data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, AnEventOrdersWhatIsBeforeItsRecord) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  write(producer, data);
  order(producer, consumer);
  read(consumer, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, WorkAfterARecordIsNotInTheEvent) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  const Event early = event();
  record(early, producer);
  write(producer, data);
  wait(consumer, early);
  read(consumer, data);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, AWaitKeepsTheRecordThatItSaw) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  const Event reused = event();
  record(reused, producer);
  wait(consumer, reused);
  write(producer, data);
  record(reused, producer);
  read(consumer, data);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, AnEventThatWasNeverRecordedHoldsNothingUp) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  const Event unused = event();
  write(producer, data);
  wait(consumer, unused);
  read(consumer, data);
  EXPECT_EQ(races(), 1u);
  EXPECT_EQ(driver_.query_event(unused), Status::success);
  EXPECT_EQ(driver_.synchronize_event(unused), Status::success);
}

TEST_F(Simulated, OrderIsTransitive) {
  std::byte* const data = buffer();
  const Stream a = stream(), b = stream(), c = stream();
  write(a, data);
  order(a, b);
  order(b, c);
  read(c, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, TheLegacyStreamWaitsForBlockingStreams) {
  std::byte* const data = buffer();
  write(stream(StreamKind::blocking), data);
  read(Stream::null, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, BlockingStreamsWaitForTheLegacyStream) {
  std::byte* const data = buffer();
  const Stream blocking = stream(StreamKind::blocking);
  write(Stream::legacy, data);
  read(blocking, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, NonBlockingStreamsAndTheLegacyStreamIgnoreEachOther) {
  std::byte* const data = buffer();
  const Stream other = stream();
  write(Stream::legacy, data);
  read(other, data);
  EXPECT_EQ(races(), 1u);
  write(other, buffer());
  std::byte* const more = buffer();
  write(other, more);
  read(Stream::legacy, more);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, BlockingStreamsAreOrderedOnlyByLegacyWorkBetweenThem) {
  std::byte* const data = buffer();
  const Stream a = stream(StreamKind::blocking), b = stream(StreamKind::blocking);
  write(a, data);
  read(b, data);
  EXPECT_EQ(races(), 1u);
  write(a, data);
  races();
  record(event(), Stream::legacy);
  read(b, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, ThePerThreadStreamIsABlockingStreamOfItsThread) {
  std::byte* const data = buffer();
  write(Stream::per_thread, data);
  std::thread{[&] { read(Stream::per_thread, data); }}.join();
  EXPECT_EQ(races(), 1u);
  read(Stream::legacy, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, TheLegacyStreamsOfTwoDevicesIgnoreEachOther) {
  std::byte* const data = buffer();
  write(Stream::legacy, data);
  set_device(1);
  read(Stream::legacy, data);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, ARecordOnTheLegacyStreamHoldsTheBlockingStreams) {
  std::byte* const data = buffer();
  const Stream blocking = stream(StreamKind::blocking), other = stream();
  write(blocking, data);
  order(Stream::legacy, other);
  read(other, data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, AFenceOrdersAllStreamsOfItsDeviceAndTellsTheHostNothing) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  write(producer, data);
  ok(driver_.fence(1));
  read(consumer, data);
  EXPECT_EQ(races(), 1u);
  ok(driver_.fence(0));
  write(consumer, data);
  read(stream(), buffer());
  EXPECT_EQ(races(), 0u);
  std::byte* const more = buffer();
  write(consumer, more);
  ok(driver_.fence(0));
  read(stream(), more);
  EXPECT_EQ(races(), 0u);
  host_reads(more);
  EXPECT_EQ(races(), 1u);
  EXPECT_EQ(driver_.fence(2), Status::invalid_device);
}

TEST_F(Simulated, AWaitOfTheLegacyStreamForAnEventThatWasNeverRecordedOrdersNothing) {
  std::byte* const data = buffer();
  write(stream(StreamKind::blocking), data);
  wait(Stream::legacy, event());
  read(stream(StreamKind::blocking), data);
  EXPECT_EQ(races(), 1u);
}

// ---- the host -----------------------------------------------------------------------------------

TEST_F(Simulated, SynchronisationOrdersTheHostAndAllThatIsSubmittedLater) {
  std::byte* const data = buffer();
  const Stream producer = stream(), consumer = stream();
  write(producer, data);
  ok(driver_.synchronize_stream(producer));
  read(consumer, data);
  host_reads(data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, TheHostDoesNotKnowWhatItDidNotWaitFor) {
  std::byte* const data = buffer(MemoryKind::pinned);
  write(stream(), data);
  host_reads(data);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, AQueryThatSucceedsOrdersTheHost) {
  std::byte* const data = buffer();
  const Stream s = stream();
  write(s, data);
  int polls = 1;
  while (driver_.query_stream(s) == Status::not_ready)
    ++polls;
  EXPECT_GT(polls, 1) << "nothing has run when nothing was waited for";
  host_reads(data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, SynchronisingTheLegacyStreamWaitsForBlockingStreams) {
  std::byte* const data = buffer();
  write(stream(StreamKind::blocking), data, 7);
  ok(driver_.synchronize_stream(Stream::legacy));
  EXPECT_EQ(visible(data), 7);
  host_reads(data);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Simulated, SynchronisingADeviceWaitsForAllItsStreamsAndNoOthers) {
  std::byte* const here = buffer();
  write(stream(), here, 7);
  set_device(1);
  std::byte* const there = buffer();
  write(stream(), there, 7);
  ok(driver_.synchronize_device());
  EXPECT_EQ(visible(there), 7);
  EXPECT_NE(visible(here), 7);
}

TEST_F(Simulated, WhatAnotherThreadSubmitsAfterAJoinIsOrdered) {
  std::byte* const data = buffer();
  const Stream a = stream(), b = stream();
  std::thread{[&] {
    write(a, data);
    ok(driver_.synchronize_stream(a));
  }}.join();
  read(b, data);
  EXPECT_EQ(races(), 0u);
}

// CUDA's manual names pinned memory alone, the tests of HIP managed memory, too.
TEST_F(Simulated, AFillThatBlocksWaitsForTheEndInSomeMemory) {
  for (const Vendor vendor : {Vendor::cuda, Vendor::rocm})
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed}) {
      restart({.vendor = vendor});
      std::byte* const data = buffer(kind);
      ok(driver_.fill(data, 7, size));
      host_reads(data);
      const bool waits =
          kind == MemoryKind::pinned || (kind == MemoryKind::managed && vendor == Vendor::rocm);
      EXPECT_EQ(races(), waits ? 0u : 1u) << static_cast<int>(vendor) << static_cast<int>(kind);
    }
}

// Of managed memory no row of the manual speaks: nobody is blamed.
TEST_F(Simulated, ACopyThatBlocksWaitsForTheEndUnlessItStaysOnDevices) {
  for (const MemoryKind to : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed})
    for (const MemoryKind from : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed}) {
      std::byte* const target = buffer(to);
      ok(driver_.copy(target, buffer(from), size, CopyDirection::inferred));
      host_reads(target);
      const bool stays = to == MemoryKind::device && from == MemoryKind::device;
      EXPECT_EQ(races(), stays ? 1u : 0u) << static_cast<int>(to) << static_cast<int>(from);
    }
}

// ---- schedules ----------------------------------------------------------------------------------

TEST_F(Simulated, LateWorkRunsWhenItIsWaitedFor) {
  std::byte* const data = buffer();
  std::byte* const other = buffer();
  const Stream s = stream();
  write(s, data, 7);
  write(stream(), other, 7);
  EXPECT_NE(visible(data), 7);
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(visible(data), 7);
  EXPECT_NE(visible(other), 7) << "nobody waited for this one";
}

TEST_F(Simulated, EagerWorkRunsAtOnce) {
  restart({.schedule = Schedule::eager});
  std::byte* const data = buffer();
  write(stream(), data, 7);
  EXPECT_EQ(visible(data), 7);
  EXPECT_EQ(driver_.pending(), 0u);
}

TEST_F(Simulated, EveryScheduleKeepsTheOrder) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    restart({.schedule = Schedule::seeded, .seed = seed});
    std::byte* const data = buffer();
    std::byte* const copy = buffer();
    const Stream a = stream(), b = stream();
    for (int value = 1; value <= 20; ++value) {
      write(a, data, value);
      order(a, b);
      ok(driver_.copy_async(copy, data, size, CopyDirection::inferred, b));
      order(b, a);
    }
    ok(driver_.synchronize_stream(b));
    EXPECT_EQ(visible(copy), 20);
    EXPECT_EQ(races(), 0u);
  }
}

TEST_F(Simulated, AMillionOperationsCanWait) {
  std::byte* const data = buffer();
  const Stream a = stream(), b = stream();
  for (int i = 0; i < 500'000; ++i)
    write(a, data, i);
  order(a, b);
  for (int i = 0; i < 500'000; ++i)
    read(b, data);
  EXPECT_GE(driver_.pending(), 1'000'000u);
  ok(driver_.synchronize_stream(b));
  EXPECT_EQ(driver_.pending(), 0u);
  EXPECT_EQ(races(), 0u);
}

}  // namespace
}  // namespace dlcert::driver
