// SPDX-License-Identifier: Apache-2.0
#include "runner/trial.hpp"

#include <fmt/format.h>

#include <utility>

#include "records/share.hpp"
#include "runner/sanitizer_report.hpp"

namespace dlcert {
namespace {

std::uint64_t seed_of(std::uint64_t run_seed, const PlannedRequirement& requirement,
                      const CheckInfo& check, unsigned repetition) {
  const std::uint64_t seed =
      repetition > 0 ? mix_seed(run_seed, std::uint64_t{repetition}) : run_seed;
  return unit_seed(seed, {.requirement = requirement.id,
                          .check = check.name,
                          .role = check.role,
                          .platform = check.platform,
                          .parties = {requirement.producer, requirement.consumer}});
}

// A replay brings its own seed and case; make_trials() gives the other units theirs.
Unit unit_of(const PlannedCheck& planned, const CheckInfo& check) {
  Unit unit;
  unit.check = planned.check;
  unit.producer = planned.producer;
  unit.consumer = planned.consumer;
  unit.platform = check.platform;
  unit.process_per_case = check.process_per_case;
  if (!planned.replay) return unit;
  unit.seed = planned.replay->seed;
  unit.cases = planned.replay->cases;
  unit.only_case = planned.replay->case_index;
  if (check.rows == 0) unit.choices = planned.replay->choices;
  return unit;
}

bool has_fork_hooks(const Inventory& inventory, const PlannedCheck& planned) {
  for (const int party : {planned.producer, planned.consumer})
    if (party != spy_index && inventory.adapters.at(static_cast<std::size_t>(party)).fork_hooks)
      return true;
  return false;
}

}  // namespace

std::vector<Trial> make_trials(const Plan& plan, const Inventory& inventory,
                               const RunOptions& options, unsigned repetition) {
  std::vector<Trial> trials;
  for (std::size_t r = 0; r < plan.requirements.size(); ++r) {
    const PlannedRequirement& requirement = plan.requirements[r];
    for (std::size_t c = 0; c < requirement.checks.size(); ++c) {
      const PlannedCheck& planned = requirement.checks[c];
      const CheckInfo& check = inventory.checks.at(planned.check);
      Trial trial;
      trial.requirement = r;
      trial.check = c;
      trial.id = requirement.id;
      trial.own_process = check.own_process;
      trial.unit = unit_of(planned, check);
      if (!planned.replay) {
        trial.unit.seed = seed_of(options.seed, requirement, check, repetition);
        trial.whole =
            set_share(trial.unit, check, options.cases, has_fork_hooks(inventory, planned));
      }
      if (!planned.lacking.empty()) {
        trial.outcome.end = UnitEnd::recorded;
        trial.outcome.record.inapplicable = planned.lacking;
        trial.outcome.record.requested = trial.unit.cases;
      }
      trials.push_back(std::move(trial));
    }
  }
  return trials;
}

CheckResult to_result(const Trial& trial, const CheckInfo& check) {
  const UnitOutcome& outcome = trial.outcome;
  std::string own_fault;
  if (outcome.end == UnitEnd::crashed)
    own_fault = outcome.problem.empty() ? fault_of_harness(outcome.output)
                                        : "the worker process could not go on: " + outcome.problem;
  Decision decision = decide_check({
      .end = outcome.end,
      .record = outcome.record,
      .one_in = check.one_in,
      .problem = outcome.end == UnitEnd::missing ? trial.loading : outcome.problem,
      .repeated = trial.repeated,
      .own_fault = own_fault,
      .limit = outcome.limit,
  });
  CheckResult result;
  result.name = check.name;
  result.sentence = check.sentence;
  result.role = check.role;
  result.platform = check.platform;
  result.fact = check.fact;
  result.one_in = check.one_in;
  result.verdict = decision.verdict;
  result.reason = std::move(decision.reason);
  result.seed = trial.unit.seed;
  result.whole = trial.whole > trial.unit.cases ? trial.whole : 0;
  result.record = outcome.record;
  if (result.verdict == Verdict::pass && !outcome.slowness.empty())
    result.record.message = fmt::format("slow: {}, but ended", outcome.slowness);
  result.output = outcome.output;
  if (!trial.after.empty()) result.after = "after " + trial.after;
  result.values_repeated = trial.values_repeated;
  result.consequence = trial.consequence;
  result.refuted = trial.refuted;
  return result;
}

}  // namespace dlcert
