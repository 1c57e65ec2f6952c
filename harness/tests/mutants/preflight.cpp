// SPDX-License-Identifier: Apache-2.0
#include "preflight.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "register/profile.hpp"
#include "runner/preflight.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

// The faults that a preflight finds, a line each.
std::string faults_of(const Mutant& mutant, const RunOptions& run) {
  setenv("DLCERT_MUTANT", mutant.id.c_str(), 1);
  Inventory inventory;  // of which the preflight asks for the roles and what is offered
  inventory.adapters.resize(1);
  inventory.adapters[0].producer = inventory.adapters[0].consumer = true;
  inventory.adapters[0].offers = static_cast<Needs>(Can::streams);
  std::string faults;
  for (const Preflight& preflight : run_preflight(inventory, run)) {
    if (preflight.findings.claims.empty())
      throw std::runtime_error{fmt::format("the preflight of {} found nothing", mutant.id)};
    for (const std::string& fault : preflight.findings.faults)
      faults += fmt::format("{}: {}\n", mutant.id, fault);
  }
  return faults;
}

}  // namespace

std::string stopped_by_preflight(const Manifest& manifest, const KillOptions& options,
                                 std::size_t& checked) {
  RunOptions run;
  run.worker = options.worker;
  run.adapters = {std::filesystem::absolute(options.module).string()};
  run.settings = default_settings(Register::embedded());
  run.case_seconds = 2;
  run.jobs = 1;
  const std::vector<const Mutant*> chosen = chosen_of(manifest, options);
  checked = chosen.size();
  std::string stopped;
  side_by_side(
      chosen.size(), [&](std::size_t index) { return faults_of(*chosen[index], run); },
      [&](std::size_t, const std::string& faults) { stopped += faults; });
  return stopped;
}

}  // namespace dlcert
