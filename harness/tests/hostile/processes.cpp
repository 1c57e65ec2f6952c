// SPDX-License-Identifier: Apache-2.0
//
// Children, copies, helpers, tracers, and signals to those who keep watch.
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

using std::chrono::milliseconds;

void wait_a_moment() {
  std::this_thread::sleep_for(milliseconds{30});
}

// It ends who calls it, when that has gone on to something else.
std::int64_t leave_a_killer(std::int64_t extent) {
  static bool left = false;
  const pid_t victim = getpid();
  if (left) return extent;
  left = true;
  if (fork() == 0) {
    std::this_thread::sleep_for(milliseconds{300});
    kill(victim, SIGKILL);
    _exit(0);
  }
  return extent;
}

std::int64_t return_twice(std::int64_t extent) {
  static bool forked = false;
  if (!forked) {
    forked = true;
    static_cast<void>(fork());
  }
  return extent;
}

// The original aborts when the copy has had time to answer in its place.
std::int64_t return_in_a_copy_and_abort(std::int64_t extent) {
  if (fork() == 0) return extent;
  wait_a_moment();
  std::abort();
}

// What is left of a case comes back when the next one runs.
std::int64_t return_late_in_a_copy(std::int64_t extent) {
  if (fork() == 0) wait_a_moment();
  return extent;
}

std::int64_t abort_late_in_a_copy(std::int64_t extent) {
  if (fork() == 0) {
    wait_a_moment();
    std::abort();
  }
  return extent;
}

std::int64_t leave_the_dead(std::int64_t extent) {
  for (int i = 0; i < 5; ++i)
    if (fork() == 0) _exit(0);
  return extent;
}

std::int64_t be_a_subreaper(std::int64_t extent) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  return leave_children(extent);
}

std::int64_t hide(std::int64_t extent) {
  prctl(PR_SET_DUMPABLE, 0);
  return leave_children(extent);
}

std::int64_t leave_a_nameless_helper(std::int64_t extent) {
  static const pid_t helper = fork();
  if (helper == 0) {
    char* const nothing[] = {nullptr};
    execle("/bin/sleep", "sleep", "1000", nullptr, nothing);
    _exit(1);
  }
  return extent;
}

std::int64_t leave_a_sibling(std::int64_t extent) {
  static bool left = false;
  if (left) return extent;
  left = true;
  if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0)
    for (;;)
      pause();
  return extent;
}

std::int64_t leave_a_child_that_prints(std::int64_t extent) {
  static const pid_t child = fork();
  if (child == 0)
    for (;;)
      print("still here\n");
  return extent;
}

template <int number>
std::int64_t signal_the_supervisor(std::int64_t extent) {
  kill(getppid(), number);
  return sleep_forever(extent);
}

template <int number>
std::int64_t signal_the_group(std::int64_t extent) {
  kill(0, number);
  return extent;
}

std::int64_t outlive_the_supervisor(std::int64_t extent) {
  prctl(PR_SET_PDEATHSIG, 0);
  leave_children(extent);
  return signal_the_supervisor<SIGKILL>(extent);
}

std::int64_t be_traced(std::int64_t extent) {
  static bool traced = false;
  if (!traced) {
    traced = true;
    std::signal(SIGUSR1, [](int) {});
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGUSR1);
  }
  return extent;
}

std::int64_t be_traced_and_crash(std::int64_t extent) {
  return read_null(be_traced(extent));
}

// As crash handlers do. One that lets the process die and does not look hides its end from its
// parent.
template <bool lets_it_die>
std::int64_t be_traced_by_a_helper_and_crash(std::int64_t extent) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t traced = getpid();
  if (fork() == 0) {
    ptrace(PTRACE_SEIZE, traced, nullptr, nullptr);
    int status = 0;
    if (lets_it_die && waitpid(traced, &status, __WALL) == traced)
      ptrace(PTRACE_CONT, traced, nullptr, SIGSEGV);
    sleep_forever();
  }
  wait_a_moment();
  return read_null(extent);
}

std::int64_t change_the_schedule(std::int64_t extent) {
  setsid();
  setpgid(0, 0);
  setpriority(PRIO_PROCESS, 0, 5);
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  sched_setaffinity(0, sizeof(first), &first);
  prctl(PR_SET_NAME, "a) R 1 (b");
  return extent;
}

// The child of a child that has ended by the time that cases run.
std::atomic<pid_t>& server() {
  static auto* const shared = static_cast<std::atomic<pid_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *shared;
}

dlcert_status start_a_server(const dlcert_host&, dlcert_error&) {
  server() = 0;
  const pid_t parent = fork();
  if (parent == 0) {
    const pid_t child = fork();
    if (child == 0) sleep_forever();
    server() = child;
    _exit(0);
  }
  waitpid(parent, nullptr, 0);
  return DLCERT_OK;
}

dlcert_status wait_for_any_child(const dlcert_host&, dlcert_error&) {
  stay(0);  // the thread needs the code
  std::thread{[] {
    for (;;)
      if (wait(nullptr) < 0) std::this_thread::sleep_for(milliseconds{1});
  }}.detach();
  return DLCERT_OK;
}

dlcert_status abort_in_forked_children(const dlcert_host&, dlcert_error&) {
  pthread_atfork(nullptr, nullptr, std::abort);
  return DLCERT_OK;
}

Variants copies() {
  return {
      {"leave-children", {.on_provoke = leave_children}},
      {"leave-children-and-loop",
       {.on_provoke =
            [](std::int64_t extent) {
              const std::int64_t same = leave_children(extent);
              first_time();  // so that the test sees that they are there
              return sleep_forever(same);
            }}},
      {"leave-children-of-a-case", {.on_isolated = leave_children}},
      {"return-twice", {.on_provoke = return_twice}},
      {"return-in-a-copy-and-abort", {.on_provoke = return_in_a_copy_and_abort}},
      {"return-twice-from-a-case", {.on_isolated = return_twice}},
      {"return-in-a-copy-of-a-case-and-abort", {.on_isolated = return_in_a_copy_and_abort}},
      {"return-late-in-a-copy", {.on_isolated = return_late_in_a_copy}},
      {"abort-late-in-a-copy", {.on_isolated = abort_late_in_a_copy}},
      {"abort-late-in-a-shared-copy", {.on_provoke = abort_late_in_a_copy}},
      {"leave-the-dead", {.on_provoke = leave_the_dead}},
      {"subreaper", {.on_provoke = be_a_subreaper}},
      {"undumpable", {.on_provoke = hide}},
      {"nameless-helper", {.on_provoke = leave_a_nameless_helper}},
      {"sibling", {.on_provoke = leave_a_sibling}},
      {"child-that-prints", {.on_provoke = leave_a_child_that_prints}},
      {"server",
       {.on_open = start_a_server,
        .on_isolated =
            [](std::int64_t extent) { return kill(server(), 0) == 0 ? extent : extent + 1; }}},
  };
}

}  // namespace

Variants processes() {
  Variants all{
      {"kill-parent",
       {.on_provoke =
            [](std::int64_t extent) {
              leave_children(extent);
              return signal_the_supervisor<SIGKILL>(extent);
            }}},
      {"leave-a-killer", {.on_provoke = leave_a_killer}},
      {"lock-of-a-thread", {.on_open = keep_a_thread_busy, .on_isolated = wait_for_the_thread}},
      {"interrupt-parent", {.on_provoke = signal_the_supervisor<SIGINT>}},
      {"terminate-parent", {.on_provoke = signal_the_supervisor<SIGTERM>}},
      {"outlive-parent", {.on_provoke = outlive_the_supervisor}},
      {"kill-the-group", {.on_provoke = signal_the_group<SIGKILL>}},
      {"terminate-the-group", {.on_provoke = signal_the_group<SIGTERM>}},
      {"traced", {.on_provoke = be_traced}},
      {"traced-and-crash", {.on_provoke = be_traced_and_crash}},
      {"traced-by-a-helper-and-crash", {.on_provoke = be_traced_by_a_helper_and_crash<true>}},
      {"stopped-by-a-tracer", {.on_provoke = be_traced_by_a_helper_and_crash<false>}},
      {"traced-case-of-its-own", {.on_isolated = be_traced}},
      {"other-schedule", {.on_provoke = change_the_schedule}},
      {"wait-for-any-child", {.on_open = wait_for_any_child}},
      {"abort-after-a-fork", {.on_open = abort_in_forked_children}},
  };
  all.merge(copies());
  return all;
}

}  // namespace hostile
