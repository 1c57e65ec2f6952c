// SPDX-License-Identifier: Apache-2.0
#include "runner/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "runner/pool.hpp"
#include "runner/position.hpp"

namespace dlcert {
namespace {

constexpr std::array stages{PreflightStage::own, PreflightStage::crossing};

Job job_of(const Inventory& inventory, const RunOptions& options, Platform platform) {
  Job job;
  job.mode = Job::Mode::preflight;
  job.adapters = options.adapters;
  job.described = inventory.adapters;
  job.settings = options.settings;
  job.platform = platform;
  for (std::size_t adapter = 0; adapter < options.adapters.size(); ++adapter)
    for (const PreflightStage stage : stages) {
      Unit& unit = job.units.emplace_back();
      unit.check = static_cast<std::uint32_t>(stage);
      unit.producer = static_cast<int>(adapter);
      unit.platform = platform;
    }
  return job;
}

void add_claims(Claims& claims, const Claims& more) {
  for (const auto& [role, kinds] : more) {
    std::vector<std::string>& known = claims[role];
    for (const std::string& kind : kinds)
      if (std::ranges::find(known, kind) == known.end()) known.push_back(kind);
  }
}

// The tensors of a row are made in one stage and handed over in another.
void add_row(std::vector<TriedTensors>& rows, const TriedTensors& more) {
  const auto key = [](const TriedTensors& row) {
    return std::tie(row.role, row.device, row.layout);
  };
  const auto same =
      std::ranges::find_if(rows, [&](const TriedTensors& row) { return key(row) == key(more); });
  if (same == rows.end()) {
    rows.push_back(more);
    return;
  }
  same->made = std::max(same->made, more.made);
  same->crossed = std::max(same->crossed, more.crossed);
  same->untried = std::max(same->untried, more.untried);
  if (same->lost.empty()) same->lost = more.lost;
}

void add(PreflightFindings& findings, const PreflightFindings& more) {
  add_claims(findings.claims, more.claims);
  for (const TriedTensors& row : more.tried)
    add_row(findings.tried, row);
  findings.faults.insert(findings.faults.end(), more.faults.begin(), more.faults.end());
  findings.hints.insert(findings.hints.end(), more.hints.begin(), more.hints.end());
  findings.modules.insert(findings.modules.end(), more.modules.begin(), more.modules.end());
  findings.dlpack = std::max(findings.dlpack, more.dlpack);
  findings.wrong_values.insert(more.wrong_values.begin(), more.wrong_values.end());
}

// Returns how a worker ended, and in which call: the last one after its findings.
std::string how_it_broke_off(const UnitOutcome& outcome, const std::string& loading) {
  const std::string how =
      without_case(outcome.record.message.empty() ? loading : outcome.record.message);
  const std::string_view trace = outcome.trace;
  const std::string_view calls = trace.substr(std::min(trace.find('\n'), trace.size()));
  const std::string_view line = calls.substr(0, calls.find_last_not_of('\n') + 1);
  const std::string_view call = line.substr(line.rfind('\n') + 1);
  return call.empty() ? how : fmt::format("{} in {}", how, call);
}

// A worker that ended in a stage has left what it had found, and behind it the calls since.
void add_broken_off(Preflight& preflight, const UnitOutcome& outcome, const std::string& loading) {
  const std::string& trace = outcome.trace;
  const std::size_t first_end = std::min(trace.find('\n'), trace.size());
  try {
    // Its record stands where it ended behind its last stage.
    add(preflight.findings,
        findings_from_json(outcome.text.empty() ? std::string_view{trace}.substr(0, first_end)
                                                : std::string_view{outcome.text}));
  } catch (const std::runtime_error&) {
    // It ended before it had found anything, or wrote over it.
  }
  preflight.broken_off.push_back(how_it_broke_off(outcome, loading));
}

void add_outcome(Preflight& preflight, const UnitOutcome& outcome, const std::string& loading) {
  if (outcome.end != UnitEnd::recorded) return add_broken_off(preflight, outcome, loading);
  try {
    add(preflight.findings, findings_from_json(outcome.text));
  } catch (const std::runtime_error& error) {
    preflight.broken_off.emplace_back(error.what());
  }
}

bool broke_off(const UnitOutcome& outcome) {
  return outcome.end == UnitEnd::missing || went_wrong(outcome);
}

// Returns the places in the job of the stages that were not done.
std::vector<std::size_t> broken_off_stages(const JobOutcome& outcome) {
  std::vector<std::size_t> undone;
  for (std::size_t unit = 0; unit < outcome.units.size(); ++unit)
    if (broke_off(outcome.units[unit])) undone.push_back(unit);
  return undone;
}

// Runs the stages that were not done once more, and keeps the results of those that are done then.
// Returns the deaths.
std::vector<EarlyDeath> repeat_broken_off(const Job& job, const Limits& limits,
                                          const std::string& worker, JobOutcome& outcome) {
  const std::vector<std::size_t> undone = broken_off_stages(outcome);
  JobOutcome second;
  if (!undone.empty()) {
    Job again = job;
    again.units.clear();
    for (const std::size_t stage : undone)
      again.units.push_back(job.units[stage]);
    second = run_job(worker, again, limits, 1, {});
  }
  std::vector<EarlyDeath> deaths;
  // A death after all stages is not repeated, as in the run.
  for (const WorkerDeath& death : outcome.deaths)
    deaths.push_back({death.when, death.how, death.output, death.steps,
                      outcome.loading.empty() || !second.loading.empty()});
  for (std::size_t i = 0; i < undone.size(); ++i) {
    UnitOutcome& first = outcome.units[undone[i]];
    const bool repeated = broke_off(second.units[i]);
    if (first.end != UnitEnd::missing)
      deaths.push_back(
          {"preflight", how_it_broke_off(first, outcome.loading), first.output, {}, repeated});
    if (!repeated) first = std::move(second.units[i]);
  }
  if (!second.adapter_fault) return deaths;
  outcome.adapter_fault = true;
  outcome.loading = std::move(second.loading);
  outcome.loading_output = std::move(second.loading_output);
  return deaths;
}

void run_on(Platform platform, const Inventory& inventory, const RunOptions& options,
            std::vector<Preflight>& preflights) {
  const Job job = job_of(inventory, options, platform);
  Limits limits;
  limits.case_seconds = options.case_seconds;
  limits.load_seconds = options.load_seconds;
  limits.load_attempts = 1;
  limits.memory_bytes = options.memory_bytes;
  JobOutcome outcome = run_job(options.worker, job, limits, 1, {});
  if (!outcome.adapter_fault)
    std::ranges::move(repeat_broken_off(job, limits, options.worker, outcome),
                      std::back_inserter(preflights.front().deaths));
  if (outcome.adapter_fault)
    for (Preflight& preflight : preflights)
      preflight.fault = FaultOfAdapter{outcome.loading, outcome.loading_output};
  for (std::size_t unit = 0; unit < job.units.size(); ++unit)
    add_outcome(preflights.at(static_cast<std::size_t>(job.units[unit].producer)),
                outcome.units[unit], outcome.loading);
}

// A process has devices of one vendor. Those of the other are worth another one only where there is
// something to be tried on them.
bool has_devices(const Inventory& inventory, const std::vector<Preflight>& preflights) {
  const bool streams = std::ranges::any_of(inventory.adapters, [](const AdapterInfo& adapter) {
    return (adapter.offers & static_cast<Needs>(Can::streams)) != 0;
  });
  const bool ended = std::ranges::any_of(
      preflights, [](const Preflight& preflight) { return preflight.fault.has_value(); });
  if (ended) return false;
  return streams || std::ranges::any_of(preflights, [](const Preflight& preflight) {
           return std::ranges::any_of(preflight.findings.tried,
                                      [](const TriedTensors& row) { return row.device != "cpu"; });
         });
}

}  // namespace

std::vector<Preflight> run_preflight(const Inventory& inventory, const RunOptions& options) {
  std::vector<Preflight> preflights(inventory.adapters.size());
  const auto has_tensors = [](const AdapterInfo& adapter) {
    return adapter.producer || adapter.consumer;
  };
  if (std::ranges::none_of(inventory.adapters, has_tensors)) return preflights;
  run_on(Platform::cuda, inventory, options, preflights);
  const bool may_be_rocm = options.settings.driver != "cuda";
  if (may_be_rocm && has_devices(inventory, preflights))
    run_on(Platform::rocm, inventory, options, preflights);
  return preflights;
}

void note_early(const std::string& adapter, const Preflight& preflight, Inventory& inventory) {
  std::ranges::copy(preflight.deaths, std::back_inserter(inventory.deaths));
  for (const Role role : {Role::producer, Role::consumer})
    if (const auto found = preflight.findings.wrong_values.find(std::string{to_text(role)});
        found != preflight.findings.wrong_values.end())
      inventory.wrong_values.push_back({adapter, role, found->second});
}

}  // namespace dlcert
