// SPDX-License-Identifier: Apache-2.0
//
// What does not come back, or late.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

std::int64_t loop_forever(std::int64_t extent) {
  for (volatile std::int64_t turns = 0; turns >= 0;)
    turns = (turns + 1) % 1000;
  return extent;
}

std::int64_t lock_twice(std::int64_t extent) {
  static pthread_mutex_t mutex{};
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  return extent;
}

std::int64_t stop_itself(std::int64_t extent) {
  raise(SIGSTOP);
  return extent;
}

std::int64_t stop_the_group(std::int64_t extent) {
  first_time();  // so that the test sees that it was here
  kill(0, SIGSTOP);
  return sleep_forever(extent);
}

std::int64_t wait_for_a_stopped_child(std::int64_t extent) {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return extent;
}

std::int64_t block_all_and_sleep(std::int64_t extent) {
  for (int number = 1; number < NSIG; ++number)
    std::signal(number, SIG_IGN);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  return sleep_forever(extent);
}

}  // namespace

Variants hangs() {
  return {
      {"infinite-loop", {.on_provoke = loop_forever}},
      {"deadlock", {.on_provoke = lock_twice}},
      {"stop-itself", {.on_provoke = stop_itself}},
      {"stop-a-case-of-its-own", {.on_isolated = stop_itself}},
      {"stop-the-group", {.on_provoke = stop_the_group}},
      {"wait-for-a-stopped-child", {.on_provoke = wait_for_a_stopped_child}},
      {"block-all-and-sleep", {.on_provoke = block_all_and_sleep}},
      {"fault-handler-that-returns",
       {.on_provoke =
            [](std::int64_t extent) {
              std::signal(SIGSEGV, [](int) {});
              return read_null(extent);
            }}},
      {"exec-sleep",
       {.on_provoke =
            [](std::int64_t extent) {
              execl("/bin/sleep", "sleep", "1000", nullptr);
              return extent;
            }}},
      {"hang-in-release",
       {.on_release =
            [](bool provoking) {
              if (provoking) sleep_forever();
            }}},
      {"hang-in-the-deleter", {.on_deleter = [] { sleep_forever(); }}},
      {"hang-in-an-import",
       {.on_import = [](DLManagedTensor&) -> dlcert_status { sleep_forever(); }}},
      {"hang-after-a-fork", {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         pthread_atfork(nullptr, nullptr, [] { sleep_forever(); });
         return DLCERT_OK;
       }}},
      {"hang-after-another",
       {.on_prepare = [] { use(0); },
        .on_provoke = [](std::int64_t extent) { return used() ? sleep_forever(extent) : extent; }}},
      {"endless-once",
       {.on_provoke =
            [](std::int64_t extent) { return first_time() ? sleep_forever(extent) : extent; }}},
      {"slow-once",
       {.on_provoke =
            [](std::int64_t extent) {
              if (first_time()) std::this_thread::sleep_for(std::chrono::milliseconds{300});
              return extent;
            }}},
      {"spinning-thread",
       {.on_provoke =
            [](std::int64_t extent) {
              static std::thread* const endless = new std::thread{[] { loop_forever(0); }};
              return endless->joinable() ? stay(extent) : extent + 1;  // the thread needs the code
            }}},
      {"wait-for-input",
       {.on_provoke =
            [](std::int64_t extent) {
              char byte = 0;
              return extent + ::read(STDIN_FILENO, &byte, 1);
            }}},
  };
}

}  // namespace hostile
