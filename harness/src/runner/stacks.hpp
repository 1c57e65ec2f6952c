// SPDX-License-Identifier: Apache-2.0
//
// What hangs is asked where its threads are before it is ended: the worker, and what it has forked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace dlcert {

// The stacks of the processes below a supervisor: one after the other is sent the signal, where it
// has a handler for it, and is given time to write.
class Stacks {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // To be called often, with the number of bytes that the processes have printed by now, until it
  // is true: nothing more is to be waited for. `signal`: 0, or no signal at all, for none.
  bool told(pid_t supervisor, int signal, std::size_t printed, Time now);

  // For all processes; for one that prints nothing; and behind the last that was printed.
  static constexpr std::chrono::milliseconds longest{1000}, silence{400}, quiet{100};

 private:
  void begin(pid_t supervisor, int signal, Time now);
  bool ask_next(int signal, std::size_t printed, Time now);

  std::optional<Time> began_;
  std::vector<pid_t> left_;  // to be asked, the last one first
  Time grew_{};              // when the one that was asked last was asked, or last printed
  std::size_t printed_ = 0;
  bool printing_ = false;
};

}  // namespace dlcert
