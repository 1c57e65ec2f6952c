// SPDX-License-Identifier: Apache-2.0
#include "runner/preflight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "runner/pool.hpp"

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
}

// "ended by SIGSEGV in case 0", "case 0 took longer than 5 s": a stage has no cases.
std::string without_case(std::string how) {
  constexpr std::string_view first = "case 0 ", last = " in case 0";
  if (how.starts_with(first)) how.erase(0, first.size());
  if (how.ends_with(last)) how.resize(how.size() - last.size());
  return how;
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
  const std::string how =
      without_case(outcome.record.message.empty() ? loading : outcome.record.message);
  const std::string_view calls =
      std::string_view{trace}.substr(std::min(first_end + 1, trace.size()));
  const std::string_view line = calls.substr(0, calls.find_last_not_of('\n') + 1);
  const std::string_view call = line.substr(line.rfind('\n') + 1);
  preflight.broken_off.push_back(call.empty() ? how : fmt::format("{} in {}", how, call));
}

void add_outcome(Preflight& preflight, const UnitOutcome& outcome, const std::string& loading) {
  if (outcome.end != UnitEnd::recorded) return add_broken_off(preflight, outcome, loading);
  try {
    add(preflight.findings, findings_from_json(outcome.text));
  } catch (const std::runtime_error& error) {
    preflight.broken_off.emplace_back(error.what());
  }
}

void run_on(Platform platform, const Inventory& inventory, const RunOptions& options,
            std::vector<Preflight>& preflights) {
  const Job job = job_of(inventory, options, platform);
  Limits limits;
  limits.case_seconds = options.case_seconds;
  limits.load_seconds = options.load_seconds;
  limits.load_attempts = 1;
  limits.memory_bytes = options.memory_bytes;
  const JobOutcome outcome = run_job(options.worker, job, limits, 1, {});
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

}  // namespace dlcert
