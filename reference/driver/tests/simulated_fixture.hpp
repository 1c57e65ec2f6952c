// SPDX-License-Identifier: Apache-2.0
//
// A fresh simulated world for each test, and short names for what programs do in it.

#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::driver {

inline std::ostream& operator<<(std::ostream& out, Status status) {
  return out << status_name(Vendor::cuda, status);
}

class Simulated : public testing::Test {
 protected:
  static constexpr std::size_t size = 64;

  Simulated() { restart({.devices = 2}); }

  void restart(SimulatedOptions options) {
    options.memory_per_device = std::uint64_t{1} << 28;
    driver_.restart(options);
  }

  static void ok(Status status) { ASSERT_EQ(status, Status::success); }

  Stream stream(StreamKind kind = StreamKind::non_blocking) {
    Stream made{};
    ok(driver_.create_stream(kind, 0, made));
    return made;
  }
  Event event(EventTiming timing = EventTiming::disabled) {
    Event made{};
    ok(driver_.create_event(timing, made));
    return made;
  }
  std::byte* buffer(MemoryKind kind = MemoryKind::device, std::size_t bytes = size) {
    void* made = nullptr;
    ok(driver_.allocate(kind, bytes, made));
    return static_cast<std::byte*>(made);
  }
  void set_device(int device) { ok(driver_.set_device(device)); }

  void write(Stream on, std::byte* to, int value = 1) {
    ok(driver_.fill_async(to, static_cast<std::uint8_t>(value), size, on));
  }
  void read(Stream on, const std::byte* from) {
    const SimulatedDriver::Access access{AccessKind::read,
                                         {reinterpret_cast<std::uintptr_t>(from), size, {}}};
    ok(driver_.launch("reader", on, {&access, 1}));
  }
  void record(Event event, Stream on) { ok(driver_.record_event(event, on)); }
  void wait(Stream on, Event event) { ok(driver_.wait_event(on, event)); }
  // Everything that is later on `second` waits for what is on `first` now.
  void order(Stream first, Stream second) {
    const Event made = event();
    record(made, first);
    wait(second, made);
  }
  void host_reads(const std::byte* from) {
    driver_.host_access("host",
                        {AccessKind::read, {reinterpret_cast<std::uintptr_t>(from), size, {}}});
  }

  // What lies there now, whatever is pending.
  int visible(const std::byte* at) { return std::to_integer<int>(*driver_.view(at)); }
  std::size_t races() { return driver_.take_races().size(); }

  SimulatedDriver& driver_ = simulated_driver();
};

}  // namespace dlcert::driver
