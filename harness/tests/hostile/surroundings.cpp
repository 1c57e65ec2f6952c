// SPDX-License-Identifier: Apache-2.0
//
// What a library changes of the process that it is a guest in.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <string>

#include "hostile.hpp"

namespace hostile {
namespace {

std::int64_t change_process(std::int64_t extent) {
  for (int number = 1; number < NSIG; ++number)
    if (number != SIGSEGV) signal(number, SIG_IGN);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  umask(0777);
  if (chdir("/proc") != 0) std::abort();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  return extent;
}

template <int flags>
dlcert_status handle_children(const dlcert_host&, dlcert_error&) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    const int before = errno;
    while (waitpid(-1, nullptr, WNOHANG) > 0)
      continue;
    errno = before;
  };
  action.sa_flags = flags;
  sigaction(SIGCHLD, &action, nullptr);
  stay(0);  // the handler needs the code
  return DLCERT_OK;
}

dlcert_status ignore_children(const dlcert_host&, dlcert_error&) {
  signal(SIGCHLD, SIG_IGN);
  return DLCERT_OK;
}

// As a sampling profiler does.
dlcert_status interrupt_each_millisecond(const dlcert_host&, dlcert_error&) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}};
  stay(0);  // the handler needs the code
  setitimer(ITIMER_REAL, &often, nullptr);
  return DLCERT_OK;
}

std::int64_t forget_its_signal_stack(std::int64_t extent) {
  static char* stack = nullptr;
  if (stack != nullptr) return extent;
  stack = new char[static_cast<std::size_t>(SIGSTKSZ)];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = static_cast<std::size_t>(SIGSTKSZ);
  sigaltstack(&alternate, nullptr);
  delete[] stack;
  return extent;
}

std::int64_t round_upward(std::int64_t extent) {
  std::fesetround(FE_UPWARD);
  return extent;
}

std::int64_t raise_on_invalid_arithmetic(std::int64_t extent) {
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  return extent;
}

std::int64_t forget_the_environment(std::int64_t extent) {
  acts();  // are known by now
  clearenv();
  return extent;
}

std::int64_t take_the_environment_away(std::int64_t extent) {
  acts();
  environ = nullptr;
  return extent;
}

std::int64_t put_passing_memory_into_the_environment(std::int64_t extent) {
  char text[] = "CUDA_VISIBLE_DEVICES=7";
  putenv(text);
  text[0] = '=';
  return extent;
}

std::int64_t set_up_another_harness(std::int64_t extent) {
  setenv("DLCERT_SIMULATED_DEVICES", "0", 1);
  setenv("DLCERT_DRIVER", "cuda", 1);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  setenv("LD_PRELOAD", "/nonexistent.so", 1);
  setenv("PATH", "", 1);
  return extent;
}

std::int64_t leave_for_a_folder_that_is_gone(std::int64_t extent) {
  const std::string folder = state_file() + "-folder-" + std::to_string(getpid());
  if (mkdir(folder.c_str(), 0700) == 0 && chdir(folder.c_str()) == 0) rmdir(folder.c_str());
  return extent;
}

template <int resource, rlim_t value>
std::int64_t limit(std::int64_t extent) {
  const rlimit to{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &to);
  return extent;
}

std::int64_t leave_an_error_number(std::int64_t extent) {
  errno = 12345;
  return extent;
}

}  // namespace

Variants surroundings() {
  return {
      {"change-process", {.on_provoke = change_process}},
      {"ignore-children", {.on_open = ignore_children}},
      {"reap-all-children", {.on_open = handle_children<SA_RESTART>}},
      {"no-child-wait", {.on_open = handle_children<SA_NOCLDWAIT>}},
      {"interrupt-often", {.on_open = interrupt_each_millisecond}},
      {"forget-its-signal-stack", {.on_provoke = forget_its_signal_stack}},
      {"round-upward", {.on_provoke = round_upward}},
      {"raise-on-invalid-arithmetic", {.on_provoke = raise_on_invalid_arithmetic}},
      {"error-number", {.on_provoke = leave_an_error_number}},
      {"no-environment", {.on_provoke = forget_the_environment}},
      {"null-environment", {.on_provoke = take_the_environment_away}},
      {"passing-environment", {.on_provoke = put_passing_memory_into_the_environment}},
      {"environment-of-the-harness", {.on_provoke = set_up_another_harness}},
      {"environment-of-a-case", {.on_isolated = set_up_another_harness}},
      {"folder-that-is-gone", {.on_provoke = leave_for_a_folder_that_is_gone}},
      {"no-descriptors-left", {.on_provoke = limit<RLIMIT_NOFILE, 0>}},
      {"no-descriptors-in-a-case", {.on_isolated = limit<RLIMIT_NOFILE, 0>}},
      {"no-files", {.on_provoke = limit<RLIMIT_FSIZE, 0>}},
      {"core-dumps", {.on_provoke = limit<RLIMIT_CORE, RLIM_INFINITY>}},
      {"no-locked-memory", {.on_provoke = limit<RLIMIT_MEMLOCK, 0>}},
      {"no-more-priority", {.on_provoke = limit<RLIMIT_NICE, 0>}},
  };
}

}  // namespace hostile
