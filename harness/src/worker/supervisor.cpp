// SPDX-License-Identifier: Apache-2.0
#include "worker/supervisor.hpp"

#include <signal.h>
#include <sys/prctl.h>
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

// Reaps until `child` has ended, and gives its wait status. SIGTERM ends it.
int wait_for(pid_t child, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (WIFSTOPPED(status))
        continue_traced(ended, status);
      else if (ended == child)
        return status;
    }
    if (::sigwaitinfo(&signals, nullptr) == SIGTERM) ::kill(child, SIGKILL);
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
  position.wait_status = status;
  position.ended = 1;
  ::_exit(0);
}

}  // namespace dlcert
