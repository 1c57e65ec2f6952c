// SPDX-License-Identifier: Apache-2.0
#include "certification.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace dlcert::hostile {

RunOptions test_options() {
  RunOptions options;
  options.worker = HOSTILE_WORKER;
  options.adapters = {HOSTILE_ADAPTER};
  options.seed = 42;
  options.cases = 100;
  options.jobs = 1;
  options.case_seconds = 1;
  options.load_seconds = 10;
  options.memory_bytes = 256ull << 20;
  options.shrink_seconds = 6;
  return options;
}

Plan plan_everything(const Inventory& inventory) {
  Plan plan;
  for (std::uint32_t i = 0; i < inventory.checks.size(); ++i) {
    PlannedRequirement& planned = plan.requirements.emplace_back();
    planned.id = inventory.checks[i].requirement;
    planned.binding = true;
    const bool imports = inventory.checks[i].role == Role::consumer;
    const std::string& library = inventory.adapters.at(0).name;
    planned.producer = imports ? "dlcert" : library;
    planned.consumer = imports ? library : "dlcert";
    PlannedCheck& check = planned.checks.emplace_back();
    check.check = i;
    (imports ? check.consumer : check.producer) = 0;
  }
  return plan;
}

Results certify(const RunOptions& options, const RunObserver& observer) {
  const Inventory inventory = take_inventory(options);
  return execute(plan_everything(inventory), inventory, options, observer);
}

std::vector<pid_t> processes_with(const std::string& entry) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator{"/proc", ignored}) {
    const std::string name = process.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    std::ifstream file{process.path() / "environ", std::ios::binary};
    for (std::string variable; std::getline(file, variable, '\0');)
      if (variable == entry) found.push_back(pid);
  }
  return found;
}

}  // namespace dlcert::hostile
