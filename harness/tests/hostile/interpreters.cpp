// SPDX-License-Identifier: Apache-2.0
//
// What a library in an interpreter asks of its process: hooks around forks, an end without exit
// handlers, a signal at which it tells its stacks; and what becomes of handlers.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

// ---- forks ----

bool was_called_in_child = false;

template <void (*before)(), void (*in_parent)(), void (*in_child)()>
void hook_forks(dlcert_adapter& table, dlcert_tensor_group&) {
  table.before_fork = [](void*) { before(); };
  table.after_fork = [](void*, std::int32_t is_child) {
    was_called_in_child = is_child != 0;
    void (*const act)() = was_called_in_child ? in_child : in_parent;
    act();
  };
}

void nothing() {}
void take_the_lock() {
  lock_of_the_thread().lock();
}
void give_the_lock_back() {
  lock_of_the_thread().unlock();
}

std::int64_t crash_behind_the_lock(std::int64_t extent) {
  return read_null(wait_for_the_thread(extent));
}

// Counts how often it is loaded.
dlcert_status open_with_a_thread(const dlcert_host&, dlcert_error&) {
  earlier_calls();
  stay(0);  // the thread needs the code
  std::thread{hang}.detach();
  return DLCERT_OK;
}

Variants forks() {
  constexpr auto hooked = hook_forks<nothing, nothing, nothing>;
  return {
      {"fork-hooks",
       {.on_table = hooked,
        .on_isolated =
            [](std::int64_t extent) { return was_called_in_child ? extent : extent + 1; }}},
      {"half-of-the-fork-hooks",
       {.on_table = [](dlcert_adapter& table,
                       dlcert_tensor_group&) { table.before_fork = [](void*) {}; }}},
      {"crash-before-a-fork", {.on_table = hook_forks<crash, nothing, nothing>}},
      {"hang-before-a-fork", {.on_table = hook_forks<hang, nothing, nothing>}},
      {"crash-behind-a-fork", {.on_table = hook_forks<nothing, nothing, crash>}},
      {"hang-behind-a-fork", {.on_table = hook_forks<nothing, nothing, hang>}},
      {"exit-behind-a-fork", {.on_table = hook_forks<nothing, nothing, exit_quietly>}},
      {"crash-behind-a-fork-in-the-parent", {.on_table = hook_forks<nothing, crash, nothing>}},
      {"lock-of-a-thread-with-fork-hooks",
       {.on_table = hooked, .on_open = keep_a_thread_busy, .on_isolated = wait_for_the_thread}},
      {"lock-that-fork-hooks-take",
       {.on_table = hook_forks<take_the_lock, give_the_lock_back, give_the_lock_back>,
        .on_open = keep_a_thread_busy,
        .on_isolated = wait_for_the_thread}},
      {"crash-with-a-thread",
       {.on_open = open_with_a_thread,
        .on_provoke = [](std::int64_t extent) { return read_null(extent); }}},
      {"crash-with-a-thread-and-fork-hooks",
       {.on_table = hooked,
        .on_open = open_with_a_thread,
        .on_provoke = [](std::int64_t extent) { return read_null(extent); }}},
      {"hang-with-a-thread-and-slow-to-load",
       {.on_table = hooked,
        .on_open =
            [](const dlcert_host& host, dlcert_error& error) {
              std::this_thread::sleep_for(std::chrono::milliseconds{500});
              return open_with_a_thread(host, error);
            },
        .on_provoke = sleep_forever}},
      {"crash-behind-the-lock-of-a-thread",
       {.on_table = hooked, .on_open = keep_a_thread_busy, .on_provoke = crash_behind_the_lock}},
  };
}

// ---- exits ----

void end_without_exit(dlcert_adapter& table, dlcert_tensor_group&) {
  table.properties |= DLCERT_ENDS_WITHOUT_EXIT;
}

template <void (*act)()>
std::int64_t leave_an_exit_handler(std::int64_t extent) {
  static const int left = std::atexit(act);
  return extent + left;
}

Variants exits() {
  return {
      {"end-without-an-exit-handler",
       {.on_table = end_without_exit, .on_provoke = leave_an_exit_handler<std::abort>}},
      {"end-without-an-exit-handler-that-hangs",
       {.on_table = end_without_exit, .on_provoke = leave_an_exit_handler<hang>}},
      {"end-without-a-destructor", {.on_table = end_without_exit, .on_unload = std::abort}},
      {"end-without-exit-and-crash-while-closing",
       {.on_table = end_without_exit,
        .on_provoke = use,
        .on_close =
            [] {
              if (used()) read_null();
            }}},
  };
}

// ---- stacks ----

void tell_stacks(dlcert_adapter& table, dlcert_tensor_group&) {
  table.stacks_signal = SIGUSR2;
}

template <void (*handler)(int)>
dlcert_status handle_the_signal(const dlcert_host&, dlcert_error&) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(SIGUSR2, &action, nullptr);
  stay(0);  // the handler needs the code
  return DLCERT_OK;
}

void write_a_stack(int) {
  print("stack of thread 1:\n  in sleep_forever()\n");
}

void write_without_end(int) {
  for (;;)
    print("stack of thread 1:\n");
}

void exit_at_a_signal(int) {
  exit_quietly();
}

void crash_at_a_signal(int) {
  crash();
}

bool was_provoked = false;

std::int64_t be_provoked(std::int64_t extent) {
  was_provoked = true;
  return extent;
}

// Once in a process: behind it the unit is soon done.
std::int64_t sleep_until_a_signal(std::int64_t extent) {
  static const int interrupted = pause();
  return interrupted == -1 ? extent : extent + 1;
}

Variants stacks() {
  constexpr auto told = handle_the_signal<write_a_stack>;
  return {
      {"stacks", {.on_table = tell_stacks, .on_open = told, .on_provoke = sleep_forever}},
      {"stacks-of-a-case-of-its-own",
       {.on_table = tell_stacks, .on_open = told, .on_isolated = sleep_forever}},
      {"stacks-while-closing",
       {.on_table = tell_stacks,
        .on_open = told,
        .on_provoke = be_provoked,
        .on_close =
            [] {
              if (was_provoked) sleep_forever();
            }}},
      {"stacks-that-end-the-hang",
       {.on_table = tell_stacks, .on_open = told, .on_provoke = sleep_until_a_signal}},
      {"stacks-that-end-the-process",
       {.on_table = tell_stacks,
        .on_open = handle_the_signal<exit_at_a_signal>,
        .on_provoke = sleep_forever}},
      {"stacks-that-crash",
       {.on_table = tell_stacks,
        .on_open = handle_the_signal<crash_at_a_signal>,
        .on_provoke = sleep_forever}},
      {"stacks-without-end",
       {.on_table = tell_stacks,
        .on_open = handle_the_signal<write_without_end>,
        .on_provoke = sleep_forever}},
      {"stacks-without-a-handler", {.on_table = tell_stacks, .on_provoke = sleep_forever}},
      {"stacks-at-the-last-signal",
       {.on_table = [](dlcert_adapter& table,
                       dlcert_tensor_group&) { table.stacks_signal = SIGKILL; }}},
  };
}

// ---- handlers ----

std::int64_t swallow_termination_and_sleep(std::int64_t extent) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP})
    signal(number, [](int) {});
  return sleep_forever(extent);
}

template <bool again>
std::int64_t crash_into_a_handler(std::int64_t extent) {
  signal(SIGSEGV, [](int number) {
    print("fatal error: segmentation fault\n");
    if (!again) _exit(1);
    signal(number, SIG_DFL);
    raise(number);
  });
  return read_null(extent);
}

dlcert_status ignore_children_in_a_thread(const dlcert_host&, dlcert_error&) {
  stay(0);  // the thread needs the code
  std::thread{[] {
    for (;;) {
      signal(SIGCHLD, SIG_IGN);
      std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
  }}.detach();
  return DLCERT_OK;
}

dlcert_status block_all_signals(const dlcert_host&, dlcert_error&) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  return DLCERT_OK;
}

Variants handlers() {
  return {
      {"swallow-termination-and-hang", {.on_provoke = swallow_termination_and_sleep}},
      {"fault-handler-that-exits", {.on_provoke = crash_into_a_handler<false>}},
      {"fault-handler-that-raises-again", {.on_provoke = crash_into_a_handler<true>}},
      {"ignore-children-in-a-thread", {.on_open = ignore_children_in_a_thread}},
      {"block-all-signals", {.on_open = block_all_signals}},
      {"block-all-signals-and-hang",
       {.on_table = tell_stacks,
        .on_open =
            [](const dlcert_host& host, dlcert_error& error) {
              handle_the_signal<write_a_stack>(host, error);
              return block_all_signals(host, error);
            },
        .on_provoke = sleep_forever}},
      {"own-group-from-the-start",
       {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         setpgid(0, 0);
         setsid();
         return DLCERT_OK;
       }}},
  };
}

}  // namespace

Variants interpreters() {
  Variants all = forks();
  all.merge(exits());
  all.merge(stacks());
  all.merge(handlers());
  return all;
}

}  // namespace hostile
