// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

// Why there is no answer, and what was printed.
struct Failed {
  std::string why;
  std::string output;
};

// A job without units that describes the adapters.
Job description_of(const std::vector<AdapterSource>& adapters, const std::string& driver) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = adapters;
  job.settings.driver = driver;
  return job;
}

UnitOutcome describe(const std::string& worker, const std::vector<AdapterSource>& adapters,
                     const std::string& driver, const Limits& limits, Failed& failed) {
  Job job = description_of(adapters, driver);
  job.units.resize(1);
  JobOutcome outcome = run_job(worker, job, limits, 1, {});
  UnitOutcome& described = outcome.units[0];
  failed = outcome.loading.empty() ? Failed{described.record.message, described.output}
                                   : Failed{outcome.loading, outcome.loading_output};
  return std::move(described);
}

bool answered(const UnitOutcome& outcome) {
  return outcome.end == UnitEnd::recorded;
}

Inventory inventory_of(const UnitOutcome& outcome, const std::string& worker) {
  const auto other_build = [&](const std::string& found) {
    return std::runtime_error(
        fmt::format("worker '{}': it is of another build of dlcert: {}", worker, found));
  };
  Inventory inventory;
  try {
    inventory = inventory_from_json(outcome.text);
  } catch (const std::runtime_error& error) {
    throw other_build(error.what());
  }
  if (inventory.build != own_build())
    throw other_build(fmt::format("expected {} but found {}", own_build(), inventory.build));
  return inventory;
}

// An adapter that ends the worker that loads it.
AdapterInfo unloadable(const AdapterSource& source, Failed failed) {
  AdapterInfo info;
  info.path = source.path;
  info.error = std::move(failed.why);
  info.output = std::move(failed.output);
  return info;
}

// The adapter, described by a worker of its own, which nothing else prints in.
AdapterInfo describe_alone(const std::string& worker, const AdapterSource& source,
                           const std::string& driver, const Limits& limits) {
  Failed failed;
  const UnitOutcome one = describe(worker, {source}, driver, limits, failed);
  if (!answered(one)) return unloadable(source, std::move(failed));
  AdapterInfo info = inventory_of(one, worker).adapters.at(0);
  if (!info.error.empty()) info.output = one.output;
  return info;
}

// The vendors whose devices a process of the run may have. A process has those of one.
std::vector<Platform> vendors_of(const std::string& driver) {
  if (driver == "simulated") return {Platform::cuda, Platform::rocm};
  return {driver == "hip" ? Platform::rocm : Platform::cuda};
}

// Asks the adapters, in a process with the devices of each vendor, where they claim no tensor. Of
// one that cannot be asked nothing is known, and its checks are run.
void ask_for_claims(const std::string& worker, const std::vector<AdapterSource>& adapters,
                    const std::string& driver, const Limits& limits, Inventory& inventory) {
  Job job = description_of(adapters, driver);
  for (const Platform vendor : vendors_of(driver))
    job.units.emplace_back().platform = vendor;
  const JobOutcome outcome =
      run_job(worker, job, limits, static_cast<unsigned>(job.units.size()), {});
  for (const UnitOutcome& asked : outcome.units) {
    if (!answered(asked)) continue;
    const Inventory answer = inventory_of(asked, worker);
    for (std::size_t i = 0; i < inventory.adapters.size(); ++i)
      for (const auto& [role, vendors] : answer.adapters.at(i).no_tensors_on)
        std::ranges::copy(vendors, std::back_inserter(inventory.adapters[i].no_tensors_on[role]));
  }
}

}  // namespace

Inventory take_inventory(const std::string& worker, const std::vector<AdapterSource>& adapters,
                         double load_seconds, const std::string& driver,
                         std::uint64_t memory_bytes) {
  const Limits limits{.load_seconds = load_seconds,
                      .load_attempts = 1,
                      .case_seconds = load_seconds,
                      .memory_bytes = memory_bytes};
  Failed failed;
  const UnitOutcome all = describe(worker, adapters, driver, limits, failed);
  if (answered(all)) {
    Inventory inventory = inventory_of(all, worker);
    for (std::size_t i = 0; i < inventory.adapters.size(); ++i) {
      AdapterInfo& info = inventory.adapters[i];
      if (info.error.empty()) continue;
      if (adapters.size() == 1)
        info.output = all.output;
      else
        info = describe_alone(worker, adapters[i], driver, limits);
    }
    const bool usable = std::ranges::all_of(
        inventory.adapters, [](const AdapterInfo& info) { return info.error.empty(); });
    if (usable && !adapters.empty()) ask_for_claims(worker, adapters, driver, limits, inventory);
    return inventory;
  }

  const Failed failed_with_all = std::exchange(failed, {});
  const UnitOutcome none = describe(worker, {}, driver, limits, failed);
  if (!answered(none))
    throw std::runtime_error(fmt::format("worker '{}' does not work: {}", worker, failed.why));
  Inventory inventory = inventory_of(none, worker);
  if (adapters.size() == 1) {
    inventory.adapters.push_back(unloadable(adapters[0], failed_with_all));
    return inventory;
  }
  for (const AdapterSource& source : adapters)
    inventory.adapters.push_back(describe_alone(worker, source, driver, limits));
  return inventory;
}

}  // namespace dlcert
