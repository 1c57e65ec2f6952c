// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "report/atomic_file.hpp"
#include "report/run_verdict.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  return fs::read_symlink("/proc/self/exe").parent_path();
}

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_worker(const Options& options) {
  std::string chosen = options.worker;
  if (const char* const from_environment = std::getenv("DLCERT_WORKER");
      chosen.empty() && from_environment != nullptr)
    chosen = from_environment;
  if (!chosen.empty()) {
    if (!is_program(chosen))
      throw CommandError{exit_usage, fmt::format("worker '{}': not an executable file", chosen)};
    return fs::absolute(chosen).string();
  }
  const fs::path folder = program_folder();
  for (const fs::path& candidate :
       {folder / "dlcert-worker", folder / "../libexec/dlcert/dlcert-worker"})
    if (is_program(candidate)) return candidate.lexically_normal().string();
  throw CommandError{exit_usage,
                     fmt::format("no dlcert-worker in '{}': give --worker", folder.string())};
}

std::vector<std::string> find_adapters(const Options& options) {
  if (options.adapters.empty())
    throw CommandError{exit_usage, "expected --adapter with the path of an adapter module"};
  std::vector<std::string> adapters;
  for (const std::string& path : options.adapters) {
    if (!fs::exists(path))
      throw CommandError{exit_usage, fmt::format("adapter '{}': no such file", path)};
    if (!fs::is_regular_file(path))
      throw CommandError{exit_usage, fmt::format("adapter '{}': not a file", path)};
    adapters.push_back(fs::absolute(path).lexically_normal().string());
  }
  return adapters;
}

Inventory require_inventory(const std::string& worker, const std::vector<std::string>& adapters,
                            double load_seconds, const std::string& driver) {
  Inventory inventory = take_inventory(worker, adapters, load_seconds, driver);
  for (const AdapterInfo& adapter : inventory.adapters) {
    if (adapter.error.empty()) continue;
    const std::string line = adapter.error.substr(0, adapter.error.find('\n'));
    const bool names_it = line.starts_with("adapter '");
    throw CommandError{exit_usage,
                       names_it ? line : fmt::format("adapter '{}': {}", adapter.path, line)};
  }
  return inventory;
}

std::string invoker() {
  const pid_t parent = getppid();
  const std::string stat = read_file(fmt::format("/proc/{}/stat", parent));
  // proc_pid_stat(5): the fields are counted from behind the name, which may hold spaces and
  // brackets.
  std::istringstream fields{stat.substr(stat.rfind(')') + 1)};
  constexpr int start_time = 20;
  std::string field;
  for (int i = 0; i < start_time; ++i)
    fields >> field;
  return fmt::format("{}@{}", parent, field);
}

}  // namespace dlcert
