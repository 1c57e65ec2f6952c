// SPDX-License-Identifier: Apache-2.0
//
// `dlcert doctor`: whether this machine has what a run needs.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "python/interpreter.hpp"
#include "python/locator.hpp"
#include "register/names.hpp"
#include "register/text.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

void print_fact(std::string_view name, std::string_view value) {
  fmt::print("{:<14} {}\n", name, one_line(value));
}

std::string kernel() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine)
                           : "unknown";
}

std::string memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return fmt::format("{} MiB", pages / 1024 * (page / 1024));
}

// The runner waits on descriptors of processes.
bool has_pidfd() {
  const long descriptor = syscall(SYS_pidfd_open, getpid(), 0);
  if (descriptor < 0) return false;
  close(static_cast<int>(descriptor));
  return true;
}

std::string sanitizer() {
#if defined(__has_feature)
#define DLCERT_HAS(feature) __has_feature(feature)
#else
#define DLCERT_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || DLCERT_HAS(address_sanitizer)
  return "address";
#elif defined(__SANITIZE_THREAD__) || DLCERT_HAS(thread_sanitizer)
  return "thread";
#else
  return "none";
#endif
#undef DLCERT_HAS
}

// Opened in a process of its own: libraries of vendors start threads and open devices.
bool can_be_loaded(const char* library) {
  const pid_t child = fork();
  if (child == 0) _exit(dlopen(library, RTLD_LAZY | RTLD_LOCAL) == nullptr ? 1 : 0);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

std::string first_library(std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (can_be_loaded(name)) return name;
  return "not found";
}

// What `action` gives, or why it cannot.
template <typename Action>
std::string told(const Action& action) try {
  return action();
} catch (const std::runtime_error& error) {
  return error.what();
}

// For which bundled adapters the interpreter has the library: "numpy (2.4.6), torch (not found)".
std::string bundled_text(const std::vector<std::string>& bundled, const InterpreterAnswer& python) {
  std::vector<std::string> adapters;
  for (const std::string& name : bundled) {
    const auto found = python.packages.find(name);
    if (found == python.packages.end())
      adapters.push_back(name + " (not found)");
    else
      adapters.push_back(
          fmt::format("{} ({})", name, found->second.empty() ? "unknown version" : found->second));
  }
  return join(adapters);
}

// The interpreter of adapters in Python.
void print_python(const Options& options) {
  const std::vector<std::string> bundled = bundled_adapters(PythonParts::of(program_file()));
  std::optional<InterpreterAnswer> python;
  print_fact("python", told([&] {
               python = ask_python(find_python(options.python), bundled);
               return fmt::format("{} {}", python->program, python->version);
             }));
  if (!python) return;
  print_fact("python code", told([&] { return serving(*python).code; }));
  print_fact("python:NAME", bundled_text(bundled, *python));
}

void print_devices() {
  print_fact("cuda driver", first_library({"libcuda.so.1"}));
  print_fact("cuda runtime", first_library({"libcudart.so.13", "libcudart.so.12", "libcudart.so"}));
  print_fact("nvml", first_library({"libnvidia-ml.so.1"}));
  print_fact("hip runtime",
             first_library({"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}));
  print_fact("amd smi", first_library({"libamd_smi.so"}));
  print_fact("nvidia device", std::filesystem::exists("/dev/nvidia0") ? "/dev/nvidia0" : "none");
  print_fact("amd device", std::filesystem::exists("/dev/kfd") ? "/dev/kfd" : "none");
}

// The drop-in runtimes that the worker opens: those that were built.
std::string drop_ins(const Inventory& inventory) {
  std::vector<std::string> names;
  for (const std::filesystem::path module : inventory.modules)
    if (module.parent_path().filename() == "shims") names.push_back(module.filename().string());
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " "));
}

}  // namespace

int doctor(const Options& options) {
  print_fact("dlcert", DLCERT_VERSION);
  print_fact("kernel", kernel());
  print_fact("cores", std::to_string(std::thread::hardware_concurrency()));
  print_fact("memory", memory());
  print_fact("pidfd", has_pidfd() ? "yes" : "no: dlcert needs Linux 5.3");
  print_fact("sanitizer", sanitizer());
  print_python(options);
  print_devices();
  const std::string worker = find_worker(options);
  const Inventory inventory = require_inventory(worker, options);
  print_fact("worker", fmt::format("{}, {} checks", worker, inventory.checks.size()));
  print_fact("drop-ins", drop_ins(inventory));
  return has_pidfd() ? exit_certified : exit_usage;
}

}  // namespace dlcert
