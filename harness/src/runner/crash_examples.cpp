// SPDX-License-Identifier: Apache-2.0
#include "runner/crash_examples.hpp"

#include <utility>

namespace dlcert {
namespace {

bool describable(const Trial& trial) {
  const UnitOutcome& outcome = trial.outcome;
  return went_wrong(outcome) && outcome.in_case && outcome.limit.empty() && trial.repeated &&
         trial.after.empty();
}

std::vector<Unit> last_cases(const std::vector<Trial*>& trials) {
  std::vector<Unit> units;
  for (const Trial* trial : trials) {
    Unit unit = trial->unit;
    unit.only_case = trial->outcome.case_index;
    units.push_back(std::move(unit));
  }
  return units;
}

// The case as it was drawn, with the calls that its worker made before it ended.
Counterexample unshrunk(const Unit& unit, const UnitOutcome& described) {
  Counterexample counterexample;
  counterexample.choices = unit.choices.value_or(Choices{});
  counterexample.case_index = described.case_index;
  add_trace(counterexample, described.trace);
  return counterexample;
}

// The trials of which no smaller case was found.
std::vector<Trial*> shrink_crashes(const std::vector<Trial*>& trials, const UnitRunner& runner) {
  std::vector<UnitOutcome> shrunk = runner.shrink(last_cases(trials)).units;
  std::vector<Trial*> rest;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::optional<Counterexample>& smallest = shrunk[i].record.counterexample;
    if (shrunk[i].end == UnitEnd::recorded && smallest)
      trials[i]->outcome.record.counterexample = std::move(smallest);
    else
      rest.push_back(trials[i]);
  }
  return rest;
}

void describe_last_cases(const std::vector<Trial*>& trials, const UnitRunner& runner) {
  const std::vector<UnitOutcome> described = runner.run_each_alone(last_cases(trials)).units;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    UnitOutcome& outcome = trials[i]->outcome;
    if (described[i].in_case)
      outcome.record.counterexample = unshrunk(trials[i]->unit, described[i]);
    else
      outcome.record.message +=
          ", but only after the cases before it: the case alone does not fail";
  }
}

// The worker ended while it made the failing case smaller, or told its calls.
bool untold(const Trial& trial) {
  const UnitRecord& record = trial.outcome.record;
  return trial.outcome.end == UnitEnd::recorded && record.failed && record.counterexample &&
         record.counterexample->trace.empty() && !trial.is_replay() && trial.repeated &&
         trial.after.empty();
}

}  // namespace

void describe_failures(std::vector<Trial>& trials, const UnitRunner& runner) {
  std::vector<Trial*> chosen;
  std::vector<Unit> cases;
  for (Trial& trial : trials) {
    if (!untold(trial)) continue;
    const Counterexample& found = *trial.outcome.record.counterexample;
    Unit unit = trial.unit;
    unit.only_case = found.case_index;
    unit.choices = found.choices;
    chosen.push_back(&trial);
    cases.push_back(std::move(unit));
  }
  if (cases.empty()) return;
  std::vector<UnitOutcome> described = runner.run_each_alone(std::move(cases)).units;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    UnitRecord& record = chosen[i]->outcome.record;
    UnitRecord& again = described[i].record;
    if (described[i].end != UnitEnd::recorded || !again.failed || !again.counterexample) continue;
    again.counterexample->steps = record.counterexample->steps;
    record.counterexample = std::move(again.counterexample);
    record.message = std::move(again.message);
    record.expected = std::move(again.expected);
    record.found = std::move(again.found);
    record.owners = std::move(again.owners);
    record.inputs = again.inputs;
  }
}

void describe_crashes(std::vector<Trial>& trials, const UnitRunner& runner, bool shrink) {
  std::vector<Trial*> shrinkable, others;
  for (Trial& trial : trials) {
    if (!describable(trial)) continue;
    if (trial.is_replay()) {
      trial.outcome.record.counterexample = unshrunk(trial.unit, trial.outcome);
      continue;
    }
    // Candidates have no memory limit of their own.
    const bool can_shrink = shrink && trial.outcome.end != UnitEnd::exhausted;
    (can_shrink ? shrinkable : others).push_back(&trial);
  }
  for (Trial* trial : shrink_crashes(shrinkable, runner))
    others.push_back(trial);
  describe_last_cases(others, runner);
}

}  // namespace dlcert
