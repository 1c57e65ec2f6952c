// SPDX-License-Identifier: Apache-2.0
//
// What happens outside of cases: while the module is loaded, opened, closed and unloaded, and at
// the exit.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

dlcert_status refuse(dlcert_error& error, const char* text) {
  std::strncpy(error.message, text, sizeof(error.message) - 1);
  return DLCERT_REFUSED;
}

// Only where a provoking tensor was made: not in the inventory.
template <auto act>
void if_used() {
  if (used()) act();
}

void exec_true() {
  execl("/bin/true", "true", nullptr);
}

void throw_it() {
  throw std::runtime_error("cannot close");
}

void hang_once() {
  if (first_time()) sleep_forever();
}

void abort_beside_a_copy() {
  const pid_t copy = fork();
  if (copy == 0) return;
  waitpid(copy, nullptr, 0);
  std::abort();
}

void abort_in_a_copy() {
  if (fork() == 0) std::abort();
}

void return_in_a_copy() {
  static_cast<void>(fork());
}

void abort_in_a_thread() {
  std::thread{std::abort}.join();
}

std::int64_t keep_a_buffer_in_the_module(std::int64_t extent) {
  static char buffer[4096];
  static bool kept = false;
  if (!kept) {
    kept = true;
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    std::printf("not yet written");
  }
  return extent;
}

std::int64_t keep_a_stream_in_the_module(std::int64_t extent) {
  static FILE* const stream = [] {
    cookie_io_functions_t functions{};
    functions.write = [](void*, const char*, std::size_t size) {
      return static_cast<ssize_t>(size);
    };
    return fopencookie(nullptr, "w", functions);
  }();
  std::fputs("not yet written", stream);
  return extent;
}

struct AbortsAtTheEndOfItsThread {
  ~AbortsAtTheEndOfItsThread() { std::abort(); }
  int member = 0;
};

std::int64_t keep_a_thread_local(std::int64_t extent) {
  thread_local AbortsAtTheEndOfItsThread kept;
  kept.member = 1;
  return extent;
}

std::int64_t abort_in_an_exit_handler(std::int64_t extent) {
  static bool left = false;
  if (!left) std::atexit([] { std::abort(); });
  left = true;
  return stay(extent);
}

Variants loading() {
  return {
      {"crash-in-a-constructor", {.on_dlopen = crash}},
      {"exit-in-a-constructor", {.on_dlopen = exit_quietly}},
      {"crash-while-loading", {.on_load = [] { return read_null() == 0; }}},
      {"exit-while-loading", {.on_load = []() -> bool { _exit(0); }}},
      {"hang-while-loading", {.on_load = []() -> bool { sleep_forever(); }}},
      {"no-table", {.on_load = [] { return false; }}},
      {"no-table-in-workers", {.on_load = [] { return !in_a_worker(); }}},
      {"crash-while-loading-again", {.on_load = [] { return first_time() || read_null() == 0; }}},
      {"crash-at-every-second-load",
       {.on_load = [] { return earlier_calls() % 2 == 0 || read_null() == 0; }}},
      {"hang-at-every-second-load",
       {.on_load =
            [] {
              if (earlier_calls() % 2 == 1) sleep_forever();
              return true;
            }}},
      {"throw-while-opening", {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         throw std::runtime_error("out of cheese");
       }}},
      {"throw-a-number-while-opening",
       {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status { throw 7; }}},
      {"refuse-to-open",
       {.on_open =
            [](const dlcert_host&, dlcert_error& error) {
              return refuse(error, "no cheese\nno bread\nno wine");
            }}},
      {"refuse-to-open-in-workers",
       {.on_open = [](const dlcert_host&, dlcert_error& error) -> dlcert_status {
         return in_a_worker() ? refuse(error, "no cheese") : DLCERT_OK;
       }}},
      {"crash-while-opening-again",
       {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         if (in_a_worker()) read_null();
         return DLCERT_OK;
       }}},
      {"return-twice-from-open",
       {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         return_in_a_copy();
         return DLCERT_OK;
       }}},
  };
}

Variants closing() {
  return {
      {"crash-while-closing", {.on_close = crash}},
      {"crash-while-closing-if-used", {.on_provoke = use, .on_close = if_used<crash>}},
      {"exit-while-closing", {.on_provoke = use, .on_close = if_used<exit_quietly>}},
      {"exec-while-closing", {.on_provoke = use, .on_close = if_used<exec_true>}},
      {"throw-while-closing", {.on_provoke = use, .on_close = if_used<throw_it>}},
      {"abort-in-a-thread-while-closing",
       {.on_provoke = use, .on_close = if_used<abort_in_a_thread>}},
      {"fork-in-close-and-abort", {.on_provoke = use, .on_close = if_used<abort_beside_a_copy>}},
      {"abort-in-a-copy-made-by-close", {.on_provoke = use, .on_close = if_used<abort_in_a_copy>}},
      {"return-twice-from-close", {.on_provoke = use, .on_close = if_used<return_in_a_copy>}},
      {"leave-children-in-close", {.on_close = [] { leave_children(0); }}},
      {"hang-while-closing", {.on_provoke = use, .on_close = if_used<hang>}},
      {"hang-while-closing-once", {.on_provoke = use, .on_close = if_used<hang_once>}},
      {"slow-to-close",
       {.on_close = [] { std::this_thread::sleep_for(std::chrono::milliseconds{300}); }}},
  };
}

Variants unloading() {
  return {
      {"abort-at-unload", {.on_provoke = use, .on_unload = if_used<std::abort>}},
      {"crash-at-unload", {.on_provoke = use, .on_unload = if_used<crash>}},
      {"exit-at-unload", {.on_provoke = use, .on_unload = if_used<exit_quietly>}},
      {"hang-at-unload", {.on_provoke = use, .on_unload = if_used<hang>}},
      {"return-twice-at-unload", {.on_provoke = use, .on_unload = if_used<return_in_a_copy>}},
      {"buffer-of-output-in-the-module", {.on_provoke = keep_a_buffer_in_the_module}},
      {"stream-in-the-module", {.on_provoke = keep_a_stream_in_the_module}},
      {"abort-at-exit", {.on_provoke = stay, .on_unload = if_used<std::abort>}},
      {"crash-at-exit", {.on_provoke = stay, .on_unload = if_used<crash>}},
      {"hang-at-exit", {.on_provoke = stay, .on_unload = if_used<hang>}},
      {"abort-in-an-exit-handler", {.on_provoke = abort_in_an_exit_handler}},
      {"abort-at-the-end-of-the-thread", {.on_provoke = keep_a_thread_local}},
  };
}

}  // namespace

Variants outside() {
  Variants all = loading();
  all.merge(closing());
  all.merge(unloading());
  return all;
}

}  // namespace hostile
