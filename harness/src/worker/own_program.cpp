// SPDX-License-Identifier: Apache-2.0
#include "worker/own_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include <dlcert/suite/worker.hpp>

namespace dlcert {

namespace {

constexpr const char* preload = "LD_PRELOAD";
// The earlier value of LD_PRELOAD. It is set for a process that becomes a worker.
constexpr const char* kept_preload = "DLCERT_KEPT_LD_PRELOAD";

bool is_in_interpreter = false;

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

std::string file_of(const void* address) {
  Dl_info found{};
  return ::dladdr(address, &found) == 0 ? std::string{} : found.dli_fname;
}

// A sanitizer's runtime has to come before what was built with it.
std::string runtime_of_sanitizer() {
  for (const char* const name : {"__asan_init", "__tsan_init"})
    if (const void* const function = ::dlsym(RTLD_DEFAULT, name); function != nullptr)
      return file_of(function) + ":";
  return {};
}

void set_preload() {
  const std::string before = variable(preload).value_or("");
  std::string all = runtime_of_sanitizer() + file_of(reinterpret_cast<const void*>(&become));
  if (!before.empty()) all += ":" + before;
  ::setenv(kept_preload, before.c_str(), 1);
  ::setenv(preload, all.c_str(), 1);
}

// Returns true if one of them was not as it shall be.
bool set(const std::vector<std::string>& variables) {
  bool is_new = false;
  for (const std::string& one : variables) {
    const std::size_t equals = one.find('=');
    const std::string name = one.substr(0, equals), value = one.substr(equals + 1);
    is_new = is_new || variable(name.c_str()) != value;
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  return is_new;
}

}  // namespace

std::string worker_program(const char* argv0) {
  return is_in_interpreter ? std::string{argv0}
                           : std::filesystem::read_symlink("/proc/self/exe").string();
}

void become(const OwnProgram& wanted, char** argv) {
  // A test's worker opens CPython's library itself, and stays its own program.
  const bool has_python = ::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr;
  const bool is_elsewhere = !wanted.interpreter.empty() && !has_python;
  if (!set(wanted.variables) && !is_elsewhere) return;
  std::string own = worker_program(argv[0]);
  argv[0] = own.data();
  const bool into_interpreter = is_elsewhere || is_in_interpreter;
  const std::string& program = into_interpreter ? wanted.interpreter : own;
  if (into_interpreter) set_preload();
  ::execv(program.c_str(), argv);
  throw std::system_error{errno, std::generic_category(), program};
}

Main main_of_process(Main program, Main worker) {
  const std::optional<std::string> before = variable(kept_preload);
  if (!before) return program;
  ::unsetenv(kept_preload);
  if (before->empty())
    ::unsetenv(preload);
  else
    ::setenv(preload, before->c_str(), 1);
  is_in_interpreter = true;
  return worker;
}

}  // namespace dlcert
