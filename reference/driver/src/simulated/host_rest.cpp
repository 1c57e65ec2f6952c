// SPDX-License-Identifier: Apache-2.0

#include "simulated/host_rest.hpp"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace dlcert::driver::simulated {
namespace {

constexpr int quiet_enough = 4;
constexpr std::chrono::milliseconds spinning{200};

std::chrono::nanoseconds work_of_process() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

// "123 (name) S …", where the name may hold anything.
bool sleeps(const std::filesystem::path& stat) {
  std::ifstream file{stat};
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return true;  // it has ended
  const char state = text[name_end + 2];
  return state != 'R' && state != 'D';
}

// True also where nothing tells.
bool others_sleep() {
  namespace files = std::filesystem;
  const std::string self = std::to_string(gettid());
  std::error_code error;
  files::directory_iterator thread{"/proc/self/task", error};
  for (; !error && thread != files::directory_iterator{}; thread.increment(error))
    if (thread->path().filename() != self && !sleeps(thread->path() / "stat")) return false;
  return true;
}

}  // namespace

bool HostRest::rests(std::uint64_t calls) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + interval;
  if (calls != calls_) {
    calls_ = calls;
    work_at_call_ = work_of_process();
    quiet_ = 0;
    return false;
  }
  quiet_ = others_sleep() ? quiet_ + 1 : 0;
  return quiet_ >= quiet_enough || work_of_process() - work_at_call_ > spinning;
}

}  // namespace dlcert::driver::simulated
