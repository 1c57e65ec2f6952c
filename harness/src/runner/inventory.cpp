// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "runner/pool.hpp"
#include "runner/position.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

// Why there is no answer, and what was printed.
struct Failed {
  std::string why;
  std::string output;
};

// What one process is asked.
struct Question {
  Platform vendor = Platform::any;  // any: claims are not asked for
  bool only_device_claims = false;  // and for nothing else
};

JobOutcome describe(const RunOptions& options, const std::vector<AdapterSource>& adapters,
                    const Question& question) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = adapters;
  job.settings.driver = options.settings.driver;
  job.units.resize(1);
  job.units[0].platform = question.vendor;
  job.only_device_claims = question.only_device_claims;
  // A case is a few calls of `can`. The limit holds for short cases, too: the run needs the
  // answers.
  const Limits limits{.load_seconds = options.load_seconds,
                      .load_attempts = 1,
                      .case_seconds = std::max(options.case_seconds, 1.0),
                      .memory_bytes = options.memory_bytes};
  return run_job(options.worker, job, limits, 1, {});
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
        fmt::format("worker '{}' is from another build of dlcert: {}", worker, found));
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
AdapterInfo describe_alone(const RunOptions& options, const AdapterSource& source) {
  const JobOutcome outcome = describe(options, {source}, {});
  const UnitOutcome& one = outcome.units[0];
  if (!answered(one)) return unloadable(source, failure_of(outcome));
  AdapterInfo info = inventory_of(one, options.worker).adapters.at(0);
  if (!info.error.empty()) info.output = one.output;
  return info;
}

// The vendors whose devices a process of the run may have, never none. A process has those of one.
std::vector<Platform> vendors_of(const std::string& driver) {
  if (driver == "simulated") return {Platform::cuda, Platform::rocm};
  return {driver == "hip" ? Platform::rocm : Platform::cuda};
}

// Returns whether the process ended behind its loading, so that it may be the question for claims
// that ended it.
bool may_end_by_claims(const JobOutcome& outcome) {
  return !answered(outcome.units[0]) &&
         std::ranges::none_of(outcome.deaths,
                              [](const WorkerDeath& death) { return death.when == "loading"; });
}

// Describes how the process ended: while it answered, or later, while it closed the adapters.
EarlyDeath early_death(const JobOutcome& outcome) {
  if (outcome.deaths.empty()) {
    const UnitOutcome& unit = outcome.units[0];
    return {"claims", without_case(unit.record.message), unit.output, {}};
  }
  const WorkerDeath& death = outcome.deaths.front();
  return {death.when, death.how, death.output, death.steps};
}

// Asks what the adapters claim, and asks again if the process ended. Notes that death.
JobOutcome ask_claims(const RunOptions& options, const Question& question,
                      std::vector<EarlyDeath>& deaths) {
  JobOutcome first = describe(options, options.adapters, question);
  // One that ends while it loads is unusable, unless another process has loaded it.
  const bool may_repeat = may_end_by_claims(first) || question.only_device_claims;
  const bool died = !first.deaths.empty() || went_wrong(first.units[0]);
  if (answered(first.units[0]) || !may_repeat || !died || first.adapter_fault) return first;
  JobOutcome second = describe(options, options.adapters, question);
  deaths.push_back(early_death(first));
  deaths.back().repeated = !answered(second.units[0]);
  return second;
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
      for (const ClaimedTensors& one : tensors)
        add_claimed(inventory.adapters[i].tensors[role], one);
  }
}

// The inventory that a process has answered. An adapter with an error gets what was printed.
Inventory described_by(const UnitOutcome& all, const RunOptions& options) {
  Inventory inventory = inventory_of(all, options.worker);
  for (std::size_t i = 0; i < inventory.adapters.size(); ++i) {
    AdapterInfo& info = inventory.adapters[i];
    if (info.error.empty()) continue;
    if (options.adapters.size() == 1)
      info.output = all.output;
    else
      info = describe_alone(options, options.adapters[i]);
  }
  return inventory;
}

// The inventory where a process that loads all adapters ends.
Inventory described_one_by_one(const RunOptions& options, Failed failed_with_all) {
  const JobOutcome none = describe(options, {}, {});
  if (!answered(none.units[0]))
    throw std::runtime_error(
        fmt::format("worker '{}' does not work: {}", options.worker, failure_of(none).why));
  Inventory inventory = inventory_of(none.units[0], options.worker);
  if (options.adapters.size() == 1) {
    inventory.adapters.push_back(unloadable(options.adapters[0], std::move(failed_with_all)));
    return inventory;
  }
  for (const AdapterSource& source : options.adapters)
    inventory.adapters.push_back(describe_alone(options, source));
  return inventory;
}

}  // namespace

Inventory take_inventory(const RunOptions& options) {
  const std::vector<Platform> vendors = vendors_of(options.settings.driver);
  std::vector<EarlyDeath> deaths;
  JobOutcome all = ask_claims(options, {vendors[0]}, deaths);
  const bool claims_end_it = may_end_by_claims(all);
  if (claims_end_it) all = describe(options, options.adapters, {});
  if (!answered(all.units[0])) return described_one_by_one(options, failure_of(all));

  Inventory inventory = described_by(all.units[0], options);
  const bool usable = std::ranges::all_of(
      inventory.adapters, [](const AdapterInfo& info) { return info.error.empty(); });
  const bool asks_more = !claims_end_it && usable && !options.adapters.empty();
  for (std::size_t i = 1; asks_more && i < vendors.size(); ++i)
    note_claims(ask_claims(options, {vendors[i], true}, deaths), options.worker, inventory);
  inventory.deaths = std::move(deaths);
  return inventory;
}

}  // namespace dlcert
