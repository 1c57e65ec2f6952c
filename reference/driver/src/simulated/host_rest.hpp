// SPDX-License-Identifier: Apache-2.0
//
// Whether the host waits for something that the driver does not see, as for what a host function
// will tell it. No clock on the wall says so: on a busy machine a host that works looks slow. The
// clocks here space the looks and end the patience with a host that looks at memory. All that comes
// of an answer is that a function runs which may run at any moment, and that the host knows more
// than before: nobody is accused by it.

#pragma once

#include <chrono>
#include <cstdint>

namespace dlcert::driver::simulated {

/// Asked again and again by a thread of the driver, which does not count. Not thread-safe.
class HostRest {
 public:
  static constexpr std::chrono::milliseconds interval{5};

  /// Whether no thread was seen to run for a while in which the driver was not called, or threads
  /// have run for long without a call: they look at memory until it changes. `calls` counts calls.
  bool rests(std::uint64_t calls);

 private:
  std::chrono::steady_clock::time_point next_{};
  std::uint64_t calls_ = 0;
  std::chrono::nanoseconds work_at_call_{};
  int quiet_ = 0;
};

}  // namespace dlcert::driver::simulated
