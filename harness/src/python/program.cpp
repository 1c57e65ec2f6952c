// SPDX-License-Identifier: Apache-2.0
#include "python/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = 1 << 20;
// Above every number that posix_spawn's actions write to, so that none of them overwrites it.
constexpr int least_descriptor = 16;

[[noreturn]] void fail_with(int error, const char* what) {
  throw std::system_error{error, std::generic_category(), what};
}

class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_with(errno, "cannot make a pipe");
    read_ = ends[0];
    write_ = fcntl(ends[1], F_DUPFD_CLOEXEC, least_descriptor);
    const int error = errno;
    close(ends[1]);
    if (write_ >= 0) return;
    close(read_);
    fail_with(error, "cannot duplicate a descriptor");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(read_);
    end_writing();
  }

  int reading() const { return read_; }
  int writing() const { return write_; }
  void end_writing() {
    if (write_ >= 0) close(write_);
    write_ = -1;
  }

 private:
  int read_ = -1, write_ = -1;
};

// A child that leads a process group of its own, which ends with this.
class Child {
 public:
  Child(const std::vector<std::string>& command, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const std::string& word : command)
      words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int error = posix_spawn(&id_, words[0], &actions, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail_with(error, "cannot be started");
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(-id_, SIGKILL);
    while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  pid_t id_ = -1;
};

// Until the other end is closed, or the time is over.
std::string read_all(int descriptor, Clock::time_point end) {
  std::string output;
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd readable{descriptor, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&readable, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t count = ready <= 0 ? 0 : read(descriptor, chunk.data(), chunk.size());
    if (count <= 0) return output;
    output.append(chunk.data(), static_cast<std::size_t>(count));
    if (output.size() > 2 * most_output) output.erase(0, output.size() - most_output);
  }
}

}  // namespace

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return is_program(name) ? fs::absolute(name).string() : std::string{};
  const char* const variable = std::getenv("PATH");
  std::string_view folders = variable == nullptr ? "/usr/bin:/bin" : variable;
  while (!folders.empty()) {
    const std::size_t colon = std::min(folders.find(':'), folders.size());
    const fs::path candidate = fs::path{folders.substr(0, colon)} / name;
    if (is_program(candidate)) return fs::absolute(candidate).string();
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return {};
}

std::string ask_program(const std::vector<std::string>& command,
                        std::chrono::milliseconds patience) {
  Pipe pipe;
  const Child child{command, pipe.writing()};
  pipe.end_writing();
  return read_all(pipe.reading(), Clock::now() + patience);
}

}  // namespace dlcert
