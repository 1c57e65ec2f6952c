// SPDX-License-Identifier: Apache-2.0
//
// What libraries do to the process that they are loaded into, by accident.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "plain_library.hpp"

namespace hostile {
namespace {

using std::chrono::hours;

std::string state_file() {
  const char* path = std::getenv("DLCERT_HOSTILE_STATE");
  return path != nullptr ? path : "";
}

// Once per test, whichever processes it takes.
bool first_time() {
  const int file = open(state_file().c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

// How often this was called before, by any process of the test.
int earlier_calls() {
  const int file = open(state_file().c_str(), O_CREAT | O_APPEND | O_WRONLY, 0600);
  const ssize_t written = write(file, "x", 1);
  const auto calls = static_cast<int>(lseek(file, 0, SEEK_CUR));
  close(file);
  return calls - static_cast<int>(written);
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

std::int64_t read_null(std::int64_t extent) {
  volatile std::int64_t* volatile nowhere = nullptr;
  return *nowhere + extent;
}

// NOLINTNEXTLINE(misc-no-recursion)
[[gnu::noinline]] std::int64_t recurse(std::int64_t depth) {
  std::array<volatile char, 4096> frame{};
  frame[static_cast<std::size_t>(depth) % frame.size()] = 1;
  return depth < 0 ? frame[0] : recurse(depth + 1) + frame[1];
}

std::int64_t sleep_forever(std::int64_t) {
  for (;;)
    std::this_thread::sleep_for(hours{1});
}

std::int64_t loop_forever(std::int64_t extent) {
  for (volatile std::int64_t turns = 0; turns >= 0;)
    turns = (turns + 1) % 1000;
  return extent;
}

std::int64_t close_and_reuse_descriptors(std::int64_t extent) {
  for (int number = 0; number < 1024; ++number)
    close(number);
  const std::string path = state_file();
  for (int number = 0; number < 64; ++number) {
    const int file = open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY, 0600);
    if (write(file, "the library's own data\n", 23) != 23) std::abort();
  }
  return extent;
}

std::int64_t write_everywhere(std::int64_t extent) {
  for (int number = 0; number < 1024; ++number) {
    fcntl(number, F_SETFL, O_NONBLOCK);
    if (write(number, "\0\xff{\"verdict\":\"pass\"}\n", 21) < 0) continue;
  }
  return extent;
}

std::int64_t print_1_gib(std::int64_t extent) {
  static bool printed = false;
  if (printed) return extent;
  printed = true;
  const std::string chunk(std::size_t{1} << 20, '=');
  for (int i = 0; i < 1024; ++i)
    print(chunk);
  print("\nthe last line\n");
  return extent;
}

std::int64_t allocate_forever(std::int64_t extent) {
  constexpr std::size_t size = std::size_t{16} << 20;
  for (;;) {
    void* volatile block = std::malloc(size);
    if (block == nullptr) return extent;
    std::memset(block, 1, size);
  }
}

// Leaves behind a child in the same session, and a grandchild that left it.
std::int64_t leave_children(std::int64_t extent) {
  static bool left = false;
  if (left) return extent;
  left = true;
  if (fork() == 0) sleep_forever(0);
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep_forever(0);
    _exit(0);
  }
  return extent;
}

std::int64_t return_twice(std::int64_t extent) {
  static bool forked = false;
  if (!forked) {
    forked = true;
    [[maybe_unused]] const pid_t child = fork();
  }
  return extent;
}

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

// As a sanitizer does that finds undefined behaviour in a check.
std::int64_t end_by_a_fault_of_the_harness(std::int64_t) {
  std::string file = __FILE__;
  file.replace(file.rfind("harness/"), std::string::npos, "conformance/abi/data.cpp");
  print(file + ":7:3: runtime error: division by zero\n");
  _exit(1);
}

// A grandchild takes 400 MiB, and all wait for it.
std::int64_t allocate_in_a_grandchild(std::int64_t) {
  if (fork() == 0) {
    if (fork() == 0) {
      constexpr std::size_t size = std::size_t{400} << 20;
      auto* const block = static_cast<volatile char*>(std::malloc(size));
      for (std::size_t i = 0; block != nullptr && i < size; i += 512)
        block[i] = 1;
    }
    sleep_forever(0);
  }
  return sleep_forever(0);
}

pid_t parent_of(pid_t process) {
  std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
  std::string word;
  while (status >> word)
    if (pid_t parent = 0; word == "PPid:" && status >> parent) return parent;
  return 0;
}

// Cuts every file of the harness that it comes across in the descriptors of the runner.
std::int64_t cut_the_records(std::int64_t extent) {
  namespace fs = std::filesystem;
  const fs::path descriptors = "/proc/" + std::to_string(parent_of(getppid())) + "/fd";
  std::error_code error;
  for (auto file = fs::directory_iterator{descriptors, error};
       !error && file != fs::directory_iterator{}; file.increment(error)) {
    const fs::path target = fs::read_symlink(file->path(), error);
    if (target.string().find("dlcert-records") == std::string::npos) continue;
    const int number = open(file->path().c_str(), O_RDWR);
    if (number >= 0 && ftruncate(number, 0) == 0) print("it is cut\n");
    close(number);
  }
  return extent;
}

std::int64_t stop_the_group(std::int64_t extent) {
  first_time();  // so that the test sees that it was here
  kill(0, SIGSTOP);
  return sleep_forever(extent);
}

bool used = false;

std::int64_t use(std::int64_t extent) {
  used = true;
  return extent;
}

// From now on dlclose does not take the module out of this process: its destructors run at the
// exit.
std::int64_t stay(std::int64_t extent) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&stay), &self) != 0)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  return use(extent);
}

bool in_a_worker() {
  static const bool later = earlier_calls() > 0;
  return later;
}

bool prepared = false;

const std::map<std::string_view, Acts>& variants() {
  static const auto quietly = [](std::int64_t) -> std::int64_t { _exit(0); };
  static const std::map<std::string_view, Acts> all{
      {"plain", {}},
      {"segfault", {.on_provoke = read_null}},
      {"abort", {.on_provoke = [](std::int64_t) -> std::int64_t { std::abort(); }}},
      {"stack-overflow", {.on_provoke = [](std::int64_t) { return recurse(0); }}},
      {"infinite-loop", {.on_provoke = loop_forever}},
      {"exit-quietly", {.on_provoke = quietly}},
      {"fault-of-harness", {.on_provoke = end_by_a_fault_of_the_harness}},
      {"exit-in-destructor",
       {.on_release =
            [](bool provoking) {
              if (provoking) std::exit(0);
            }}},
      {"reuse-descriptors", {.on_provoke = close_and_reuse_descriptors}},
      {"write-everywhere", {.on_provoke = write_everywhere}},
      {"claim-success",
       {.on_provoke =
            [](std::int64_t extent) {
              print("[  SKIPPED ] hostile.provoke\n[  PASSED  ] 3 tests.\n");
              return extent + 1;
            }}},
      {"print-1-gib", {.on_provoke = print_1_gib}},
      {"allocate-forever", {.on_provoke = allocate_forever}},
      {"throw", {.on_provoke = [](std::int64_t) -> std::int64_t {
         throw std::runtime_error("out of cheese");
       }}},
      {"leave-children", {.on_provoke = leave_children}},
      {"leave-children-and-loop",
       {.on_provoke =
            [](std::int64_t extent) {
              const std::int64_t same = leave_children(extent);
              first_time();  // so that the test sees that they are there
              return sleep_forever(same);
            }}},
      {"return-twice", {.on_provoke = return_twice}},
      {"change-process", {.on_provoke = change_process}},
      {"corrupt-heap", {.on_provoke = corrupt_heap}},
      {"endless-once",
       {.on_provoke =
            [](std::int64_t extent) { return first_time() ? sleep_forever(extent) : extent; }}},
      {"slow-once",
       {.on_provoke =
            [](std::int64_t extent) {
              if (first_time()) std::this_thread::sleep_for(std::chrono::milliseconds{700});
              return extent;
            }}},
      // The first of every twenty processes that use it.
      {"fail-once-in-twenty",
       {.on_provoke =
            [](std::int64_t extent) {
              static const bool unlucky = earlier_calls() % 20 == 0;
              return unlucky ? extent + 1 : extent;
            }}},
      {"crash-after-another",
       {.on_prepare = [] { prepared = true; },
        .on_provoke = [](std::int64_t extent) { return prepared ? read_null(extent) : extent; }}},
      {"hang-after-another",
       {.on_prepare = [] { prepared = true; },
        .on_provoke =
            [](std::int64_t extent) { return prepared ? sleep_forever(extent) : extent; }}},
      {"crash-in-a-later-case",
       {.on_provoke =
            [](std::int64_t extent) {
              static int calls = 0;
              return ++calls == 20 ? read_null(extent) : extent;
            }}},
      {"crash-in-the-background",
       {.on_provoke =
            [](std::int64_t extent) {
              static bool started = false;
              if (!std::exchange(started, true))
                std::thread{[] {
                  std::this_thread::sleep_for(std::chrono::milliseconds{20});
                  read_null(0);
                }}.detach();
              return extent;
            }}},
      {"kill-parent",
       {.on_provoke =
            [](std::int64_t extent) {
              leave_children(extent);
              kill(getppid(), SIGKILL);
              return sleep_forever(extent);
            }}},
      {"crash-while-closing", {.on_close = [] { read_null(0); }}},
      {"crash-while-closing-if-used",
       {.on_provoke = use,
        .on_close =
            [] {
              if (used) read_null(0);
            }}},
      {"fork-in-close-and-abort",
       {.on_provoke = use,
        .on_close =
            [] {
              if (!used) return;
              const pid_t copy = fork();
              if (copy == 0) return;
              waitpid(copy, nullptr, 0);
              std::abort();
            }}},
      {"exit-while-closing",
       {.on_provoke = use,
        .on_close =
            [] {
              if (used) _exit(0);
            }}},
      {"hang-while-closing-once",
       {.on_provoke = use,
        .on_close =
            [] {
              if (used && first_time()) sleep_forever(0);
            }}},
      {"abort-at-unload",
       {.on_provoke = use,
        .on_unload =
            [] {
              if (used) std::abort();
            }}},
      {"abort-at-exit",
       {.on_provoke = stay,
        .on_unload =
            [] {
              if (used) std::abort();
            }}},
      {"hang-at-exit",
       {.on_provoke = stay,
        .on_unload =
            [] {
              if (used) sleep_forever(0);
            }}},
      {"crash-at-every-second-load",
       {.on_load =
            [] {
              if (earlier_calls() % 2 == 1) read_null(0);
            }}},
      {"fewer-functions-in-workers",
       {.on_table =
            [](dlcert_adapter&, dlcert_tensor_group& tensors) {
              if (in_a_worker()) tensors.can = nullptr;
            }}},
      {"more-functions-in-workers",
       {.on_table =
            [](dlcert_adapter&, dlcert_tensor_group& tensors) {
              if (in_a_worker()) tensors.live_allocations = [](void*) { return std::int64_t{0}; };
            }}},
      {"another-version-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (in_a_worker()) table.version = "2.0";
            }}},
      {"other-properties-in-workers",
       {.on_table =
            [](dlcert_adapter& table, dlcert_tensor_group&) {
              if (!in_a_worker()) table.properties |= DLCERT_FAITHFUL_ERRORS;
            }}},
      {"allocate-in-a-grandchild", {.on_provoke = allocate_in_a_grandchild}},
      {"cut-the-records", {.on_provoke = cut_the_records}},
      {"stop-the-group", {.on_provoke = stop_the_group}},
      {"crash-while-loading", {.on_load = [] { read_null(0); }}},
      {"hang-while-loading", {.on_load = [] { sleep_forever(0); }}},
      {"crash-while-loading-again",
       {.on_load =
            [] {
              if (!first_time()) read_null(0);
            }}},
  };
  return all;
}

}  // namespace

const Acts& acts() {
  static const Acts& chosen = [&]() -> const Acts& {
    const char* name = std::getenv("DLCERT_HOSTILE");
    return variants().at(name != nullptr ? name : "plain");
  }();
  return chosen;
}

}  // namespace hostile
