// SPDX-License-Identifier: Apache-2.0
//
// Runs a function in a forked child. Implemented in harness/src/party.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace dlcert {

// The end of the child.
struct Forked {
  // True: the child returned from `body` and exited normally. `answer` is the result of `body`.
  bool answered = false;
  std::string answer = {};
  bool hung = false;  // the child's time was up and it was ended, whatever its wait status is
  // As from waitpid(2); empty: other code in this process has waited for the child.
  std::optional<int> wait_status = {};
};

// Forks, runs `body` in the child, and waits for the child at most `seconds`. Calls `waiting`, if
// given, about twenty times a second while it waits.
//
// - Open libraries with fork hooks take part in the fork.
// - If the child's time is up, a library that can do so first writes the stacks of its threads.
//   Then the child is ended.
// - If the library forks the child again, the copy's answer does not count.
// - Processes that the child started and left behind end with it.
// - The child dies with the calling thread. It sees SIGCHLD as the library has set it.
// - An exception out of `body` ends the child.
// - At most 1 MiB of the answer is kept.
//
// Throws std::system_error if the machine lacks a process or memory.
Forked run_forked(const std::function<std::string()>& body,
                  double seconds = std::numeric_limits<double>::infinity(),
                  const std::function<void()>& waiting = {});
// Does the same with a changing limit: calls `seconds` each time it looks at the child. The limit
// counts from the start of the child.
Forked run_forked(const std::function<std::string()>& body, const std::function<double()>& seconds,
                  const std::function<void()>& waiting);

// Continues a child that this process traces (the child called PTRACE_TRACEME) and that has stopped
// with this wait status.
void continue_traced(int child, int wait_status);

}  // namespace dlcert
