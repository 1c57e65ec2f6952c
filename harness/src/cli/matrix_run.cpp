// SPDX-License-Identifier: Apache-2.0
#include "cli/matrix_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/preflight.hpp"
#include "runner/loads.hpp"

namespace dlcert {
namespace {

// The place of an adapter in a group; the harness's own side has the same in each.
int place_in(const std::vector<std::size_t>& group, int adapter) {
  if (adapter == spy_index) return spy_index;
  return static_cast<int>(std::ranges::find(group, static_cast<std::size_t>(adapter)) -
                          group.begin());
}

bool is_for(const std::vector<std::size_t>& group, const PlannedRequirement& planned) {
  return std::ranges::all_of(planned.checks, [&](const PlannedCheck& check) {
    return place_in(group, check.producer) < std::ssize(group) &&
           place_in(group, check.consumer) < std::ssize(group);
  });
}

// Adds what a part of the run found beside its results.
void add_what_is_beside(Results& results, Results&& part) {
  results.seconds += part.seconds;
  std::ranges::move(part.deaths, std::back_inserter(results.deaths));
  for (std::string& problem : part.problems)
    if (std::ranges::find(results.problems, problem) == results.problems.end())
      results.problems.push_back(std::move(problem));
  if (part.adapter_fault && !results.adapter_fault)
    results.adapter_fault = std::move(part.adapter_fault);
}

std::vector<Imports> imports_of(const Inventory& inventory) {
  const std::map<std::string, std::uint64_t>& loads = adapter_loads();
  std::vector<Imports> imports;
  for (const AdapterInfo& adapter : inventory.adapters) {
    const auto found = loads.find(adapter.path);
    imports.push_back({adapter.name, found == loads.end() ? 0 : found->second});
  }
  return imports;
}

}  // namespace

MatrixRun::Part MatrixRun::part_of(const std::vector<std::size_t>& group) const {
  Part part{{}, inventory_, options_};
  part.inventory.adapters.clear();
  part.options.adapters.clear();
  for (const std::size_t adapter : group) {
    part.inventory.adapters.push_back(inventory_.adapters.at(adapter));
    part.options.adapters.push_back(options_.adapters.at(adapter));
  }
  return part;
}

// What runs no check is in the first part.
std::vector<MatrixRun::Part> MatrixRun::parts_of(const Plan& plan) const {
  std::vector<Part> parts;
  std::vector<PlannedRequirement> left = plan.requirements;
  for (const std::vector<std::size_t>& group : together_.groups) {
    Part& part = parts.emplace_back(part_of(group));
    part.plan.filtered = plan.filtered;
    for (const PlannedRequirement& planned : left)
      if (is_for(group, planned)) part.plan.requirements.push_back(planned);
    std::erase_if(left, [&](const PlannedRequirement& planned) { return is_for(group, planned); });
    for (PlannedRequirement& planned : part.plan.requirements)
      for (PlannedCheck& check : planned.checks) {
        check.producer = place_in(group, check.producer);
        check.consumer = place_in(group, check.consumer);
      }
  }
  return parts;
}

void MatrixRun::prepare(bool preflight) {
  together_ = find_together(inventory_, options_);
  if (!preflight) return;
  std::vector<bool> tried(inventory_.adapters.size());
  for (const std::vector<std::size_t>& group : together_.groups) {
    if (std::ranges::all_of(group, [&](std::size_t adapter) { return tried[adapter]; })) continue;
    Part part = part_of(group);
    require_preflight(part.inventory, part.options);
    inventory_.modules = part.inventory.modules;
    inventory_.deaths = part.inventory.deaths;
    inventory_.wrong_values = part.inventory.wrong_values;
    for (std::size_t place = 0; place < group.size(); ++place) {
      AdapterInfo& adapter = inventory_.adapters[group[place]];
      adapter.claims = part.inventory.adapters[place].claims;
      adapter.declared = part.inventory.adapters[place].declared;
      tried[group[place]] = true;
    }
  }
}

// A side that ends or hangs its process against the harness alone would do so beside each library.
std::vector<BarredPair> MatrixRun::barred_by(const Results& controls) const {
  std::vector<BarredPair> barred;
  for (const RequirementResult& control : controls.results) {
    if (control.verdict != Verdict::crash && control.verdict != Verdict::timeout) continue;
    const bool is_producer = control.consumer == own_name;
    const std::string& name = is_producer ? control.producer : control.consumer;
    const std::string reason = fmt::format("{} as {} against dlcert alone: {} in {}", name,
                                           is_producer ? "producer" : "consumer",
                                           to_text(control.verdict), control.requirement);
    for (const AdapterInfo& other : inventory_.adapters)
      barred.push_back(is_producer ? BarredPair{name, other.name, reason}
                                   : BarredPair{other.name, name, reason});
  }
  return barred;
}

// A clash comes before what else bars a pair.
Plan MatrixRun::pairs(std::vector<BarredPair> barred) const {
  for (const Clash& clash : together_.clashes) {
    const std::string reason = fmt::format("{}: {}", cannot_be_loaded_together, clash_text(clash));
    barred.insert(barred.begin(),
                  {{clash.first, clash.second, reason}, {clash.second, clash.first, reason}});
  }
  return plan_pairs(known_, inventory_, selection_, options_.settings, strictness_, barred);
}

// The results stand in the order of the plan.
Results MatrixRun::execute_in_parts(const Plan& plan, const RunObserver& observer) const {
  std::optional<Results> all;
  for (const Part& part : parts_of(plan)) {
    if (all && part.plan.requirements.empty()) continue;
    Results of_part = execute(part.plan, part.inventory, part.options, observer);
    if (!all) {
      all = std::move(of_part);
      continue;
    }
    std::ranges::move(of_part.results, std::back_inserter(all->results));
    add_what_is_beside(*all, std::move(of_part));
  }
  const auto place = [&](const RequirementResult& result) {
    return std::ranges::find_if(plan.requirements,
                                [&](const PlannedRequirement& planned) {
                                  return planned.id == result.requirement &&
                                         planned.producer == result.producer &&
                                         planned.consumer == result.consumer;
                                }) -
           plan.requirements.begin();
  };
  std::ranges::stable_sort(all->results, {}, place);
  all->adapters = inventory_.adapters;
  return std::move(*all);
}

Results MatrixRun::run(const RunObserver& observer) const {
  RunObserver quiet = observer;
  quiet.checkpoint = {};
  const Plan alone = plan_controls(known_, inventory_, selection_, options_.settings, strictness_);
  Results controls = execute_in_parts(alone, quiet);
  Results results = execute_in_parts(pairs(barred_by(controls)), quiet);
  results.started = controls.started;
  Matrix& matrix = results.matrix.emplace();
  matrix.controls = std::move(controls.results);
  add_what_is_beside(results, std::move(controls));
  matrix.clashes = together_.clashes;
  matrix.imports = imports_of(inventory_);
  return results;
}

}  // namespace dlcert
