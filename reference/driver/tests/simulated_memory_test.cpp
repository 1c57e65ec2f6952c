// SPDX-License-Identifier: Apache-2.0
//
// Memory, copies and host functions. Sources: CUDA Runtime API, "API synchronization behavior",
// "Memory Management", "Stream Ordered Memory Allocator".

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

using SimulatedDeathTest = Simulated;

TEST_F(SimulatedDeathTest, TheHostCannotTouchDeviceMemory) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  std::byte* const data = buffer();
  EXPECT_DEATH(*static_cast<volatile std::byte*>(data) = std::byte{1}, "");
}

TEST_F(Simulated, PinnedAndManagedMemoryAreTheHostsToo) {
  for (const MemoryKind kind : {MemoryKind::pinned, MemoryKind::managed}) {
    std::byte* const data = buffer(kind);
    std::memset(data, 5, size);
    EXPECT_EQ(visible(data), 5);
    PointerAttributes attributes;
    ok(driver_.attributes(data + 8, attributes));
    EXPECT_EQ(attributes.kind, kind);
    EXPECT_EQ(attributes.host_pointer, data + 8);
  }
}

TEST_F(Simulated, AttributesTellDeviceAndKind) {
  set_device(1);
  std::byte* const data = buffer();
  PointerAttributes attributes;
  ok(driver_.attributes(data + 3, attributes));
  EXPECT_EQ(attributes.kind, MemoryKind::device);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_EQ(attributes.device_pointer, data + 3);
  EXPECT_EQ(attributes.host_pointer, nullptr);
  int local = 0;
  ok(driver_.attributes(&local, attributes));
  EXPECT_EQ(attributes.kind, MemoryKind::pageable);
  EXPECT_EQ(attributes.device, -1);
}

TEST_F(Simulated, ACopyToTheHostIsCompleteWhenItReturns) {
  std::byte* const data = buffer();
  std::array<std::byte, size> out{};
  ok(driver_.fill(data, 7, size));
  ok(driver_.copy(out.data(), data, size, CopyDirection::device_to_host));
  EXPECT_EQ(out.back(), std::byte{7});
}

TEST_F(Simulated, PinnedMemoryMayNotBeReusedBeforeTheCopyHasRun) {
  std::byte* const data = buffer();
  std::byte* const pinned = buffer(MemoryKind::pinned);
  const Stream s = stream();
  std::memset(pinned, 7, size);
  ok(driver_.copy_async(data, pinned, size, CopyDirection::host_to_device, s));
  driver_.host_access("host",
                      {AccessKind::write, {reinterpret_cast<std::uintptr_t>(pinned), size, {}}});
  std::memset(pinned, 8, size);
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(visible(data), 8);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Simulated, ADeviceCopyDoesNotWait) {
  std::byte* const from = buffer();
  std::byte* const to = buffer();
  ok(driver_.fill(from, 7, size));
  ok(driver_.copy(to, from, size, CopyDirection::device_to_device));
  EXPECT_NE(visible(to), 7);
}

TEST_F(Simulated, RowsOfATwoDimensionalCopyLeaveTheGapsAlone) {
  std::byte* const matrix = buffer();
  const Stream rows = stream(), gaps = stream();
  std::byte* const column = buffer();
  ok(driver_.fill(matrix, 0, size));
  ok(driver_.fill(column, 7, size));
  ok(driver_.synchronize_device());
  ok(driver_.copy_2d_async(matrix, 8, column, 4, 4, 8, CopyDirection::inferred, rows));
  ok(driver_.copy_2d_async(matrix + 4, 8, column, 4, 4, 8, CopyDirection::inferred, gaps));
  EXPECT_EQ(races(), 0u) << "interleaved columns have no byte in common";
  ok(driver_.synchronize_stream(rows));
  EXPECT_EQ(visible(matrix), 7);
  EXPECT_EQ(visible(matrix + 4), 0);
}

TEST_F(Simulated, RefusesWhatIsNoMemory) {
  std::byte* const data = buffer();
  std::array<std::byte, size> host{};
  const Stream s = stream();
  EXPECT_EQ(driver_.fill_async(data + 8, 0, size, s), Status::invalid_value) << "past the end";
  EXPECT_EQ(driver_.fill_async(host.data(), 0, size, s), Status::invalid_value);
  EXPECT_EQ(driver_.copy(data, host.data(), size, CopyDirection::device_to_host),
            Status::invalid_value)
      << "the wrong direction";
  EXPECT_EQ(driver_.release(MemoryKind::device, data + 8), Status::invalid_value);
  EXPECT_EQ(driver_.release(MemoryKind::pinned, data), Status::invalid_value);
  ok(driver_.release(MemoryKind::device, data));
  EXPECT_EQ(driver_.release(MemoryKind::device, data), Status::invalid_value) << "twice";
  EXPECT_EQ(driver_.fill_async(data, 0, size, s), Status::invalid_value) << "after its end";
  ok(driver_.release(MemoryKind::device, nullptr));
}

TEST_F(Simulated, MemoryHasAnEnd) {
  restart({});
  void* out = nullptr;
  EXPECT_EQ(driver_.allocate(MemoryKind::device, std::size_t{1} << 40, out), Status::out_of_memory);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Simulated, PendingWorkOfReleasedMemoryStillFindsIt) {
  std::byte* const data = buffer();
  std::byte* const out = buffer(MemoryKind::pinned);
  const Stream s = stream();
  write(s, data, 7);
  ok(driver_.copy_async(out, data, size, CopyDirection::device_to_host, s));
  ok(driver_.release(MemoryKind::device, data));
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(out[0], std::byte{7});
}

TEST_F(Simulated, HostMemoryIsRegisteredOnce) {
  alignas(64) static std::array<std::byte, size> memory{};
  ok(driver_.register_host(memory.data(), size));
  EXPECT_EQ(driver_.register_host(memory.data(), size), Status::host_memory_already_registered);
  PointerAttributes attributes;
  ok(driver_.attributes(memory.data(), attributes));
  EXPECT_EQ(attributes.kind, MemoryKind::pinned);
  ok(driver_.unregister_host(memory.data()));
  EXPECT_EQ(driver_.unregister_host(memory.data()), Status::host_memory_not_registered);
}

TEST_F(Simulated, SizesThatWrapAreRefused) {
  std::byte* const data = buffer();
  const Stream s = stream();
  EXPECT_EQ(driver_.fill_async(data + 8, 0, ~std::size_t{0} - 4, s), Status::invalid_value);
  EXPECT_EQ(
      driver_.copy_2d_async(data, std::size_t{1} << 63, data, 8, 8, 3, CopyDirection::inferred, s),
      Status::invalid_value);
  EXPECT_EQ(driver_.register_host(data, ~std::size_t{0}), Status::invalid_value);
}

TEST_F(Simulated, PageableMemoryInTheMiddleKeepsTheOrder) {
  std::byte* const from = buffer();
  std::byte* const to = buffer();
  std::array<std::byte, size> host{};
  const Stream s = stream();
  write(s, from, 7);
  ok(driver_.copy_async(host.data(), from, size, CopyDirection::device_to_host, s));
  ok(driver_.copy_async(to, host.data(), size, CopyDirection::host_to_device, s));
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(visible(to), 7);
}

// ---- stream-ordered memory ----------------------------------------------------------------------

TEST_F(Simulated, StreamOrderedMemoryBelongsToItsStream) {
  const Stream s = stream(), other = stream();
  void* memory = nullptr;
  ok(driver_.allocate_async(size, s, memory));
  auto* const data = static_cast<std::byte*>(memory);
  write(s, data);
  EXPECT_EQ(races(), 0u);
  read(other, data);
  EXPECT_GE(races(), 1u) << "the other stream does not know of the allocation";
}

TEST_F(Simulated, ReleasingUnderAReaderIsARace) {
  const Stream s = stream(), consumer = stream();
  void* memory = nullptr;
  ok(driver_.allocate_async(size, s, memory));
  order(s, consumer);
  read(consumer, static_cast<std::byte*>(memory));
  ok(driver_.release_async(memory, s));
  const std::vector<Race> found = driver_.take_races();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].second.starts_with("write by release_async")) << found[0].text();
}

TEST_F(Simulated, ReleasedStreamOrderedMemoryIsGone) {
  const Stream s = stream();
  void* memory = nullptr;
  ok(driver_.allocate_async(size, s, memory));
  ok(driver_.release_async(memory, s));
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(driver_.fill_async(memory, 0, size, s), Status::invalid_value);
}

// ---- host functions -----------------------------------------------------------------------------

TEST_F(Simulated, AHostFunctionRunsInItsPlace) {
  std::byte* const data = buffer(MemoryKind::pinned);
  const Stream s = stream();
  struct Seen {
    std::byte* data;
    std::byte value;
  } seen{data, {}};
  write(s, data, 7);
  ok(driver_.launch_host_function(
      s, [](void* to) { static_cast<Seen*>(to)->value = *static_cast<Seen*>(to)->data; }, &seen));
  write(s, data, 8);
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(seen.value, std::byte{7});
}

TEST_F(Simulated, AHostFunctionMayNotCallTheDriver) {
  const Stream s = stream();
  static Status inside = Status::success;
  ok(driver_.launch_host_function(
      s,
      [](void*) {
        int device = 0;
        inside = simulated_driver().current_device(device);
      },
      nullptr));
  ok(driver_.synchronize_stream(s));
  EXPECT_EQ(inside, Status::not_permitted);
}

TEST_F(Simulated, WhatAHostFunctionTellsTheHostIsKnown) {
  std::byte* const data = buffer();
  const Stream s = stream(), other = stream();
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  } signal;
  write(s, data);
  ok(driver_.launch_host_function(
      s,
      [](void* to) {
        auto& told = *static_cast<Signal*>(to);
        const std::scoped_lock lock{told.mutex};
        told.done = true;
        told.changed.notify_all();
      },
      &signal));
  {
    std::unique_lock lock{signal.mutex};
    signal.changed.wait(lock, [&] { return signal.done; });
  }
  read(other, data);
  EXPECT_EQ(races(), 0u);
  ok(driver_.synchronize_stream(s));
}

TEST_F(Simulated, AHostFunctionHoldsItsStreamUp) {
  for (const Schedule schedule : {Schedule::eager, Schedule::late, Schedule::seeded}) {
    restart({.schedule = schedule});
    std::byte* const data = buffer();
    const Stream s = stream(), other = stream();
    static std::atomic<bool> open;
    open = false;
    ok(driver_.launch_host_function(
        s,
        [](void*) {
          while (!open)
            std::this_thread::yield();
        },
        nullptr));
    write(s, data, 7);
    order(s, other);
    EXPECT_NE(visible(data), 7);
    EXPECT_EQ(driver_.query_stream(other), Status::not_ready);
    open = true;
    ok(driver_.synchronize_stream(other));
    EXPECT_EQ(visible(data), 7);
  }
}

// A gate that the host opens, as for the handshake on hardware.
class Gated : public Simulated {
 protected:
  void TearDown() override { open_ = true; }

  Stream gated(StreamKind kind = StreamKind::non_blocking) {
    open_ = false;
    const Stream s = stream(kind);
    ok(driver_.launch_host_function(
        s,
        [](void* open) {
          while (!*static_cast<std::atomic<bool>*>(open))
            std::this_thread::yield();
        },
        &open_));
    return s;
  }
  // Until the function is seen to run.
  void settle() { std::this_thread::sleep_for(std::chrono::milliseconds{60}); }

  static inline std::atomic<bool> open_{false};
};

TEST_F(Gated, AskingNeverBlocks) {
  const Stream s = gated();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(driver_.query_stream(s), Status::not_ready);
  open_ = true;
  ok(driver_.synchronize_stream(s));
}

TEST_F(Gated, WorkWaitsForAFunctionThatRuns) {
  std::byte* const data = buffer();
  const Stream blocking = gated(StreamKind::blocking);
  write(blocking, data, 7);
  std::byte* const out = buffer();
  settle();
  ok(driver_.copy_async(out, data, size, CopyDirection::inferred, Stream::legacy));
  open_ = true;
  ok(driver_.synchronize_stream(Stream::legacy));
  EXPECT_EQ(visible(out), 7);
}

TEST_F(Gated, ADestroyedStreamWhoseFunctionRunsIsNotUsedAgain) {
  const Stream s = gated();
  settle();
  ok(driver_.destroy_stream(s));
  const Stream other = stream();
  write(other, buffer());
  ok(driver_.synchronize_stream(other));
  open_ = true;
  ok(driver_.synchronize_device());
}

TEST_F(Gated, EveryThreadThatWaitsForTheDeviceWaits) {
  std::byte* const data = buffer();
  write(gated(), data, 7);
  std::atomic<int> seen{0};
  const auto waiter = [&] {
    ok(driver_.synchronize_device());
    seen += visible(data) == 7 ? 1 : 0;
  };
  std::thread first{waiter}, second{waiter};
  settle();
  open_ = true;
  first.join();
  second.join();
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace dlcert::driver
