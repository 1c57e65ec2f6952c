// SPDX-License-Identifier: Apache-2.0
//
// Programs over the runtime whose races are looked for under many schedules. A race is a pair of
// accesses that nothing orders, so every schedule has to find the same.

#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::shim {

using driver::MemoryKind;
using Access = driver::SimulatedDriver::Access;

inline Access access_of(driver::AccessKind kind, const void* memory, std::size_t bytes) {
  return {kind, {reinterpret_cast<std::uintptr_t>(memory), bytes, {}}};
}

class OrderTest : public testing::Test {
 protected:
  static constexpr std::size_t size = 256;

  /// `program()` has a race, whatever the schedule.
  template <class Program>
  void expect_race(Program&& program) {
    each_schedule([&](const std::string& schedule) {
      program();
      EXPECT_FALSE(driver_.take_races().empty()) << "no race under the schedule " << schedule;
    });
  }

  /// `program()` has none.
  template <class Program>
  void expect_order(Program&& program) {
    each_schedule([&](const std::string& schedule) {
      program();
      for (const driver::Race& race : driver_.take_races())
        ADD_FAILURE() << "under the schedule " << schedule << ": " << race.text();
    });
  }

  /// `program(bool waits)` has a race without its wait, and none with it.
  template <class Program>
  void expect_wait_is_needed(Program&& program) {
    expect_race([&] { program(false); });
    expect_order([&] { program(true); });
  }

  // ---- what programs do ----

  static Access reads(const void* memory, std::size_t bytes = size) {
    return access_of(driver::AccessKind::read, memory, bytes);
  }
  static Access writes(const void* memory, std::size_t bytes = size) {
    return access_of(driver::AccessKind::write, memory, bytes);
  }

  /// No kernel runs here: a launch that is told what it would touch stands for one.
  template <class... Accesses>
  void kernel(cudaStream_t stream, Accesses... accesses) {
    const Access all[]{accesses...};
    ASSERT_EQ(driver_.launch("kernel", driver_stream(stream), all), driver::Status::success);
  }

  /// The host, or a library that moves memory for it, reads or writes now.
  void host(const Access& access) { driver_.host_access("host", access); }

  static std::byte* memory(MemoryKind kind, std::size_t bytes = size) {
    void* made = nullptr;
    switch (kind) {
      case MemoryKind::device:
        ok(cudaMalloc(&made, bytes));
        break;
      case MemoryKind::pinned:
        ok(cudaMallocHost(&made, bytes));
        break;
      case MemoryKind::managed:
        ok(cudaMallocManaged(&made, bytes, cudaMemAttachGlobal));
        break;
      case MemoryKind::pageable:
        ADD_FAILURE() << "pageable memory is the caller's";
        break;
    }
    return static_cast<std::byte*>(made);
  }
  static std::byte* device_memory(std::size_t bytes = size) {
    return memory(MemoryKind::device, bytes);
  }
  static std::byte* managed_memory() { return memory(MemoryKind::managed); }

  static cudaStream_t stream(unsigned int flags = cudaStreamDefault) {
    cudaStream_t made = nullptr;
    ok(cudaStreamCreateWithFlags(&made, flags));
    return made;
  }
  static cudaStream_t non_blocking_stream() { return stream(cudaStreamNonBlocking); }

  static cudaEvent_t event(unsigned int flags = cudaEventDefault) {
    cudaEvent_t made = nullptr;
    ok(cudaEventCreateWithFlags(&made, flags));
    return made;
  }
  static cudaEvent_t recorded(cudaStream_t stream, unsigned int flags = cudaEventDefault) {
    cudaEvent_t const made = event(flags);
    ok(cudaEventRecord(made, stream));
    return made;
  }

  static void ok(cudaError_t status) { ASSERT_EQ(status, cudaSuccess); }

  driver::SimulatedDriver& driver_ = driver::simulated_driver();

 private:
  // As the runtime's header has it, handle 0 is the default stream that the program chose.
  static driver::Stream driver_stream(cudaStream_t stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    if (stream == nullptr) return driver::Stream::per_thread;
#endif
    return std::bit_cast<driver::Stream>(stream);
  }

  template <class Body>
  void each_schedule(Body&& body) {
    constexpr std::uint64_t seeds = 10;
    const auto run = [&](driver::Schedule schedule, std::uint64_t seed) {
      driver_.restart({.devices = 2, .schedule = schedule, .seed = seed});
      std::string name{to_text(schedule)};
      if (schedule == driver::Schedule::seeded) name += ' ' + std::to_string(seed);
      body(name);
    };
    run(driver::Schedule::eager, 1);
    run(driver::Schedule::late, 1);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      run(driver::Schedule::seeded, seed);
  }
};

}  // namespace dlcert::shim
