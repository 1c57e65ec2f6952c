// SPDX-License-Identifier: Apache-2.0
//
// What ends the process inside of a case, or tries to.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "hostile.hpp"

namespace hostile {
namespace {

// NOLINTNEXTLINE(misc-no-recursion)
[[gnu::noinline]] std::int64_t recurse(std::int64_t depth) {
  std::array<volatile char, 4096> frame{};
  frame[static_cast<std::size_t>(depth) % frame.size()] = 1;
  return depth < 0 ? frame[0] : recurse(depth + 1) + frame[1];
}

// Writes over the allocator's own words between blocks.
std::int64_t corrupt_heap(std::int64_t extent) {
  constexpr std::size_t size = 4104;
  std::array<char* volatile, 8> blocks{};
  for (auto& block : blocks)
    block = static_cast<char*>(std::malloc(size));
  for (auto& block : blocks)
    for (std::size_t i = 0; i < size + 16; ++i)
      block[i] = 'x';
  for (auto& block : blocks)
    std::free(block);
  return extent;
}

[[gnu::noinline]] std::int64_t smash_the_stack(std::int64_t extent) {
  volatile char frame[16];
  volatile char* volatile bytes = frame;
  for (int i = 0; i < 256; ++i)
    bytes[i] = 'x';
  return extent + frame[0];
}

// As a sanitizer does that finds undefined behaviour in a check.
std::int64_t end_by_a_fault_of_the_harness(std::int64_t) {
  std::string file = __FILE__;
  file.replace(file.rfind("harness/"), std::string::npos, "conformance/abi/data.cpp");
  print(file + ":7:3: runtime error: division by zero\n");
  _exit(1);
}

std::int64_t touch_a_truncated_file(std::int64_t extent) {
  const int file = open(state_file().c_str(), O_CREAT | O_RDWR, 0600);
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0);
  return *static_cast<volatile char*>(page) + extent;
}

std::int64_t divide_by_zero(std::int64_t extent) {
  volatile std::int64_t zero = 0;
  return extent / zero;
}

std::int64_t write_to_a_closed_pipe(std::int64_t extent) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return extent;
  close(ends[0]);
  return extent + write(ends[1], "x", 1);
}

std::int64_t write_a_larger_file_than_allowed(std::int64_t extent) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_FSIZE, &none);
  const int file = open(state_file().c_str(), O_CREAT | O_WRONLY, 0600);
  return extent + write(file, "x", 1);
}

template <int timer>
std::int64_t run_out_of_time(std::int64_t extent) {
  const itimerval soon{{0, 0}, {0, 1000}};
  setitimer(timer, &soon, nullptr);
  for (volatile int turns = 0; turns >= 0;)
    turns = (turns + 1) % 1000;
  return extent;
}

template <int number>
std::int64_t raise_it(std::int64_t extent) {
  raise(number);
  return extent;
}

struct Speechless : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

sigjmp_buf before_the_abort;

// A library that survives its own abort keeps the rules.
std::int64_t recover_from_an_abort(std::int64_t extent) {
  std::signal(SIGABRT, [](int) { siglongjmp(before_the_abort, 1); });
  if (sigsetjmp(before_the_abort, 1) == 0) std::abort();
  std::signal(SIGABRT, SIG_DFL);
  return extent;
}

// Wrong, and from its thirtieth call on it does something else.
template <auto act>
std::int64_t fail_then(std::int64_t extent) {
  static int calls = 0;
  return ++calls >= 30 ? act(extent) : extent + 1;
}

Variants by_signals() {
  return {
      {"bus-error", {.on_provoke = touch_a_truncated_file}},
      {"division-by-zero", {.on_provoke = divide_by_zero}},
      {"illegal-instruction", {.on_provoke = raise_it<SIGILL>}},
      {"trap", {.on_provoke = raise_it<SIGTRAP>}},
      {"bad-system-call", {.on_provoke = raise_it<SIGSYS>}},
      {"closed-pipe", {.on_provoke = write_to_a_closed_pipe}},
      {"large-file", {.on_provoke = write_a_larger_file_than_allowed}},
      {"alarm", {.on_provoke = run_out_of_time<ITIMER_REAL>}},
      {"virtual-alarm", {.on_provoke = run_out_of_time<ITIMER_VIRTUAL>}},
      {"profiling-alarm", {.on_provoke = run_out_of_time<ITIMER_PROF>}},
      {"kill-itself", {.on_provoke = raise_it<SIGKILL>}},
      {"terminate-itself", {.on_provoke = raise_it<SIGTERM>}},
      {"hang-up", {.on_provoke = raise_it<SIGHUP>}},
      {"quit", {.on_provoke = raise_it<SIGQUIT>}},
      {"out-of-processor-time", {.on_provoke = raise_it<SIGXCPU>}},
      {"user-signal", {.on_provoke = raise_it<SIGUSR1>}},
      {"nameless-signal",
       {.on_provoke =
            [](std::int64_t extent) {
              raise(SIGRTMIN + 3);
              return extent;
            }}},
      {"exit-of-a-fault-handler",
       {.on_provoke =
            [](std::int64_t extent) {
              std::signal(SIGSEGV, [](int) { _exit(0); });
              return read_null(extent);
            }}},
      {"recover-from-abort", {.on_provoke = recover_from_an_abort}},
  };
}

Variants by_exits() {
  return {
      {"exit-quietly", {.on_provoke = [](std::int64_t) -> std::int64_t { _exit(0); }}},
      {"exit-with-a-handler", {.on_provoke = [](std::int64_t) -> std::int64_t {
         std::atexit([] { _exit(0); });
         std::exit(7);
       }}},
      {"quick-exit", {.on_provoke = [](std::int64_t) -> std::int64_t { std::quick_exit(0); }}},
      {"exit-from-a-thread",
       {.on_provoke =
            [](std::int64_t extent) {
              std::thread{[] { _exit(0); }}.join();
              return extent;
            }}},
      {"exit-in-destructor",
       {.on_release =
            [](bool provoking) {
              if (provoking) std::exit(0);
            }}},
      {"exit-in-the-deleter", {.on_deleter = [] { _exit(0); }}},
      {"exit-in-an-import", {.on_import = [](DLManagedTensor&) -> dlcert_status { _exit(0); }}},
      {"exit-in-a-read", {.on_read = [](std::span<std::byte>) -> dlcert_status { _exit(0); }}},
      {"exit-in-a-case-of-its-own",
       {.on_isolated = [](std::int64_t) -> std::int64_t { _exit(0); }}},
      {"end-of-the-thread",
       {.on_provoke = [](std::int64_t) -> std::int64_t { pthread_exit(nullptr); }}},
      {"cancelled-thread",
       {.on_provoke =
            [](std::int64_t extent) {
              pthread_cancel(pthread_self());
              pthread_testcancel();
              return extent;
            }}},
      {"exec",
       {.on_provoke =
            [](std::int64_t extent) {
              execl("/bin/true", "true", nullptr);
              return extent;
            }}},
      {"exec-and-claim",
       {.on_provoke =
            [](std::int64_t extent) {
              execl("/bin/sh", "sh", "-c", "echo PASSED; exit 0", nullptr);
              return extent;
            }}},
      {"daemonise",
       {.on_provoke =
            [](std::int64_t extent) {
              if (daemon(1, 1) != 0) std::abort();
              return extent;
            }}},
      {"new-handler-that-exits",
       {.on_provoke =
            [](std::int64_t extent) {
              std::set_new_handler([] { _exit(0); });
              volatile std::size_t too_much = PTRDIFF_MAX;
              return extent + *new char[too_much];
            }}},
      {"fault-of-harness", {.on_provoke = end_by_a_fault_of_the_harness}},
  };
}

Variants by_exceptions() {
  return {
      {"throw", {.on_provoke = [](std::int64_t) -> std::int64_t {
         throw std::runtime_error("out of cheese");
       }}},
      {"throw-a-number", {.on_provoke = [](std::int64_t) -> std::int64_t { throw 7; }}},
      {"throw-without-words",
       {.on_provoke = [](std::int64_t) -> std::int64_t { throw Speechless{}; }}},
      {"throw-many-words", {.on_provoke = [](std::int64_t) -> std::int64_t {
         throw std::runtime_error("out of " + std::string(1 << 20, 'x'));
       }}},
      {"throw-from-claims", {.can = [](const dlcert_tensor_spec&) -> bool {
         static int calls = 0;
         if (++calls > 50) throw std::runtime_error("no claim");
         return true;
       }}},
      {"throw-from-the-deleter", {.on_deleter = [] { throw std::runtime_error("no return"); }}},
      {"throw-from-an-import", {.on_import = [](DLManagedTensor&) -> dlcert_status {
         throw std::runtime_error("no entry");
       }}},
      {"throw-in-a-case-of-its-own", {.on_isolated = [](std::int64_t) -> std::int64_t {
         throw std::runtime_error("out of cheese");
       }}},
      {"throw-in-a-thread",
       {.on_provoke =
            [](std::int64_t extent) {
              std::thread{[] { throw std::runtime_error("out of cheese"); }}.join();
              return extent;
            }}},
      {"terminate-quietly",
       {.on_provoke =
            [](std::int64_t extent) {
              std::set_terminate([] { _exit(0); });
              std::thread{[] { throw std::runtime_error("out of cheese"); }}.join();
              return extent;
            }}},
  };
}

}  // namespace

Variants deaths() {
  Variants all{
      {"segfault", {.on_provoke = [](std::int64_t extent) { return read_null(extent); }}},
      {"abort", {.on_provoke = [](std::int64_t) -> std::int64_t { std::abort(); }}},
      {"stack-overflow", {.on_provoke = [](std::int64_t) { return recurse(0); }}},
      {"corrupt-heap", {.on_provoke = corrupt_heap}},
      {"smash-the-stack", {.on_provoke = smash_the_stack}},
      {"double-free",
       {.on_provoke =
            [](std::int64_t extent) {
              void* volatile block = std::malloc(64);
              void* volatile same = block;
              std::free(block);
              std::free(same);
              return extent;
            }}},
      {"abort-in-the-deleter", {.on_deleter = [] { std::thread{std::abort}.join(); }}},
      {"crash-in-an-import",
       {.on_import = [](DLManagedTensor&) { return static_cast<dlcert_status>(read_null()); }}},
      {"read-behind-an-import", {.on_import = [](DLManagedTensor& managed) -> dlcert_status {
         const auto* const elements = static_cast<volatile double*>(managed.dl_tensor.data);
         static_cast<void>(elements[managed.dl_tensor.shape[0]]);
         return DLCERT_OK;
       }}},
      {"crash-in-a-case-of-its-own",
       {.on_isolated = [](std::int64_t extent) { return read_null(extent); }}},
      {"kill-a-case-of-its-own", {.on_isolated = raise_it<SIGKILL>}},
      {"crash-in-a-later-case",
       {.on_provoke =
            [](std::int64_t extent) {
              static int calls = 0;
              return ++calls == 20 ? read_null(extent) : extent;
            }}},
      {"crash-after-another",
       {.on_prepare = [] { use(0); },
        .on_provoke = [](std::int64_t extent) { return used() ? read_null(extent) : extent; }}},
      {"crash-while-shrunk", {.on_provoke = fail_then<read_null>}},
      {"crash-in-the-background",
       {.on_provoke =
            [](std::int64_t extent) {
              static bool started = false;
              if (!std::exchange(started, true))
                std::thread{[] {
                  std::this_thread::sleep_for(std::chrono::milliseconds{20});
                  read_null();
                }}.detach();
              return extent;
            }}},
  };
  all.merge(by_signals());
  all.merge(by_exits());
  all.merge(by_exceptions());
  return all;
}

}  // namespace hostile
