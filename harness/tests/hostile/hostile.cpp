// SPDX-License-Identifier: Apache-2.0
#include "hostile.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace hostile {

std::string state_file() {
  const char* path = std::getenv("DLCERT_HOSTILE_STATE");
  return path != nullptr ? path : "";
}

bool first_time() {
  const int file = open(state_file().c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

int earlier_calls() {
  const int file = open(state_file().c_str(), O_CREAT | O_APPEND | O_WRONLY, 0600);
  const ssize_t written = write(file, "x", 1);
  const auto calls = static_cast<int>(lseek(file, 0, SEEK_CUR));
  close(file);
  return calls - static_cast<int>(written);
}

bool in_a_worker() {
  static const bool later = earlier_calls() > 0;
  return later;
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

std::int64_t sleep_forever(std::int64_t) {
  for (;;)
    std::this_thread::sleep_for(std::chrono::hours{1});
}

void crash() {
  read_null();
}

void hang() {
  sleep_forever();
}

void exit_quietly() {
  _exit(0);
}

std::mutex& lock_of_the_thread() {
  static std::mutex lock;
  return lock;
}

dlcert_status keep_a_thread_busy(const dlcert_host&, dlcert_error&) {
  stay(0);  // the thread needs the code
  std::thread{[] {
    for (;;) {
      const std::lock_guard lock{lock_of_the_thread()};
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
  }}.detach();
  return DLCERT_OK;
}

std::int64_t wait_for_the_thread(std::int64_t extent) {
  const std::lock_guard lock{lock_of_the_thread()};
  return extent;
}

void take_memory(std::size_t bytes) {
  constexpr std::size_t step = 512;
  auto* const block = static_cast<volatile char*>(std::malloc(bytes));
  for (std::size_t i = 0; block != nullptr && i < bytes; i += step)
    block[i] = 1;
}

std::int64_t leave_children(std::int64_t extent) {
  static bool left = false;
  if (left) return extent;
  left = true;
  if (fork() == 0) sleep_forever();
  if (fork() == 0) {
    setsid();
    if (fork() == 0) sleep_forever();
    _exit(0);
  }
  return extent;
}

namespace {

bool was_used = false;

const Variants& all_variants() {
  static const Variants all = [] {
    Variants sum{{"plain", {}}};
    for (Variants theme : {deaths(), hangs(), first_process(), outside(), processes(),
                           surroundings(), resources(), lies(), texts(), interpreters()})
      sum.merge(theme);
    return sum;
  }();
  return all;
}

}  // namespace

bool used() {
  return was_used;
}

std::int64_t use(std::int64_t extent) {
  was_used = true;
  return extent;
}

std::int64_t stay(std::int64_t extent) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&stay), &self) != 0)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  return use(extent);
}

const Acts& acts() {
  static const Acts& chosen = [&]() -> const Acts& {
    const char* name = std::getenv("DLCERT_HOSTILE");
    return all_variants().at(name != nullptr ? name : "plain");
  }();
  return chosen;
}

}  // namespace hostile
