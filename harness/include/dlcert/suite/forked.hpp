// SPDX-License-Identifier: Apache-2.0
//
// A body that is run in a forked child. Implemented in harness/src/party.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace dlcert {

// What became of the child.
struct Forked {
  // The child itself came to the end of the body, and ended well: `answer` is what the body gave.
  bool answered = false;
  std::string answer = {};
  bool hung = false;  // its time was up, and it was ended, however it then ended
  // As waitpid(2) gives it; empty: somebody else in this process has waited for the child.
  std::optional<int> wait_status = {};
};

// Forks, runs `body` in the child, and waits for its end, at most `seconds`. `waiting`, where there
// is one, is called about twenty times a second meanwhile.
//
// The open libraries take part in the fork where they have hooks for that. A child whose time is up
// is first asked where its threads are, where a library can tell.
//
// Copies that the library makes of the child have no say, and what the child starts and leaves
// behind ends with it. The child dies with the calling thread, and sees SIGCHLD as the library has
// set it. An exception out of the body ends the child. At most 1 MiB of the answer is kept. Throws
// std::system_error when the machine lacks a process or memory.
Forked run_forked(const std::function<std::string()>& body,
                  double seconds = std::numeric_limits<double>::infinity(),
                  const std::function<void()>& waiting = {});
// Likewise; how long the child may take, from its start, is asked anew at each look at it.
Forked run_forked(const std::function<std::string()>& body, const std::function<double()>& seconds,
                  const std::function<void()>& waiting);

// Lets a child go on that this process traces, as it asked for (PTRACE_TRACEME), and that has
// stopped with this wait status.
void continue_traced(int child, int wait_status);

}  // namespace dlcert
