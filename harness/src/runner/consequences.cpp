// SPDX-License-Identifier: Apache-2.0
#include "runner/consequences.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace dlcert {
namespace {

constexpr int rounds = 3;
// Cases that exercised the requirement without the property, in each of two runs; of a shorter
// table, all that can.
constexpr std::uint64_t enough_cases = 10;

// The failed requirements by the library and the role in which it was tested.
class Broken {
 public:
  Broken(const std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory);

  // The failed requirement that owns a property of the trial's input; empty: none does.
  std::string_view owner(const Trial& trial, InputProperty property) const;
  // The failed requirement that owns the fact of the failed assertion; empty: none other does.
  std::string_view owner_of_fact(const Trial& trial) const;
  bool is_must(std::string_view requirement) const {
    return musts_.contains(std::string{requirement});
  }

 private:
  using Key = std::pair<std::string, Role>;
  Key key_of(const Trial& trial) const;
  const CheckInfo& check_of(const Trial& trial) const {
    return inventory_.checks.at(trial.unit.check);
  }

  const Plan& plan_;
  const Inventory& inventory_;
  std::map<Key, std::set<std::string, std::less<>>> requirements_;
  // Of these: those with a failed assertion of their own fact.
  std::map<Key, std::set<std::string, std::less<>>> of_their_own_;
  std::set<std::string, std::less<>> musts_;
};

bool is_failure(const Trial& trial) {
  return went_wrong(trial.outcome) && trial.repeated && trial.outcome.limit.empty() &&
         !trial.is_replay();
}

Broken::Broken(const std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory)
    : plan_{plan}, inventory_{inventory} {
  for (const Trial& trial : trials)
    if (is_failure(trial)) {
      requirements_[key_of(trial)].insert(std::string{trial.id});
      const std::string& owner = trial.outcome.record.owner;
      if (owner.empty() || owner == trial.id)
        of_their_own_[key_of(trial)].insert(std::string{trial.id});
    }
  for (const PlannedRequirement& planned : plan.requirements)
    if (planned.level == Level::must) musts_.insert(planned.id);
}

Broken::Key Broken::key_of(const Trial& trial) const {
  const PlannedRequirement& planned = plan_.requirements[trial.requirement];
  const Role role = check_of(trial).role;
  return {role == Role::consumer ? planned.consumer : planned.producer, role};
}

std::string_view Broken::owner(const Trial& trial, InputProperty property) const {
  const std::string_view owner = owner_of(property, check_of(trial).role);
  const auto broken = requirements_.find(key_of(trial));
  if (owner.empty() || owner == trial.id || broken == requirements_.end()) return {};
  return broken->second.contains(owner) ? owner : std::string_view{};
}

std::string_view Broken::owner_of_fact(const Trial& trial) const {
  const std::string_view owner = trial.outcome.record.owner;
  const auto broken = of_their_own_.find(key_of(trial));
  if (owner.empty() || owner == trial.id || broken == of_their_own_.end()) return {};
  const auto found = broken->second.find(owner);
  return found == broken->second.end() ? std::string_view{} : std::string_view{*found};
}

// One failure and what is tried to explain it.
struct Suspect {
  Trial* trial = nullptr;
  InputProperties tried = 0;
  InputProperties of_next_round = 0;  // of the latest counterexamples
};

struct Experiment {
  std::size_t suspect = 0;
  InputProperties without = 0;
};

bool passes_often_enough(const UnitOutcome& outcome) {
  const UnitRecord& record = outcome.record;
  if (outcome.end != UnitEnd::recorded || record.failed || !record.inapplicable.empty())
    return false;
  return record.met >= enough_cases ||
         (record.met > 0 && record.met + record.discarded >= record.requested);
}

class Experiments {
 public:
  Experiments(std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory,
              const UnitRunner& runner)
      : broken_{trials, plan, inventory}, runner_{runner} {
    for (Trial& trial : trials)
      if (is_failure(trial)) suspects_.push_back({&trial, 0, trial.outcome.record.inputs});
  }

  // Begins no further round once the experiments have taken as long as `at_most`.
  void run(std::chrono::steady_clock::duration at_most) {
    const auto start = std::chrono::steady_clock::now();
    const auto in_time = [&] { return std::chrono::steady_clock::now() - start < at_most; };
    for (const Suspect& suspect : suspects_)
      if (const std::string_view owner = broken_.owner_of_fact(*suspect.trial); !owner.empty())
        suspect.trial->consequence = {.of = std::string{owner}, .without = {}, .cases = 0};
    for (int round = 0; round < rounds && in_time(); ++round) {
      std::vector<Experiment> experiments;
      for (std::size_t i = 0; i < suspects_.size(); ++i)
        for (const InputProperty property : untried(suspects_[i]))
          experiments.push_back({i, InputProperties{} | property});
      if (experiments.empty()) break;
      perform(experiments);
    }
    if (!in_time()) return;
    std::vector<Experiment> all_together;
    for (std::size_t i = 0; i < suspects_.size(); ++i)
      if (members_of(suspects_[i].tried).size() > 1 && !suspects_[i].trial->consequence)
        all_together.push_back({i, suspects_[i].tried});
    perform(all_together);
  }

 private:
  std::vector<InputProperty> untried(const Suspect& suspect) const {
    std::vector<InputProperty> chosen;
    if (suspect.trial->consequence) return chosen;
    for (const InputProperty property : members_of(suspect.of_next_round & ~suspect.tried))
      if (!broken_.owner(*suspect.trial, property).empty()) chosen.push_back(property);
    return chosen;
  }

  void perform(const std::vector<Experiment>& experiments) {
    std::vector<Experiment> passed;
    std::vector<std::uint64_t> cases;
    const std::vector<UnitOutcome> first = run_each(experiments, false);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      suspects_[experiments[i].suspect].tried |= experiments[i].without;
      if (passes_often_enough(first[i])) {
        passed.push_back(experiments[i]);
        cases.push_back(first[i].record.met);
      } else if (went_wrong(first[i])) {
        learn(experiments[i], first[i]);
      }
    }
    const std::vector<UnitOutcome> second = run_each(passed, true);
    for (std::size_t i = 0; i < passed.size(); ++i)
      if (passes_often_enough(second[i]))
        propose(passed[i], cases[i] + second[i].record.met);
      else if (went_wrong(second[i]))
        learn(passed[i], second[i]);
  }

  // What a rare fault would pass by chance runs once more, with other cases.
  std::vector<UnitOutcome> run_each(const std::vector<Experiment>& experiments,
                                    bool with_another_seed) const {
    std::vector<UnitOutcome> outcomes(experiments.size());
    for (const bool alone : {false, true}) {
      std::vector<std::size_t> chosen;
      std::vector<Unit> units;
      for (std::size_t i = 0; i < experiments.size(); ++i) {
        const Trial& trial = *suspects_[experiments[i].suspect].trial;
        if ((trial.own_process || trial.outcome.end != UnitEnd::recorded) != alone) continue;
        chosen.push_back(i);
        units.push_back(trial.unit);
        units.back().without = experiments[i].without;
        if (with_another_seed) units.back().seed = mix_seed(trial.unit.seed, "another");
      }
      if (units.empty()) continue;
      std::vector<UnitOutcome> found = (alone ? runner_.run_each_alone(std::move(units))
                                              : runner_.run_shared(std::move(units), {}))
                                           .units;
      for (std::size_t i = 0; i < chosen.size(); ++i)
        outcomes[chosen[i]] = std::move(found[i]);
    }
    return outcomes;
  }

  // It fails without the properties as well: what other properties has its input?
  void learn(const Experiment& experiment, const UnitOutcome& outcome) {
    Suspect& suspect = suspects_[experiment.suspect];
    suspect.of_next_round |= outcome.record.inputs;
    for (const InputProperty property : members_of(experiment.without))
      refute(*suspect.trial, broken_.owner(*suspect.trial, property));
  }

  // Of several owners, the one with the higher level counts, then the first by its ID.
  void propose(const Experiment& experiment, std::uint64_t cases) {
    Trial& trial = *suspects_[experiment.suspect].trial;
    const std::vector<InputProperty> properties = members_of(experiment.without);
    std::string_view owner;
    for (const InputProperty property : properties) {
      const std::string_view one = broken_.owner(trial, property);
      if (one.empty()) continue;
      if (owner.empty() || comes_first(one, owner)) owner = one;
    }
    if (owner.empty()) return;
    if (trial.consequence && !comes_first(owner, trial.consequence->of)) return;
    trial.consequence = {.of = std::string{owner}, .without = {}, .cases = cases};
    for (const InputProperty property : properties)
      trial.consequence->without.emplace_back(name_of(property));
  }

  bool comes_first(std::string_view one, std::string_view other) const {
    return std::pair{!broken_.is_must(one), one} < std::pair{!broken_.is_must(other), other};
  }

  static void refute(Trial& trial, std::string_view owner) {
    if (owner.empty() || std::ranges::find(trial.refuted, owner) != trial.refuted.end()) return;
    trial.refuted.emplace_back(owner);
  }

  Broken broken_;
  const UnitRunner& runner_;
  std::vector<Suspect> suspects_;
};

}  // namespace

void find_consequences(std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory,
                       const UnitRunner& runner, std::chrono::steady_clock::duration at_most) {
  if (std::ranges::any_of(trials, is_failure))
    Experiments{trials, plan, inventory, runner}.run(at_most);
}

}  // namespace dlcert
