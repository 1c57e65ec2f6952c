// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "records/decide.hpp"
#include "report/side_findings.hpp"
#include "runner/confirm.hpp"
#include "runner/consequences.hpp"
#include "runner/crash_examples.hpp"
#include "runner/environment.hpp"
#include "runner/runner.hpp"
#include "runner/trial.hpp"
#include "runner/unit_runner.hpp"

namespace dlcert {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds checkpoint_interval{1};

// The results of a plan so far, over all repetitions.
class Ledger {
 public:
  Ledger(const Plan& plan, const Inventory& inventory, const RunOptions& options)
      : plan_{plan}, inventory_{inventory}, started_{Clock::now()} {
    results_.dlcert_version = DLCERT_VERSION;
    results_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    results_.seed = options.seed;
    results_.cases = options.cases;
    results_.repeat = std::max(1u, options.repeat);
    results_.settings = options.settings;
    results_.filtered = plan.filtered;
    results_.adapters = inventory.adapters;
    results_.conditions = conditions(options.settings.driver);
  }

  // The results with the present verdicts of `trials`; of a check that an earlier repetition has
  // judged, the worse verdict counts.
  Results with(const std::vector<Trial>& trials) const;
  void keep(const std::vector<Trial>& trials) { results_ = with(trials); }
  // Keeps what a job tells beside the outcomes of its units.
  void note(const JobOutcome& job);
  // Nothing that a wrong adapter showed is a verdict: the results are those of trials that were
  // not run.
  void withdraw(std::vector<Trial> untried);
  bool found_adapter_fault() const { return results_.adapter_fault.has_value(); }
  Results complete() &&;

 private:
  std::vector<RequirementResult> blank() const;

  const Plan& plan_;
  const Inventory& inventory_;
  Clock::time_point started_;
  Results results_;
};

std::vector<RequirementResult> Ledger::blank() const {
  std::vector<RequirementResult> results;
  for (const PlannedRequirement& planned : plan_.requirements) {
    RequirementResult& result = results.emplace_back();
    result.requirement = planned.id;
    result.producer = planned.producer;
    result.consumer = planned.consumer;
    result.level = planned.level;
    result.binding = planned.binding;
    result.grace = planned.grace;
    result.verdict = decide_requirement(planned.applies, {}, Waiving::none);
    result.reason = planned.reason;
  }
  return results;
}

Results Ledger::with(const std::vector<Trial>& trials) const {
  Results results = results_;
  results.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  results.results = blank();
  for (const Trial& trial : trials) {
    const PlannedCheck& planned = plan_.requirements[trial.requirement].checks[trial.check];
    CheckResult judged = to_result(trial, inventory_.checks[planned.check]);
    if (!results_.results.empty()) {
      const CheckResult& earlier = results_.results[trial.requirement].checks[trial.check];
      if (worst({earlier, judged}) == earlier.verdict) judged = earlier;
    }
    results.results[trial.requirement].checks.push_back(std::move(judged));
  }
  judge_unraisable(results.results);
  for (RequirementResult& result : results.results)
    if (!result.checks.empty()) decide_by_checks(result);
  return results;
}

void Ledger::note(const JobOutcome& job) {
  for (const WorkerDeath& death : job.deaths) {
    const auto same = std::ranges::find_if(results_.deaths, [&](const Death& earlier) {
      return earlier.when == death.when && earlier.how == death.how;
    });
    if (same != results_.deaths.end()) {
      ++same->times;
      continue;
    }
    Death& first = results_.deaths.emplace_back();
    first.when = death.when;
    first.how = death.how;
    first.output = death.output;
    first.steps = death.steps;
    for (const std::uint32_t check : death.after)
      if (const std::string& id = inventory_.checks.at(check).requirement;
          std::ranges::find(first.after, id) == first.after.end())
        first.after.push_back(id);
  }
  if (job.adapter_fault && !results_.adapter_fault)
    results_.adapter_fault = FaultOfAdapter{job.loading, job.loading_output};
  for (const std::string& problem : job.problems)
    if (std::ranges::find(results_.problems, problem) == results_.problems.end())
      results_.problems.push_back(problem);
}

void Ledger::withdraw(std::vector<Trial> untried) {
  for (Trial& trial : untried)
    trial.loading = results_.adapter_fault->what;
  results_.results.clear();
  keep(untried);
}

Results Ledger::complete() && {
  results_.complete = true;
  return std::move(results_);
}

// One repetition of a plan.
class Repetition {
 public:
  Repetition(std::vector<Trial> trials, Ledger& ledger, const Plan& plan,
             const Inventory& inventory, const RunOptions& options, const RunObserver& observer,
             Progress progress)
      : trials_{std::move(trials)},
        ledger_{ledger},
        plan_{plan},
        inventory_{inventory},
        options_{options},
        observer_{observer},
        progress_{progress},
        runner_{options, [this] { checkpoint(); }, inventory.adapters,
                [this](const JobOutcome& job) { ledger_.note(job); }} {}

  std::vector<Trial> run() &&;

 private:
  enum class Workers { shared, one_each };
  void run_first(Workers workers);
  void note_outcome(Trial& trial, const UnitOutcome& outcome);
  void checkpoint();

  std::vector<Trial> trials_;
  Ledger& ledger_;
  const Plan& plan_;
  const Inventory& inventory_;
  const RunOptions& options_;
  const RunObserver& observer_;
  Progress progress_;
  UnitRunner runner_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point checkpointed_{};
};

std::vector<Trial> Repetition::run() && {
  run_first(Workers::shared);
  run_first(Workers::one_each);
  if (!options_.explain || ledger_.found_adapter_fault()) return std::move(trials_);
  confirm(trials_, runner_, options_.repeat_together);
  confirm_values(trials_, runner_);
  describe_failures(trials_, runner_);
  describe_crashes(trials_, runner_, options_.shrink_crashes);
  find_consequences(trials_, plan_, inventory_, runner_, Clock::now() - started_);
  return std::move(trials_);
}

void Repetition::run_first(Workers workers) {
  std::vector<std::uint32_t> indices;
  std::vector<Unit> units;
  for (std::uint32_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].outcome.end != UnitEnd::missing) continue;  // not to be run
    if (trials_[i].own_process != (workers == Workers::one_each)) continue;
    indices.push_back(i);
    units.push_back(trials_[i].unit);
  }
  const auto note = [&](std::uint32_t unit, const UnitOutcome& outcome) {
    note_outcome(trials_[indices[unit]], outcome);
  };
  JobOutcome job = workers == Workers::one_each ? runner_.run_each_alone(std::move(units), note)
                                                : runner_.run_shared(std::move(units), note);
  for (std::size_t unit = 0; unit < indices.size(); ++unit) {
    Trial& trial = trials_[indices[unit]];
    trial.outcome = std::move(job.units[unit]);
    for (std::uint32_t& earlier : trial.outcome.before)
      earlier = indices[earlier];
    if (trial.outcome.end == UnitEnd::missing)
      trial.loading =
          job.loading.empty() ? "the worker process ended before the check began" : job.loading;
  }
}

// Called again for a trial whose worker ended right behind it.
void Repetition::note_outcome(Trial& trial, const UnitOutcome& outcome) {
  if (trial.outcome.end == UnitEnd::missing) ++progress_.done;
  trial.outcome = outcome;
  progress_.requirement = trial.id;
  if (observer_.progress) observer_.progress(progress_);
}

void Repetition::checkpoint() {
  const Clock::time_point now = Clock::now();
  if (!observer_.checkpoint || now - checkpointed_ < checkpoint_interval) return;
  checkpointed_ = now;
  observer_.checkpoint(ledger_.with(trials_));
}

}  // namespace

Results execute(const Plan& plan, const Inventory& inventory, const RunOptions& options,
                const RunObserver& observer) {
  Ledger ledger{plan, inventory, options};
  const unsigned repetitions = std::max(1u, options.repeat);
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<Trial> trials = make_trials(plan, inventory, options, repetition);
    const Progress progress{trials.size() * repetition, trials.size() * repetitions, {}};
    ledger.keep(
        Repetition{std::move(trials), ledger, plan, inventory, options, observer, progress}.run());
    if (!ledger.found_adapter_fault()) continue;
    ledger.withdraw(make_trials(plan, inventory, options, repetition));
    break;
  }
  return std::move(ledger).complete();
}

}  // namespace dlcert
