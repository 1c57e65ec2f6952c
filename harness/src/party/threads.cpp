// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <thread>

#include <dlcert/suite/threads.hpp>

namespace dlcert {

bool single_threaded() {
  std::error_code hidden;
  const std::filesystem::directory_iterator tasks{"/proc/self/task", hidden};
  return !hidden && std::distance(begin(tasks), end(tasks)) == 1;
}

void await(const std::function<bool()>& holds) {
  if (holds() || single_threaded()) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds{500};
  while (!holds() && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::microseconds{100});
}

}  // namespace dlcert
