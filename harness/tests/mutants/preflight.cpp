// SPDX-License-Identifier: Apache-2.0
#include "preflight.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "register/profile.hpp"
#include "runner/preflight.hpp"

namespace dlcert {

std::vector<std::string> stopped_by_preflight(const Manifest& manifest, const KillOptions& options,
                                              std::size_t& checked) {
  RunOptions run;
  run.worker = options.worker;
  run.adapters = {std::filesystem::absolute(options.module).string()};
  run.settings = default_settings(Register::embedded());
  run.case_seconds = 2;
  std::vector<std::string> stopped;
  for (const Mutant& mutant : manifest.mutants) {
    if (mutant.area != options.area || (!options.only.empty() && mutant.id != options.only))
      continue;
    ++checked;
    setenv("DLCERT_MUTANT", mutant.id.c_str(), 1);
    Inventory inventory;  // of which the preflight asks for the roles and what is offered
    inventory.adapters.resize(1);
    inventory.adapters[0].producer = inventory.adapters[0].consumer = true;
    inventory.adapters[0].offers = static_cast<Needs>(Can::streams);
    for (const Preflight& preflight : run_preflight(inventory, run)) {
      if (preflight.findings.claims.empty())
        throw std::runtime_error{fmt::format("the preflight of {} found nothing", mutant.id)};
      for (const std::string& fault : preflight.findings.faults)
        stopped.push_back(fmt::format("{}: {}", mutant.id, fault));
    }
  }
  return stopped;
}

}  // namespace dlcert
