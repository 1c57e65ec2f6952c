// SPDX-License-Identifier: Apache-2.0
#include "runner/trial.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dlcert {
namespace {

using End = UnitOutcome::End;

std::uint64_t seed_of(std::uint64_t run_seed, const PlannedRequirement& requirement,
                      const CheckInfo& check, unsigned repetition) {
  std::uint64_t seed = run_seed;
  if (repetition > 0) seed = mix_seed(seed, std::uint64_t{repetition});
  for (const std::string_view part :
       {std::string_view{requirement.id}, std::string_view{requirement.producer},
        std::string_view{requirement.consumer}, std::string_view{check.sentence}})
    seed = mix_seed(seed, part);
  return mix_seed(seed, static_cast<std::uint64_t>(check.role));
}

// A replay brings its seed and case; the others' are drawn.
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

// A case in a process of its own costs a hundred times one that is not.
std::uint64_t cases_of(const CheckInfo& check, std::uint64_t cases) {
  constexpr std::uint64_t share = 10;
  return check.process_per_case ? (cases + share - 1) / share : cases;
}

Verdict verdict_of_record(const UnitRecord& record) {
  constexpr std::array verdicts{Verdict::pass, Verdict::fail, Verdict::inconclusive,
                                Verdict::not_applicable};
  for (const Verdict verdict : verdicts)
    if (record.verdict == to_text(verdict)) return verdict;
  return Verdict::inconclusive;
}

// A record that says pass must also say that its cases ran.
std::string why_not_a_pass(const UnitRecord& record) {
  if (record.cases == 0) return "vacuous: no case ran";
  const std::uint64_t accounted =
      record.cases + record.unclaimed + record.not_formable + record.discarded;
  if (accounted < record.requested)
    return fmt::format("only {} of {} cases are accounted for", accounted, record.requested);
  return {};
}

Verdict verdict_of(const UnitOutcome& outcome) {
  switch (outcome.end) {
    case End::missing:
      return Verdict::not_run;
    case End::recorded:
      return verdict_of_record(outcome.record);
    case End::hung:
      return Verdict::timeout;
    case End::crashed:
    case End::exhausted:
      break;
  }
  return Verdict::crash;
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
        trial.unit.cases = check.rows > 0 ? check.rows : cases_of(check, options.cases);
      }
      trials.push_back(std::move(trial));
    }
  }
  return trials;
}

bool suspicious(const UnitOutcome& outcome) {
  if (outcome.end == End::missing) return false;
  return outcome.end != End::recorded || outcome.record.verdict == "fail";
}

CheckResult to_result(const Trial& trial, const CheckInfo& check) {
  CheckResult result;
  result.sentence = check.sentence;
  result.role = check.role;
  result.seed = trial.unit.seed;
  result.record = trial.outcome.record;
  result.verdict = verdict_of(trial.outcome);
  result.output = trial.outcome.output;
  if (!trial.after.empty()) result.after = "after " + trial.after;

  if (result.verdict == Verdict::not_run)
    result.record.reason = trial.loading.empty() ? "not run yet" : trial.loading;
  if (result.verdict == Verdict::pass) {
    if (std::string reason = why_not_a_pass(trial.outcome.record); !reason.empty()) {
      result.verdict = Verdict::inconclusive;
      result.record.reason = std::move(reason);
    }
  }
  if (trial.flaky) {
    result.verdict = Verdict::flaky;
    result.record.reason = "it did not repeat in a fresh worker with the same seed";
  }
  return result;
}

}  // namespace dlcert
