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

// Asks the adapters in one process, where `vendor` is not Platform::any also for their claims on
// its devices.
JobOutcome describe(const std::string& worker, const std::vector<AdapterSource>& adapters,
                    const std::string& driver, const Limits& limits,
                    Platform vendor = Platform::any) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = adapters;
  job.settings.driver = driver;
  job.units.resize(1);
  job.units[0].platform = vendor;
  return run_job(worker, job, limits, 1, {});
}

bool answered(const UnitOutcome& outcome) {
  return outcome.end == UnitEnd::recorded;
}

// Why the process did not answer.
Failed failure_of(const JobOutcome& outcome) {
  const UnitOutcome& first = outcome.units[0];
  return outcome.loading.empty() ? Failed{first.record.message, first.output}
                                 : Failed{outcome.loading, outcome.loading_output};
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
  const JobOutcome outcome = describe(worker, {source}, driver, limits);
  const UnitOutcome& one = outcome.units[0];
  if (!answered(one)) return unloadable(source, failure_of(outcome));
  AdapterInfo info = inventory_of(one, worker).adapters.at(0);
  if (!info.error.empty()) info.output = one.output;
  return info;
}

// The vendors whose devices a process of the run may have, never none. A process has those of one.
std::vector<Platform> vendors_of(const std::string& driver) {
  if (driver == "simulated") return {Platform::cuda, Platform::rocm};
  return {driver == "hip" ? Platform::rocm : Platform::cuda};
}

// Whether the process ended behind its loading, so that it may be the question for claims that
// ended it.
bool may_end_by_claims(const JobOutcome& outcome) {
  return !answered(outcome.units[0]) &&
         std::ranges::none_of(outcome.deaths,
                              [](const WorkerDeath& death) { return death.when == "loading"; });
}

// Notes what the adapters claim on the devices of a vendor, or that it is nothing. A process that
// ended does not answer; the checks on those devices are run then.
void note_claims(const JobOutcome& asked, const std::string& worker, Inventory& inventory) {
  if (!answered(asked.units[0])) return;
  const Inventory answer = inventory_of(asked.units[0], worker);
  for (std::size_t i = 0; i < inventory.adapters.size(); ++i) {
    for (const auto& [role, vendors] : answer.adapters.at(i).no_tensors_on)
      std::ranges::copy(vendors, std::back_inserter(inventory.adapters[i].no_tensors_on[role]));
    for (const auto& [role, tensors] : answer.adapters.at(i).tensors)
      std::ranges::copy(tensors, std::back_inserter(inventory.adapters[i].tensors[role]));
  }
}

// The inventory that a process has answered. An adapter with an error gets what was printed.
Inventory described_by(const UnitOutcome& all, const std::string& worker,
                       const std::vector<AdapterSource>& adapters, const std::string& driver,
                       const Limits& limits) {
  Inventory inventory = inventory_of(all, worker);
  for (std::size_t i = 0; i < inventory.adapters.size(); ++i) {
    AdapterInfo& info = inventory.adapters[i];
    if (info.error.empty()) continue;
    if (adapters.size() == 1)
      info.output = all.output;
    else
      info = describe_alone(worker, adapters[i], driver, limits);
  }
  return inventory;
}

// The inventory where a process that loads all adapters ends.
Inventory described_one_by_one(const std::string& worker,
                               const std::vector<AdapterSource>& adapters,
                               const std::string& driver, const Limits& limits,
                               Failed failed_with_all) {
  const JobOutcome none = describe(worker, {}, driver, limits);
  if (!answered(none.units[0]))
    throw std::runtime_error(
        fmt::format("worker '{}' does not work: {}", worker, failure_of(none).why));
  Inventory inventory = inventory_of(none.units[0], worker);
  if (adapters.size() == 1) {
    inventory.adapters.push_back(unloadable(adapters[0], std::move(failed_with_all)));
    return inventory;
  }
  for (const AdapterSource& source : adapters)
    inventory.adapters.push_back(describe_alone(worker, source, driver, limits));
  return inventory;
}

}  // namespace

Inventory take_inventory(const std::string& worker, const std::vector<AdapterSource>& adapters,
                         double load_seconds, const std::string& driver,
                         std::uint64_t memory_bytes) {
  const Limits limits{.load_seconds = load_seconds,
                      .load_attempts = 1,
                      .case_seconds = load_seconds,
                      .memory_bytes = memory_bytes};
  const std::vector<Platform> vendors = vendors_of(driver);
  JobOutcome all = describe(worker, adapters, driver, limits, vendors[0]);
  if (may_end_by_claims(all)) all = describe(worker, adapters, driver, limits);
  if (!answered(all.units[0]))
    return described_one_by_one(worker, adapters, driver, limits, failure_of(all));

  Inventory inventory = described_by(all.units[0], worker, adapters, driver, limits);
  const bool usable = std::ranges::all_of(
      inventory.adapters, [](const AdapterInfo& info) { return info.error.empty(); });
  for (std::size_t i = 1; usable && !adapters.empty() && i < vendors.size(); ++i)
    note_claims(describe(worker, adapters, driver, limits, vendors[i]), worker, inventory);
  return inventory;
}

}  // namespace dlcert
