// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "runner/pool.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

UnitOutcome describe(const std::string& worker, const std::vector<std::string>& adapters,
                     const std::string& driver, double load_seconds, std::string& why_not) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = adapters;
  job.settings.driver = driver;
  job.units.resize(1);
  Limits limits;
  limits.load_seconds = load_seconds;
  limits.load_attempts = 1;
  limits.case_seconds = load_seconds;
  JobOutcome outcome = run_job(worker, job, limits, 1, {});
  why_not = outcome.loading.empty() ? outcome.units[0].record.message : outcome.loading;
  return std::move(outcome.units[0]);
}

bool answered(const UnitOutcome& outcome) {
  return outcome.end == UnitEnd::recorded;
}

Inventory inventory_of(const UnitOutcome& outcome, const std::string& worker) {
  try {
    return inventory_from_json(outcome.text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        fmt::format("worker '{}': it is of another build of dlcert: {}", worker, error.what()));
  }
}

// An adapter that ends the worker that loads it.
AdapterInfo unloadable(const std::string& path, std::string why) {
  AdapterInfo info;
  info.path = path;
  info.error = std::move(why);
  return info;
}

}  // namespace

Inventory take_inventory(const std::string& worker, const std::vector<std::string>& adapters,
                         double load_seconds, const std::string& driver) {
  std::string why_not;
  const UnitOutcome all = describe(worker, adapters, driver, load_seconds, why_not);
  if (answered(all)) return inventory_of(all, worker);

  const std::string why_not_all = why_not;
  const UnitOutcome none = describe(worker, {}, driver, load_seconds, why_not);
  if (!answered(none))
    throw std::runtime_error(fmt::format("worker '{}' does not work: {}", worker, why_not));
  Inventory inventory = inventory_of(none, worker);
  if (adapters.size() == 1) {
    inventory.adapters.push_back(unloadable(adapters[0], why_not_all));
    return inventory;
  }
  for (const std::string& path : adapters) {
    const UnitOutcome one = describe(worker, {path}, driver, load_seconds, why_not);
    inventory.adapters.push_back(answered(one) ? inventory_of(one, worker).adapters.at(0)
                                               : unloadable(path, why_not));
  }
  return inventory;
}

}  // namespace dlcert
