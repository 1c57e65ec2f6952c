// SPDX-License-Identifier: Apache-2.0
//
// Descriptors, memory, output, and the memory that the records lie in.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "hostile.hpp"

namespace hostile {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr int descriptors = 1024;

std::int64_t close_and_reuse_descriptors(std::int64_t extent) {
  for (int number = 0; number < descriptors; ++number)
    close(number);
  const std::string path = state_file();
  for (int number = 0; number < 64; ++number) {
    const int file = open(path.c_str(), O_CREAT | O_APPEND | O_WRONLY, 0600);
    if (write(file, "the library's own data\n", 23) != 23) std::abort();
  }
  return extent;
}

std::int64_t write_everywhere(std::int64_t extent) {
  for (int number = 0; number < descriptors; ++number) {
    fcntl(number, F_SETFL, O_NONBLOCK);
    if (write(number, "\0\xff{\"verdict\":\"pass\"}\n", 21) < 0) continue;
  }
  return extent;
}

std::int64_t point_all_descriptors_at_nothing(std::int64_t extent) {
  const int null = open("/dev/null", O_RDWR);
  for (int number = 0; number < descriptors; ++number)
    dup2(null, number);
  return extent;
}

std::int64_t use_up_descriptors(std::int64_t extent) {
  while (open("/dev/null", O_RDONLY) >= 0)
    continue;
  return extent;
}

std::int64_t leak_a_descriptor(std::int64_t extent) {
  static_cast<void>(open("/dev/null", O_RDONLY));
  return extent;
}

std::int64_t close_output(std::int64_t extent) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  return extent;
}

std::int64_t close_descriptors_in_a_thread(std::int64_t extent) {
  static bool started = false;
  if (!started)
    std::thread{[] {
      for (int number = 3;; number = number == 63 ? 3 : number + 1)
        close(number);
    }}.detach();
  started = true;
  return stay(extent);  // the thread needs the code
}

std::int64_t fill_the_output(std::int64_t extent) {
  fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK);
  const std::string chunk(mebibyte, '=');
  for (int i = 0; i < 4; ++i)
    if (write(STDOUT_FILENO, chunk.data(), chunk.size()) < 0) break;
  return extent;
}

std::int64_t print_1_gib(std::int64_t extent) {
  static bool printed = false;
  if (printed) return extent;
  printed = true;
  const std::string chunk(mebibyte, '=');
  for (int i = 0; i < 1024; ++i)
    print(chunk);
  print("\nthe last line\n");
  return extent;
}

std::int64_t print_bytes_of_every_kind(std::int64_t extent) {
  for (int byte = 0; byte < 256; ++byte)
    print(std::string(256, static_cast<char>(byte)));
  return extent + 1;
}

std::int64_t allocate_forever(std::int64_t) {
  for (;;)
    take_memory(16 * mebibyte);
}

std::int64_t map_and_touch(std::int64_t) {
  const int file = memfd_create("large", MFD_CLOEXEC);
  constexpr std::size_t size = 200 * mebibyte;
  if (ftruncate(file, size) != 0) std::abort();
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  std::memset(memory, 1, size);
  return sleep_forever();
}

std::int64_t allocate_in_a_child(std::int64_t) {
  if (fork() == 0) {
    take_memory(200 * mebibyte);
    sleep_forever();
  }
  return sleep_forever();
}

// A grandchild takes 200 MiB, and all wait for it.
std::int64_t allocate_in_a_grandchild(std::int64_t) {
  if (fork() == 0) {
    setsid();
    if (fork() == 0) take_memory(200 * mebibyte);
    sleep_forever();
  }
  return sleep_forever();
}

std::int64_t leak_a_mebibyte(std::int64_t extent) {
  take_memory(mebibyte);
  return extent;
}

dlcert_status take_memory_at_open(const dlcert_host&, dlcert_error&) {
  take_memory(150 * mebibyte);
  return DLCERT_OK;
}

// They are large when the library is open.
dlcert_status start_large_helpers(const dlcert_host&, dlcert_error&) {
  constexpr int helpers = 5;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return DLCERT_REFUSED;
  for (int i = 0; i < helpers; ++i)
    if (fork() == 0) {
      take_memory(30 * mebibyte);
      if (write(ends[1], "x", 1) == 1) sleep_forever();
      _exit(1);
    }
  char byte = 0;
  for (int i = 0; i < helpers; ++i)
    if (::read(ends[0], &byte, 1) != 1) return DLCERT_REFUSED;
  close(ends[0]);
  close(ends[1]);
  return DLCERT_OK;
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
  const fs::path open_files = "/proc/" + std::to_string(parent_of(getppid())) + "/fd";
  std::error_code error;
  for (auto file = fs::directory_iterator{open_files, error};
       !error && file != fs::directory_iterator{}; file.increment(error)) {
    const fs::path target = fs::read_symlink(file->path(), error);
    if (target.string().find("dlcert-records") == std::string::npos) continue;
    const int number = open(file->path().c_str(), O_RDWR);
    if (number >= 0 && ftruncate(number, 0) == 0) print("it is cut\n");
    close(number);
  }
  return extent;
}

// Does it to the records as they are mapped into this process.
template <auto act>
std::int64_t with_the_records(std::int64_t extent) {
  std::ifstream maps{"/proc/self/maps"};
  for (std::string line; std::getline(maps, line);) {
    if (line.find("dlcert-records") == std::string::npos) continue;
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
    act(reinterpret_cast<void*>(begin), end - begin);
  }
  return extent;
}

void protect_them(void* memory, std::size_t size) {
  mprotect(memory, size, PROT_READ);
}

void unmap_them(void* memory, std::size_t size) {
  munmap(memory, size);
}

// Says nonsense of where this worker stands, and of its unit.
void write_over_the_position(void* memory, std::size_t size) {
  constexpr std::size_t before_pid = 32, searched = 64 * 1024;
  const pid_t self = getpid();
  auto* const bytes = static_cast<std::byte*>(memory);
  for (std::size_t at = before_pid; at < std::min(size, searched); at += sizeof(self)) {
    if (std::memcmp(bytes + at, &self, sizeof(self)) != 0) continue;
    std::memset(bytes + at - before_pid, 'A', before_pid);
    raise(SIGSEGV);
  }
}

}  // namespace

Variants resources() {
  return {
      {"reuse-descriptors", {.on_provoke = close_and_reuse_descriptors}},
      {"write-everywhere", {.on_provoke = write_everywhere}},
      {"write-everywhere-in-a-case", {.on_isolated = write_everywhere}},
      {"reuse-descriptors-in-a-case", {.on_isolated = close_and_reuse_descriptors}},
      {"descriptors-to-nothing", {.on_provoke = point_all_descriptors_at_nothing}},
      {"use-up-descriptors", {.on_provoke = use_up_descriptors}},
      {"leak-descriptors", {.on_provoke = leak_a_descriptor}},
      {"close-output", {.on_provoke = close_output}},
      {"close-in-a-thread", {.on_provoke = close_descriptors_in_a_thread}},
      {"fill-the-output", {.on_provoke = fill_the_output}},
      {"print-1-gib", {.on_provoke = print_1_gib}},
      {"print-bytes-of-every-kind", {.on_provoke = print_bytes_of_every_kind}},
      {"claim-success",
       {.on_provoke =
            [](std::int64_t extent) {
              print("[  SKIPPED ] hostile.provoke\n[  PASSED  ] 3 tests.\n");
              return extent + 1;
            }}},
      {"claim-success-in-markup",
       {.on_provoke =
            [](std::int64_t extent) {
              print(
                  "]]></system-out></testcase></testsuite><!--\n```\n# Certified\n"
                  "##[error]\n::set-output name=verdict::pass\n\x1b]0;certified\a");
              return extent + 1;
            }}},
      {"allocate-forever", {.on_provoke = allocate_forever}},
      {"allocate-while-loading", {.on_dlopen = [] { allocate_forever(0); }}},
      {"allocate-while-opening",
       {.on_open = [](const dlcert_host&, dlcert_error&) -> dlcert_status {
         return static_cast<dlcert_status>(allocate_forever(0));
       }}},
      {"allocate-in-a-mapping", {.on_provoke = map_and_touch}},
      {"allocate-in-a-child", {.on_provoke = allocate_in_a_child}},
      {"allocate-in-a-grandchild", {.on_provoke = allocate_in_a_grandchild}},
      {"leak-memory", {.on_provoke = leak_a_mebibyte}},
      {"large-from-the-start", {.on_open = take_memory_at_open}},
      {"large-helpers", {.on_open = start_large_helpers}},
      {"cut-the-records", {.on_provoke = cut_the_records}},
      {"protect-the-records", {.on_provoke = with_the_records<protect_them>}},
      {"unmap-the-records", {.on_provoke = with_the_records<unmap_them>}},
      {"write-over-the-position", {.on_provoke = with_the_records<write_over_the_position>}},
  };
}

}  // namespace hostile
