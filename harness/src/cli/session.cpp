// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include "python/program.hpp"
#include "register/text.hpp"
#include "report/atomic_file.hpp"
#include "report/run_verdict.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// Workers are watched through /proc, where a process must be found by the id that it has here.
void require_proc() {
  std::error_code error;
  const std::string self = fs::read_symlink("/proc/self", error).string();
  if (error) throw CommandError{exit_usage, "/proc is not mounted: workers cannot be watched"};
  if (self != std::to_string(getpid()))
    throw CommandError{
        exit_usage,
        fmt::format("/proc belongs to another PID namespace: expected process {} but found {}; "
                    "mount the /proc of this namespace (unshare --mount-proc)",
                    getpid(), self)};
}

// SHA-256 of the environment but for what a shell or CTest changes from one command to the next.
std::string environment_digest() {
  std::set<std::string_view> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name{*variable, std::strcspn(*variable, "=")};
    const bool passing = name == "_" || name == "PWD" || name == "OLDPWD" || name == "SHLVL";
    if (!passing && !name.starts_with("CTEST_")) variables.insert(*variable);
  }
  return sha256(fmt::format("{}", fmt::join(variables, "\n")));
}

// The end of what an adapter printed, a few whole lines.
std::string shown_output(std::string_view output) {
  constexpr std::size_t shown_lines = 20, shown_bytes = 4096;
  if (output.size() > shown_bytes) output.remove_prefix(output.size() - shown_bytes);
  std::vector<std::string> lines;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    if (end > 0) lines.push_back(one_line(output.substr(0, end)));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  if (lines.empty()) return {};
  std::string text = "  The adapter printed:\n";
  for (std::size_t i = lines.size() - std::min(lines.size(), shown_lines); i < lines.size(); ++i)
    text += fmt::format("    {}\n", lines[i]);
  return text;
}

}  // namespace

fs::path program_file() {
  return fs::read_symlink("/proc/self/exe");
}

std::string find_worker(const Options& options) {
  require_proc();
  std::string chosen = options.worker;
  if (const char* const from_environment = std::getenv("DLCERT_WORKER");
      chosen.empty() && from_environment != nullptr)
    chosen = from_environment;
  if (!chosen.empty()) {
    if (!is_program(chosen))
      throw CommandError{exit_usage, fmt::format("worker '{}': not an executable file", chosen)};
    return fs::absolute(chosen).string();
  }
  const fs::path folder = program_file().parent_path();
  for (const fs::path& candidate :
       {folder / "dlcert-worker", folder / "../libexec/dlcert/dlcert-worker"})
    if (is_program(candidate)) return candidate.lexically_normal().string();
  throw CommandError{exit_usage,
                     fmt::format("no dlcert-worker in '{}': give --worker", folder.string())};
}

LocatedAdapters find_adapters(const Options& options) try {
  if (options.adapters.empty())
    throw std::runtime_error{
        "expected --adapter with the path of an adapter module, or with python:NAME"};
  return locate_adapters(options.adapters, options.python, program_file());
} catch (const std::runtime_error& error) {
  throw CommandError{exit_usage, error.what()};
}

Inventory require_inventory(const RunOptions& run) {
  Inventory inventory = take_inventory(run);
  for (const AdapterInfo& adapter : inventory.adapters) {
    if (!adapter.note.empty())
      fmt::print(stderr, "dlcert: adapter '{}': {}\n", adapter.path, adapter.note);
    if (adapter.error.empty()) continue;
    const std::string line = adapter.error.substr(0, adapter.error.find('\n'));
    const bool names_it = line.starts_with("adapter '");
    CommandError error{exit_usage,
                       names_it ? line : fmt::format("adapter '{}': {}", adapter.path, line)};
    error.below = shown_output(adapter.output);
    throw CommandError{error};
  }
  return inventory;
}

Inventory require_inventory(const std::string& worker, const Options& options) {
  RunOptions run;
  run.worker = worker;
  run.settings.driver = options.driver;
  run.load_seconds = options.load_seconds;
  return require_inventory(run);
}

CommandError fault_error(const FaultOfAdapter& fault) {
  CommandError error{exit_usage, fault.what};
  error.below = shown_output(fault.output) + "  Nothing was judged.\n";
  return error;
}

std::string invoker() {
  const pid_t parent = getppid();
  std::string stat;
  try {
    stat = read_file(fmt::format("/proc/{}/stat", parent));
  } catch (const std::runtime_error&) {
    return {};  // outside of this container, hidden, or gone
  }
  // proc_pid_stat(5): the fields are counted from behind the name, which may hold spaces and
  // brackets.
  std::istringstream fields{stat.substr(stat.rfind(')') + 1)};
  constexpr int start_time = 20;
  std::string field;
  for (int i = 0; i < start_time; ++i)
    fields >> field;
  return fmt::format("{}@{}", parent, field);
}

Identity identity_of(const Options& options, const LocatedAdapters& adapters) {
  Identity identity;
  const fs::path worker = find_worker(options);
  identity.files.push_back(identify("worker", worker));
  std::error_code error;
  for (const fs::path library : {"../lib/libdlcert_worker.so", "libdlcert_worker.so"})
    if (const fs::path file = worker.parent_path() / library; fs::exists(file, error))
      identity.files.push_back(identify("worker", file.lexically_normal()));
  identity.files.push_back(identify("dlcert", program_file()));
  for (const fs::path& file : adapters.files)
    identity.files.push_back(identify("adapter", file));
  if (adapters.interpreter)
    identity.files.push_back(identify("interpreter", adapters.interpreter->code));
  if (!options.waivers.empty())
    identity.files.push_back(identify("waivers", fs::absolute(options.waivers)));
  identity.options = options.given;
  identity.environment = environment_digest();
  return identity;
}

}  // namespace dlcert
