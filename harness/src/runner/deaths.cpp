// SPDX-License-Identifier: Apache-2.0
#include "runner/deaths.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dlcert {
namespace {

using End = UnitOutcome::End;

bool describable(const Trial& trial) {
  const UnitOutcome& outcome = trial.outcome;
  return suspicious(outcome) && outcome.in_case && !trial.flaky && trial.after.empty();
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

// The case's events as the worker wrote them: lines of text and C statement, separated by a tab.
// Either may be empty.
Counterexample as_it_was(const Unit& unit, const UnitOutcome& described) {
  Counterexample counterexample;
  counterexample.choices = unit.choices.value_or(Choices{});
  counterexample.case_index = described.case_index;
  std::string_view trace = described.trace;
  while (!trace.empty()) {
    const std::size_t end = std::min(trace.find('\n'), trace.size());
    const std::string_view line = trace.substr(0, end);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    if (tab > 0) counterexample.trace.emplace_back(line.substr(0, tab));
    if (tab + 1 < line.size()) counterexample.program.emplace_back(line.substr(tab + 1));
    trace.remove_prefix(std::min(end + 1, trace.size()));
  }
  return counterexample;
}

// Those of which no smaller case was found.
std::vector<Trial*> shrink_deaths(const std::vector<Trial*>& trials, const Bench& bench) {
  std::vector<UnitOutcome> shrunk = bench.shrink(last_cases(trials)).units;
  std::vector<Trial*> rest;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    std::optional<Counterexample>& smallest = shrunk[i].record.counterexample;
    const bool died = shrunk[i].record.verdict == "crash" || shrunk[i].record.verdict == "timeout";
    if (shrunk[i].end == End::recorded && died && smallest)
      trials[i]->outcome.record.counterexample = std::move(smallest);
    else
      rest.push_back(trials[i]);
  }
  return rest;
}

void describe_last_cases(const std::vector<Trial*>& trials, const Bench& bench) {
  const std::vector<UnitOutcome> described = bench.alone(last_cases(trials), 1).units;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    UnitOutcome& outcome = trials[i]->outcome;
    if (described[i].in_case)
      outcome.record.counterexample = as_it_was(trials[i]->unit, described[i]);
    else
      outcome.record.message += ", which takes the cases before it: that case alone does not do it";
  }
}

}  // namespace

void describe_deaths(std::vector<Trial>& trials, const Bench& bench, bool shrink) {
  std::vector<Trial*> shrinkable, others;
  for (Trial& trial : trials) {
    if (!describable(trial)) continue;
    if (trial.is_replay()) {
      trial.outcome.record.counterexample = as_it_was(trial.unit, trial.outcome);
      continue;
    }
    const bool candidates_bounded =
        trial.outcome.end != End::exhausted;  // memory is watched per worker
    (shrink && candidates_bounded ? shrinkable : others).push_back(&trial);
  }
  for (Trial* trial : shrink_deaths(shrinkable, bench))
    others.push_back(trial);
  describe_last_cases(others, bench);
}

}  // namespace dlcert
