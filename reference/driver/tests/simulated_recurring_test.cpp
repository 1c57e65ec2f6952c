// SPDX-License-Identifier: Apache-2.0
//
// Handles and addresses that are given again, where that is asked for.

#include <gtest/gtest.h>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

class Recurring : public Simulated {
 protected:
  ~Recurring() override { driver_.set_recurring(false); }

  Stream stream_behind(Stream ended) {
    ok(driver_.destroy_stream(ended));
    return stream();
  }
  std::byte* buffer_behind(std::byte* ended) {
    ok(driver_.release(MemoryKind::device, ended));
    return buffer();
  }
};

TEST_F(Recurring, NothingRecursUnlessAsked) {
  const Stream first = stream();
  EXPECT_NE(stream_behind(first), first);
  std::byte* const memory = buffer();
  EXPECT_NE(buffer_behind(memory), memory);
}

TEST_F(Recurring, TheHandleThatEndedLastIsTheNext) {
  driver_.set_recurring(true);
  const Stream first = stream(), second = stream();
  ok(driver_.destroy_stream(second));
  EXPECT_EQ(stream_behind(first), first);
  EXPECT_EQ(stream(), second);
  const Event done = event();
  ok(driver_.destroy_event(done));
  EXPECT_EQ(event(), done);
}

TEST_F(Recurring, TheBlockThatEndedLastIsTheNextOfItsSize) {
  driver_.set_recurring(true);
  std::byte* const first = buffer();
  EXPECT_EQ(buffer_behind(first), first);
  ok(driver_.release(MemoryKind::device, first));
  EXPECT_NE(buffer(MemoryKind::device, 4096), first);
  EXPECT_EQ(buffer(), first);
}

TEST_F(Recurring, WhatEndedBeforeDoesNotRecur) {
  const Stream ended = stream();
  ok(driver_.destroy_stream(ended));
  driver_.set_recurring(true);
  EXPECT_NE(stream(), ended);
}

TEST_F(Recurring, AnotherStreamOfTheHandleIsNotOrdered) {
  driver_.set_recurring(true);
  std::byte* const data = buffer();
  const Stream first = stream();
  write(first, data);
  const Stream second = stream_behind(first);
  ASSERT_EQ(second, first);
  read(second, data);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Recurring, ARestartEndsIt) {
  driver_.set_recurring(true);
  restart({.devices = 1});
  const Stream first = stream();
  EXPECT_NE(stream_behind(first), first);
}

}  // namespace
}  // namespace dlcert::driver
