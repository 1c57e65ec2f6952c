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

// What one describing process answered on each vendor's devices.
struct Described {
  JobOutcome outcome;

  // The first describes; the others are heard for their claims alone.
  const UnitOutcome& first() const { return outcome.units[0]; }
  bool answered() const { return first().end == UnitEnd::recorded; }
  // It had loaded the adapters, and ended when it asked one for its claims.
  bool ended_when_asked() const { return outcome.adapter_fault || first().end != UnitEnd::missing; }
  Failed failed() const {
    return outcome.loading.empty() ? Failed{first().record.message, first().output}
                                   : Failed{outcome.loading, outcome.loading_output};
  }
};

// The vendors whose devices a process of the run may have. A process has those of one.
std::vector<Platform> vendors_of(const std::string& driver) {
  if (driver == "simulated") return {Platform::cuda, Platform::rocm};
  return {driver == "hip" ? Platform::rocm : Platform::cuda};
}

Described describe_on(const std::vector<Platform>& platforms, const std::string& worker,
                      const std::vector<AdapterSource>& adapters, const std::string& driver,
                      const Limits& limits) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = adapters;
  job.settings.driver = driver;
  for (const Platform platform : platforms)
    job.units.emplace_back().platform = platform;
  return {run_job(worker, job, limits, static_cast<unsigned>(platforms.size()), {})};
}

// An adapter that cannot be asked for its claims is described without them.
Described describe(const std::string& worker, const std::vector<AdapterSource>& adapters,
                   const std::string& driver, const Limits& limits) {
  if (!adapters.empty()) {
    Described asked = describe_on(vendors_of(driver), worker, adapters, driver, limits);
    if (asked.answered() || !asked.ended_when_asked()) return asked;
  }
  return describe_on({Platform::any}, worker, adapters, driver, limits);
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

// With the claims of each adapter on all vendors' devices.
Inventory inventory_of(const Described& described, const std::string& worker) {
  Inventory inventory = inventory_of(described.first(), worker);
  for (std::size_t unit = 1; unit < described.outcome.units.size(); ++unit) {
    const UnitOutcome& other = described.outcome.units[unit];
    if (other.end != UnitEnd::recorded) continue;
    const Inventory more = inventory_of(other, worker);
    for (std::size_t i = 0; i < inventory.adapters.size(); ++i)
      for (const auto& [role, vendors] : more.adapters.at(i).no_tensors_on)
        std::ranges::copy(vendors, std::back_inserter(inventory.adapters[i].no_tensors_on[role]));
  }
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
  const Described one = describe(worker, {source}, driver, limits);
  if (!one.answered()) return unloadable(source, one.failed());
  AdapterInfo info = inventory_of(one, worker).adapters.at(0);
  if (!info.error.empty()) info.output = one.first().output;
  return info;
}

}  // namespace

Inventory take_inventory(const std::string& worker, const std::vector<AdapterSource>& adapters,
                         double load_seconds, const std::string& driver,
                         std::uint64_t memory_bytes) {
  const Limits limits{.load_seconds = load_seconds,
                      .load_attempts = 1,
                      .case_seconds = load_seconds,
                      .patience = 1,
                      .memory_bytes = memory_bytes};
  const Described all = describe(worker, adapters, driver, limits);
  if (all.answered()) {
    Inventory inventory = inventory_of(all, worker);
    for (std::size_t i = 0; i < inventory.adapters.size(); ++i) {
      AdapterInfo& info = inventory.adapters[i];
      if (info.error.empty()) continue;
      if (adapters.size() == 1)
        info.output = all.first().output;
      else
        info = describe_alone(worker, adapters[i], driver, limits);
    }
    return inventory;
  }

  const Described none = describe(worker, {}, driver, limits);
  if (!none.answered())
    throw std::runtime_error(
        fmt::format("worker '{}' does not work: {}", worker, none.failed().why));
  Inventory inventory = inventory_of(none, worker);
  if (adapters.size() == 1) {
    inventory.adapters.push_back(unloadable(adapters[0], all.failed()));
    return inventory;
  }
  for (const AdapterSource& source : adapters)
    inventory.adapters.push_back(describe_alone(worker, source, driver, limits));
  return inventory;
}

}  // namespace dlcert
