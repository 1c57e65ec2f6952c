// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "module_run.hpp"

namespace dlcert {

mutants::Catalogue catalogue_of(const std::string& module) {
  void* const function = function_of(module, "dlcert_mutants_catalogue");
  mutants::Catalogue catalogue;
  reinterpret_cast<mutants::ReadCatalogue*>(function)(&catalogue);
  return catalogue;
}

Manifest manifest_of(std::span<const std::string> modules, const std::vector<Bug>& bugs) {
  Manifest manifest;
  for (const std::string& module : modules) {
    mutants::Catalogue catalogue = catalogue_of(module);
    const std::string& area = catalogue.area.name;
    if (!manifest.must_pass.emplace(area, catalogue.area.must_pass).second)
      throw std::runtime_error{fmt::format("{}: another module has the area {}", module, area)};
    for (auto& [id, facts, step] : catalogue.mutants) {
      if (facts.bug.empty() && std::ranges::find(bugs, id, &Bug::id) != bugs.end()) facts.bug = id;
      manifest.mutants.push_back({id, area, std::move(facts)});
    }
  }
  std::ranges::sort(manifest.mutants, {},
                    [](const Mutant& mutant) { return std::tie(mutant.area, mutant.id); });
  return manifest;
}

}  // namespace dlcert
