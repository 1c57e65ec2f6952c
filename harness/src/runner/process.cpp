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
#include <system_error>
#include <utility>

#include <dlcert/suite/process_tree.hpp>

#include "register/text.hpp"

namespace dlcert {
namespace {

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

// As exec(3) takes them.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts)
    pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
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
  if (dropped > 0) text = fmt::format("... {} earlier bytes are left out ...\n", dropped);
  return text + clean_lines(rest, text.npos);
}

Process::Process(const std::vector<std::string>& arguments, int inherited,
                 const std::vector<std::string>& environment) {
  Pipe pipe = make_pipe();
  const Descriptor high = raised(inherited);
  const SpawnSettings settings{high.get(), pipe.write.get()};

  const std::vector<char*> argv = pointers_to(arguments), variables = pointers_to(environment);
  const int error = posix_spawn(&pid_, argv[0], settings.actions(), settings.attributes(),
                                argv.data(), variables.data());
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
  for (const pid_t child : children_of(getpid()))
    earlier_.insert(child);
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &plain, &child_signal_);
}

Subreaper::~Subreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
  sigaction(SIGCHLD, &child_signal_, nullptr);
}

void Subreaper::reap_orphans(std::set<pid_t> supervisors) const {
  supervisors.insert(earlier_.begin(), earlier_.end());
  end_children(supervisors);
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* name = sigabbrev_np(WTERMSIG(wait_status));
    return name != nullptr ? fmt::format("ended by SIG{}", name)
                           : fmt::format("ended by signal {}", WTERMSIG(wait_status));
  }
  const int exit_status = WEXITSTATUS(wait_status);
  return fmt::format("ended early with exit status {}{}", exit_status,
                     exit_status == 0 ? ": the library called exit" : "");
}

}  // namespace dlcert
