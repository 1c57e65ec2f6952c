// SPDX-License-Identifier: Apache-2.0
#include "worker/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlcert/suite/forked.hpp>
#include <dlcert/suite/process_tree.hpp>

namespace dlcert {

namespace {

constexpr int cannot_supervise = 2;

sigset_t watched_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  ::sigaddset(&signals, SIGTERM);
  return signals;
}

// Whether the process has ended. One that another traces cannot be waited for yet.
bool has_ended(int pidfd) {
  pollfd event{pidfd, POLLIN, 0};
  return ::poll(&event, 1, 0) > 0;
}

// Reaps until `child` has ended, and gives its wait status. SIGTERM ends it. What it has left is
// killed before it can be waited for where that traces it.
int wait_for(pid_t child, const sigset_t& signals) {
  constexpr timespec look_interval{0, 50'000'000}, kill_interval{0, 1'000'000};
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  for (bool ending = false;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (WIFSTOPPED(status))
        continue_traced(ended, status);
      else if (ended == child)
        return status;
    }
    if (ending)
      for (const pid_t one : children_of(::getpid()))
        ::kill(one, SIGKILL);
    const int signal = ::sigtimedwait(&signals, nullptr, ending ? &kill_interval : &look_interval);
    ending = ending || signal == SIGTERM || (signal < 0 && has_ended(pidfd));
  }
}

}  // namespace

void fork_supervised(Records& records, std::size_t worker) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const sigset_t signals = watched_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != records.owner())  // the runner died before prctl
    ::_exit(cannot_supervise);

  const pid_t supervisor = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) ::_exit(cannot_supervise);
  if (child == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::setpgid(0, 0);  // a signal to its whole group does not reach the supervisor
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != supervisor) ::_exit(cannot_supervise);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  Position& position = records.position(worker);
  const int status = wait_for(child, signals);
  end_children();
  const std::int32_t crashed_by = position.fatal_signal;
  position.wait_status = WIFSIGNALED(status) && crashed_by != 0 ? crashed_by : status;
  position.ended = 1;
  ::_exit(0);
}

}  // namespace dlcert
