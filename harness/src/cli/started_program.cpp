// SPDX-License-Identifier: Apache-2.0
#include "cli/started_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace dlcert {
namespace {

namespace fs = std::filesystem;

std::system_error not_started(int error, const fs::path& program) {
  return {error, std::generic_category(), fmt::format("cannot start '{}'", program.string())};
}

// Returns only where it fails. main() ignores the signal.
void become(const fs::path& program, std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::signal(SIGXFSZ, SIG_DFL);
  ::execv(program.c_str(), arguments.data());
}

// Those that are passed on, and that of children: blocked, and waited for one by one.
sigset_t awaited_signals() {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int one : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD})
    sigaddset(&awaited, one);
  return awaited;
}

// Until the child has ended; gives its status.
int pass_signals_to(pid_t child, const sigset_t& awaited) {
  for (;;) {
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&awaited, &info);
    if (signal < 0) continue;
    if (signal != SIGCHLD) {
      if (info.si_code != SI_KERNEL) ::kill(child, signal);
      continue;
    }
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return status;
  }
}

// The child's end of a pipe that an exec closes: what it writes is why there was none.
class FailurePipe {
 public:
  FailurePipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::system_error{errno, std::generic_category(), "cannot make a pipe"};
  }
  FailurePipe(const FailurePipe&) = delete;
  FailurePipe& operator=(const FailurePipe&) = delete;
  ~FailurePipe() {
    ::close(ends_[0]);
    if (ends_[1] >= 0) ::close(ends_[1]);
  }

  void tell(int error) const {
    [[maybe_unused]] const ssize_t written = ::write(ends_[1], &error, sizeof error);
  }
  // 0: there was none.
  int told() {
    ::close(ends_[1]);
    ends_[1] = -1;
    int error = 0;
    while (::read(ends_[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
    return error;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace

void replace_by(const fs::path& program, std::vector<std::string> words) {
  become(program, words);
  throw not_started(errno, program);
}

EndOfProgram run_to_its_end(const fs::path& program, std::vector<std::string> words) {
  const sigset_t awaited = awaited_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  const auto children_before = ::signal(SIGCHLD, SIG_DFL);
  FailurePipe failure;
  const pid_t child = ::fork();
  if (child < 0) throw not_started(errno, program);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGCHLD, children_before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(program, words);
    failure.tell(errno);
    ::_exit(127);
  }
  const int error = failure.told();
  const int status = pass_signals_to(child, awaited);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) throw not_started(error, program);
  return WIFSIGNALED(status) ? EndOfProgram{0, WTERMSIG(status)}
                             : EndOfProgram{WEXITSTATUS(status), 0};
}

void end_by(int signal) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);  // the program has left its own
  static_cast<void>(std::fflush(nullptr));
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace dlcert
