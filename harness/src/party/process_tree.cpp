// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include <dlcert/suite/process_tree.hpp>

namespace dlcert {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience_with_descendants{5};
constexpr std::chrono::milliseconds interval{1};

// A process that has ended is there until somebody waits for it.
bool has_ended(pid_t process) {
  std::ifstream file{fmt::format("/proc/{}/stat", process)};
  std::string line;
  if (!std::getline(file, line)) return true;
  const std::size_t state = line.rfind(") ");
  return state == std::string::npos || line.compare(state + 2, 1, "Z") == 0;
}

std::vector<pid_t> with_all_below(pid_t process) {
  std::vector<pid_t> tree{process};
  for (std::size_t next = 0; next < tree.size(); ++next) {
    const std::vector<pid_t> children = children_of(tree[next]);
    tree.insert(tree.end(), children.begin(), children.end());
  }
  return tree;
}

std::uint64_t resident_of(pid_t process) {
  std::ifstream statm{fmt::format("/proc/{}/statm", process)};
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Of a process that does not let itself be looked at, the resident size.
std::uint64_t proportional_of(pid_t process) {
  constexpr std::uint64_t kibibyte = 1024;
  std::ifstream rollup{fmt::format("/proc/{}/smaps_rollup", process)};
  std::string word;
  while (rollup >> word)
    if (std::uint64_t size = 0; word == "Pss:" && rollup >> size) return size * kibibyte;
  return resident_of(process);
}

}  // namespace

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  std::error_code error;
  const fs::path tasks = fmt::format("/proc/{}/task", process);
  for (auto task = fs::directory_iterator{tasks, error}; !error && task != fs::directory_iterator{};
       task.increment(error)) {
    std::ifstream list{task->path() / "children"};
    for (pid_t child = 0; list >> child;)
      children.push_back(child);
  }
  return children;
}

std::set<pid_t> living_below(pid_t process) {
  std::vector<pid_t> below = with_all_below(process);
  std::erase_if(below, [&](pid_t one) { return one == process || has_ended(one); });
  return {below.begin(), below.end()};
}

bool catches(pid_t process, int signal) {
  std::ifstream status{fmt::format("/proc/{}/status", process)};
  for (std::string word; status >> word;)
    if (std::uint64_t signals = 0; word == "SigCgt:" && status >> std::hex >> signals)
      return (signals >> (signal - 1) & 1u) != 0;
  return false;
}

// All are killed before any is waited for: one that traces another has to end first.
void end_children(const std::set<pid_t>& spared) {
  siginfo_t any{};
  constexpr int looking = WEXITED | WNOHANG | WNOWAIT;
  if (::waitid(P_ALL, 0, &any, looking) != 0 && errno == ECHILD) return;  // cheaper than /proc
  for (const auto deadline = Clock::now() + patience_with_descendants; Clock::now() < deadline;) {
    std::vector<pid_t> left = children_of(::getpid());
    std::erase_if(left, [&](pid_t child) { return spared.contains(child); });
    if (left.empty()) return;
    for (const pid_t child : left)
      ::kill(child, SIGKILL);
    bool reaped = false;
    for (const pid_t child : left)
      reaped = ::waitpid(child, nullptr, WNOHANG) > 0 || reaped;
    if (!reaped) std::this_thread::sleep_for(interval);
  }
}

std::uint64_t resident_bytes(pid_t process) {
  std::uint64_t sum = 0;
  for (const pid_t one : with_all_below(process))
    sum += resident_of(one);
  return sum;
}

std::uint64_t proportional_bytes(pid_t process) {
  std::uint64_t sum = 0;
  for (const pid_t one : with_all_below(process))
    sum += proportional_of(one);
  return sum;
}

}  // namespace dlcert
