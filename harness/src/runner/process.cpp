// SPDX-License-Identifier: Apache-2.0
#include "runner/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "register/text.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds supervisor_patience{5};
constexpr int inherited_number = 3;

[[noreturn]] void fail_with(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

// Above every number that posix_spawn's actions write to, so that none of them overwrites it.
Descriptor raised(int descriptor) {
  const int number = fcntl(descriptor, F_DUPFD_CLOEXEC, 16);
  if (number < 0) fail_with(errno, "cannot duplicate a descriptor");
  return Descriptor{number};
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail_with(errno, "cannot make a pipe");
  Pipe pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  fcntl(pipe.read.get(), F_SETPIPE_SZ, 1 << 20);
  pipe.write = raised(pipe.write.get());
  return pipe;
}

// The file actions and attributes of posix_spawn(3).
class SpawnSettings {
 public:
  SpawnSettings(int inherited, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, output, 2);
    posix_spawn_file_actions_adddup2(&actions_, inherited, inherited_number);
    posix_spawn_file_actions_addclosefrom_np(&actions_, inherited_number + 1);

    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// The children of all threads of a process.
std::vector<pid_t> children_of(const std::string& process) {
  std::vector<pid_t> children;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator{fmt::format("/proc/{}/task", process), gone}) {
    std::ifstream list{task.path() / "children"};
    for (pid_t child = 0; list >> child;)
      children.push_back(child);
  }
  return children;
}

std::size_t resident_pages(pid_t pid) {
  std::ifstream statm{fmt::format("/proc/{}/statm", pid)};
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) close(number_);
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

int Descriptor::release() {
  return std::exchange(number_, -1);
}

void OutputTail::append(std::string_view bytes) {
  bytes_.append(bytes);
  if (bytes_.size() <= 2 * capacity) return;
  dropped_ += bytes_.size() - capacity;
  bytes_.erase(0, bytes_.size() - capacity);
}

std::string OutputTail::text() const {
  std::string_view rest = bytes_;
  std::size_t dropped = dropped_;
  if (rest.size() > capacity) {
    dropped += rest.size() - capacity;
    rest.remove_prefix(rest.size() - capacity);
  }
  std::string text;
  if (dropped > 0) text = fmt::format("... {} bytes before this are not kept ...\n", dropped);
  return text + clean_lines(rest, text.npos);
}

Process::Process(const std::vector<std::string>& arguments, int inherited) {
  Pipe pipe = make_pipe();
  const Descriptor high = raised(inherited);
  const SpawnSettings settings{high.get(), pipe.write.get()};

  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int error =
      posix_spawn(&pid_, argv[0], settings.actions(), settings.attributes(), argv.data(), environ);
  if (error != 0) fail_with(error, fmt::format("cannot start worker '{}'", arguments[0]));

  output_ = std::move(pipe.read);
  pidfd_ = Descriptor{static_cast<int>(syscall(SYS_pidfd_open, pid_, 0))};
  if (pidfd_.get() < 0) {
    const int failed = errno;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    fail_with(failed, "cannot open a pidfd");
  }
}

Process::~Process() {
  for (pollfd ended{pidfd_.get(), POLLIN, 0}; !reap(); poll(&ended, 1, 100))
    stop();
}

void Process::drain() {
  std::array<char, 64 * 1024> chunk{};
  for (int chunks = 0; output_.get() >= 0 && chunks < 32; ++chunks) {
    const ssize_t count = read(output_.get(), chunk.data(), chunk.size());
    if (count > 0) {
      printed_.append({chunk.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      output_ = Descriptor{};
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

void Process::stop() {
  const auto now = Clock::now();
  if (stop_asked_ == Clock::time_point{}) {
    stop_asked_ = now;
    kill(pid_, SIGTERM);
  } else if (now - stop_asked_ > supervisor_patience) {
    kill(pid_, SIGKILL);
  }
}

bool Process::reap() {
  if (reaped_) return true;
  pollfd ended{pidfd_.get(), POLLIN, 0};
  if (poll(&ended, 1, 0) <= 0) return false;
  waitpid(pid_, &wait_status_, 0);
  return reaped_ = true;
}

Subreaper::Subreaper() {
  for (const pid_t child : children_of("self"))
    earlier_.insert(child);
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
}

void Subreaper::reap_orphans(const std::set<pid_t>& supervisors) const {
  for (bool found = true; found;) {
    found = false;
    for (const pid_t child : children_of("self")) {
      if (earlier_.contains(child) || supervisors.contains(child)) continue;
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      found = true;
    }
  }
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(wait_status));
    return name != nullptr ? fmt::format("ended by SIG{}", name)
                           : fmt::format("ended by signal {}", WTERMSIG(wait_status));
  }
  const int exit_status = WEXITSTATUS(wait_status);
  return fmt::format("ended early with exit status {}{}", exit_status,
                     exit_status == 0 ? ": the implementation called exit" : "");
}

std::size_t resident_bytes(pid_t pid) {
  std::size_t pages = resident_pages(pid);
  for (const pid_t child : children_of(std::to_string(pid)))
    pages += resident_pages(child);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace dlcert
