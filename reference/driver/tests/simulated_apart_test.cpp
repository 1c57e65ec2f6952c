// SPDX-License-Identifier: Apache-2.0
//
// What each host thread knows of the work of others, while that is kept apart.

#include <gtest/gtest.h>

#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Apart : public Simulated {
 protected:
  Apart() { driver_.set_threads_apart(true); }

  // On a thread that has waited for nothing.
  template <class Action>
  static void elsewhere(const Action& action) {
    std::thread{action}.join();
  }
  void wait_for(Stream s) { ok(driver_.synchronize_stream(s)); }
  void host_writes(std::byte* to) {
    driver_.host_access("host",
                        {AccessKind::write, {reinterpret_cast<std::uintptr_t>(to), size, {}}});
  }

  std::byte* data_ = buffer();
  Stream first_ = stream();
  Stream second_ = stream();
};

TEST_F(Apart, AThreadKnowsWhatItHasWaitedFor) {
  write(first_, data_);
  wait_for(first_);
  EXPECT_FALSE(driver_.has_unfinished_write(data_, size));
  read(second_, data_);
  host_reads(data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AThreadDoesNotKnowWhatAnotherHasWaitedFor) {
  write(first_, data_);
  wait_for(first_);
  elsewhere([&] {
    EXPECT_TRUE(driver_.has_unfinished_write(data_, size));
    read(second_, data_);
  });
  EXPECT_EQ(races(), 1u);
}

TEST_F(Apart, TogetherItDoes) {
  driver_.set_threads_apart(false);
  write(first_, data_);
  wait_for(first_);
  elsewhere([&] { read(second_, data_); });
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, TheHostReadsWhatAnotherThreadHasWaitedForTooEarly) {
  write(first_, data_);
  wait_for(first_);
  elsewhere([&] { host_reads(data_); });
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].missing.find("nothing makes a thread of the host wait"), std::string::npos)
      << found[0].text();
}

TEST_F(Apart, WorkKnowsWhatItsThreadKnows) {
  write(first_, data_);
  wait_for(first_);
  read(second_, buffer());
  elsewhere([&] { read(second_, data_); });
  EXPECT_EQ(races(), 0u) << "behind work that was submitted after the wait";
}

TEST_F(Apart, WhoWaitsForWorkKnowsWhatItsThreadKnew) {
  write(first_, data_);
  wait_for(first_);
  const Event made = event();
  record(made, second_);
  elsewhere([&] {
    ok(driver_.synchronize_event(made));
    read(stream(), data_);
  });
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AStreamThatSubmittedBeforeTheWaitLearnsOfItLater) {
  read(second_, buffer());
  write(first_, data_);
  wait_for(first_);
  read(second_, buffer());
  elsewhere([&] {
    wait_for(second_);
    host_reads(data_);
  });
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AnAnswerIsForWhoAsked) {
  restart({.schedule = Schedule::eager});
  driver_.set_threads_apart(true);
  data_ = buffer();
  first_ = stream();
  second_ = stream();
  write(first_, data_);
  ok(driver_.query_stream(first_));
  elsewhere([&] { read(second_, data_); });
  EXPECT_EQ(races(), 1u);
  read(second_, data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AWaitForTheDeviceIsForWhoWaited) {
  write(first_, data_);
  ok(driver_.synchronize_device());
  elsewhere([&] {
    read(second_, data_);
    EXPECT_EQ(races(), 1u);
    ok(driver_.synchronize_device());
    write(stream(), data_);
    EXPECT_EQ(races(), 0u);
  });
}

TEST_F(Apart, WorkIsBehindTheHostAccessesOfItsOwnThreadAlone) {
  std::byte* const pinned = buffer(MemoryKind::pinned);
  host_writes(pinned);
  read(first_, pinned);
  EXPECT_EQ(races(), 0u);
  elsewhere([&] { read(second_, pinned); });
  EXPECT_EQ(races(), 1u);
}

TEST_F(Apart, ThreadsOfTheHostDoNotRaceWithEachOther) {
  std::byte* const pinned = buffer(MemoryKind::pinned);
  host_writes(pinned);
  elsewhere([&] { host_writes(pinned); });
  host_reads(pinned);
  EXPECT_EQ(races(), 0u) << "what orders them is not seen by the driver";
}

TEST_F(Apart, WhatWasKnownBeforeIsKnownToAll) {
  driver_.set_threads_apart(false);
  write(first_, data_);
  wait_for(first_);
  driver_.set_threads_apart(true);
  elsewhere([&] { read(second_, data_); });
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, WhatAnyThreadKnewIsKnownToAllAfterwards) {
  write(first_, data_);
  elsewhere([&] { wait_for(first_); });
  driver_.set_threads_apart(false);
  read(second_, data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, ARestartEndsIt) {
  restart({});
  data_ = buffer();
  first_ = stream();
  write(first_, data_);
  elsewhere([&] { wait_for(first_); });
  read(stream(), data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AHostFunctionMayTellAnyThread) {
  write(first_, data_);
  ok(driver_.launch_host_function(
      first_, [](void*) {}, nullptr));
  elsewhere([&] { wait_for(first_); });
  read(second_, data_);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Apart, AnEndedStreamIsNotMistakenForItsSuccessor) {
  write(first_, data_);
  wait_for(first_);
  ok(driver_.destroy_stream(first_));
  elsewhere([&] { read(stream(), data_); });
  EXPECT_EQ(races(), 1u);
}

}  // namespace
}  // namespace dlcert::driver
