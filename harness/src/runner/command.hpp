// SPDX-License-Identifier: Apache-2.0
//
// A command that runs to its end, or to a limit of time.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace dlcert {

struct CommandEnd {
  std::optional<int> wait_status;  // empty: it was ended, at the limit
  std::string output;              // both streams, as OutputTail::text()
};

// Runs the program `words[0]`, a path, in a session of its own, without standard input. What it
// started in that session is ended with it. `environment`: "NAME=value". Throws std::system_error
// when it cannot be started. Any thread, which must wait for it.
CommandEnd run_command(const std::vector<std::string>& words,
                       const std::vector<std::string>& environment, double seconds);

}  // namespace dlcert
