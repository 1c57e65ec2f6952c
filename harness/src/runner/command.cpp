// SPDX-License-Identifier: Apache-2.0
#include "runner/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "runner/process.hpp"

namespace dlcert {
namespace {

using Clock = std::chrono::steady_clock;

// Reads what the process prints until it has ended. false: it has not within `seconds`.
bool wait_for(Process& process, double seconds) {
  const Clock::time_point limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>{seconds});
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> events{pollfd{process.end_event(), POLLIN, 0},
                                 pollfd{process.output_event(), POLLIN, 0}};
    poll(events.data(), events.size(), static_cast<int>(std::min<long>(left, 1000)));
    process.drain();
    if (events[0].revents != 0) return true;
  }
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& words,
                       const std::vector<std::string>& environment, double seconds) {
  const Descriptor nothing{open("/dev/null", O_RDONLY | O_CLOEXEC)};
  Process process{words, nothing.get(), environment};
  const bool ended = wait_for(process, seconds);
  // Before it is reaped: until then the number is its group's.
  kill(-process.pid(), SIGKILL);
  while (!process.reap()) {
    pollfd end{process.end_event(), POLLIN, 0};
    poll(&end, 1, 1000);
  }
  process.drain();
  CommandEnd result;
  if (ended) result.wait_status = process.wait_status();
  result.output = process.printed().text();
  return result;
}

}  // namespace dlcert
