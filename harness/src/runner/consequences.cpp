// SPDX-License-Identifier: Apache-2.0
#include "runner/consequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "records/decide.hpp"

namespace dlcert {
namespace {

constexpr int rounds = 3;
// Cases that exercised the requirement without the property, in each of two runs; of a shorter
// table, all that can.
constexpr std::uint64_t enough_cases = 10;
// Drawn in each run, or the cases of the certification if these are more.
constexpr std::uint64_t least_cases = 100;

// The requirements that failed, or that a library declined: of one library, in whatever role, or
// between two libraries.
class Owners {
 public:
  Owners(const std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory);

  // The failed requirement that owns a property of the trial's input; empty: none does.
  std::string_view failed(const Trial& trial, InputProperty property) const {
    return owner_among(failed_, trial, property);
  }
  // The same of one that does not apply, because the library declined what it is about.
  std::string_view declined(const Trial& trial, InputProperty property) const {
    return owner_among(declined_, trial, property);
  }
  // The first failed requirement that is about the fact of the failed assertion; empty: none other
  // is. Refusals are looked for in the properties of the input first.
  std::string_view of_fact(const Trial& trial, bool with_refusals) const {
    for (const std::string& owner : trial.outcome.record.owners) {
      if (owner == trial.id) return {};
      if (owner == owner_of_refusals && !with_refusals) continue;
      if (const std::string_view found = among(failed_by_own_fact_, trial, owner); !found.empty())
        return found;
    }
    return {};
  }
  bool is_must(std::string_view requirement) const {
    return musts_.contains(std::string{requirement});
  }

  bool is_table(const Trial& trial) const { return check_of(trial).rows != 0; }

  // The library, or the two libraries, on which a trial depends.
  using Key = std::pair<std::string, std::string>;
  Key key_of(const Trial& trial) const;

 private:
  // Its assertion states its own fact, or that of requirements which did not fail.
  bool is_of_own_fact(const Trial& trial) const {
    const std::vector<std::string>& owners = trial.outcome.record.owners;
    return std::ranges::find(owners, trial.id) != owners.end() ||
           std::ranges::none_of(owners, [&](const std::string& owner) {
             return !among(failed_, trial, owner).empty();
           });
  }

  using Requirements = std::map<Key, std::set<std::string, std::less<>>>;
  std::string_view among(const Requirements& requirements, const Trial& trial,
                         std::string_view owner) const;
  // In the role of the trial, else in the other one: a check of producers offers tensors, too.
  std::string_view owner_among(const Requirements& requirements, const Trial& trial,
                               InputProperty property) const {
    const Role role = check_of(trial).role;
    const Role other = role == Role::producer ? Role::consumer : Role::producer;
    for (const Role one : {role, other}) {
      const std::span<const std::string_view> owners = owners_of(property, one);
      // What is about the property itself cannot be judged without it.
      if (std::ranges::find(owners, trial.id) != owners.end()) return {};
      for (const std::string_view owner : owners)
        if (const std::string_view found = among(requirements, trial, owner); !found.empty())
          return found;
    }
    return {};
  }
  const CheckInfo& check_of(const Trial& trial) const {
    return inventory_.checks.at(trial.unit.check);
  }

  const Plan& plan_;
  const Inventory& inventory_;
  Requirements failed_;
  Requirements failed_by_own_fact_;  // of these: by an assertion that states their own fact
  Requirements declined_;
  std::set<std::string, std::less<>> musts_;
};

bool is_failure(const Trial& trial) {
  return went_wrong(trial.outcome) && trial.repeated && trial.outcome.limit.empty() &&
         !trial.is_replay();
}

bool is_declined(const Trial& trial, const CheckInfo& check) {
  const UnitRecord& record = trial.outcome.record;
  return trial.outcome.end == UnitEnd::recorded && record.declined != 0 &&
         decide_record(record, check.one_in).verdict == Verdict::not_applicable;
}

Owners::Owners(const std::vector<Trial>& trials, const Plan& plan, const Inventory& inventory)
    : plan_{plan}, inventory_{inventory} {
  for (const Trial& trial : trials) {
    const std::string id{trial.id};
    if (is_failure(trial)) {
      failed_[key_of(trial)].insert(id);
    } else if (is_declined(trial, check_of(trial))) {
      declined_[key_of(trial)].insert(id);
    }
  }
  for (const Trial& trial : trials)
    if (is_failure(trial) && is_of_own_fact(trial))
      failed_by_own_fact_[key_of(trial)].insert(std::string{trial.id});
  for (const PlannedRequirement& planned : plan.requirements)
    if (planned.level == Level::must) musts_.insert(planned.id);
}

Owners::Key Owners::key_of(const Trial& trial) const {
  const PlannedRequirement& planned = plan_.requirements[trial.requirement];
  if (planned.producer != own_name && planned.consumer != own_name)
    return {planned.producer, planned.consumer};
  return {planned.producer == own_name ? planned.consumer : planned.producer, ""};
}

std::string_view Owners::among(const Requirements& requirements, const Trial& trial,
                               std::string_view owner) const {
  const auto of_parties = requirements.find(key_of(trial));
  if (owner.empty() || owner == trial.id || of_parties == requirements.end()) return {};
  const auto found = of_parties->second.find(owner);
  return found == of_parties->second.end() ? std::string_view{} : std::string_view{*found};
}

// One failure and what is tried to explain it.
struct Suspect {
  Trial* trial = nullptr;
  InputProperties tried = 0;
  InputProperties of_next_round = 0;  // of the latest counterexamples
  // A failure without properties that failed requirements own, which shows more than the first.
  std::optional<UnitRecord> without;
  // A pass without properties that the library declined.
  std::optional<UnitOutcome> judged_without;
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
      : owners_{trials, plan, inventory}, plan_{plan}, runner_{runner} {
    for (Trial& trial : trials)
      if (is_failure(trial)) suspects_.push_back({&trial, 0, trial.outcome.record.inputs, {}, {}});
  }

  // Begins no further round once the experiments have taken as long as `at_most`.
  void run(std::chrono::steady_clock::duration at_most) {
    const auto start = std::chrono::steady_clock::now();
    const auto in_time = [&] { return std::chrono::steady_clock::now() - start < at_most; };
    for (const Suspect& suspect : suspects_)
      find_owner_of_fact(suspect, false);
    for (int round = 0; round < rounds && in_time(); ++round) {
      std::vector<Experiment> experiments;
      for (std::size_t i = 0; i < suspects_.size(); ++i)
        for (const InputProperty property : untried(suspects_[i]))
          experiments.push_back({i, InputProperties{} | property});
      if (experiments.empty()) break;
      perform(experiments);
    }
    if (in_time()) {
      std::vector<Experiment> all_together;
      for (std::size_t i = 0; i < suspects_.size(); ++i)
        if (members_of(suspects_[i].tried).size() > 1 && !suspects_[i].trial->consequence)
          all_together.push_back({i, suspects_[i].tried});
      perform(all_together);
    }
    for (Suspect& suspect : suspects_)
      conclude(suspect);
    join_equal_crashes();
  }

 private:
  std::vector<InputProperty> untried(const Suspect& suspect) const {
    std::vector<InputProperty> chosen;
    if (suspect.trial->consequence) return chosen;
    for (const InputProperty property : members_of(suspect.of_next_round & ~suspect.tried))
      if (!owners_.failed(*suspect.trial, property).empty() ||
          (may_decline(*suspect.trial) && !owners_.declined(*suspect.trial, property).empty()))
        chosen.push_back(property);
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
        propose(passed[i], second[i], cases[i] + second[i].record.met);
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
        Unit& unit = units.emplace_back(trial.unit);
        unit.without = experiments[i].without;
        if (!owners_.is_table(trial)) unit.cases = std::max(unit.cases, least_cases);
        if (with_another_seed) unit.seed = mix_seed(trial.unit.seed, "another");
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
      refute(*suspect.trial, owners_.failed(*suspect.trial, property));
    if (outcome.end == UnitEnd::recorded && outcome.record.counterexample)
      suspect.without = outcome.record;
  }

  // Of several owners, the one with the higher level counts, then the first by its ID.
  void propose(const Experiment& experiment, const UnitOutcome& outcome, std::uint64_t cases) {
    Suspect& suspect = suspects_[experiment.suspect];
    Trial& trial = *suspect.trial;
    const std::vector<InputProperty> properties = members_of(experiment.without);
    std::string_view owner;
    for (const InputProperty property : properties) {
      const std::string_view one = owners_.failed(trial, property);
      if (one.empty()) continue;
      if (owner.empty() || comes_first(one, owner)) owner = one;
    }
    if (owner.empty()) {
      if (!suspect.judged_without) suspect.judged_without = judged_without(outcome, properties);
      return;
    }
    if (trial.consequence && !comes_first(owner, trial.consequence->of)) return;
    trial.consequence = {.of = std::string{owner}, .without = {}, .cases = cases};
    for (const InputProperty property : properties)
      trial.consequence->without.emplace_back(name_of(property));
  }

  static UnitOutcome judged_without(UnitOutcome outcome,
                                    const std::vector<InputProperty>& properties) {
    std::vector<std::string_view> texts;
    for (const InputProperty property : properties)
      texts.push_back(to_text(property));
    outcome.record.message =
        fmt::format("judged without {}, which the library declines", fmt::join(texts, " and "));
    return outcome;
  }

  // A refusal that the standard allows excuses no corrupted data.
  bool may_decline(const Trial& trial) const {
    return trial.outcome.end == UnitEnd::recorded &&
           !plan_.requirements[trial.requirement].corrupts;
  }

  // The assertion that failed states a fact of another failed requirement.
  void find_owner_of_fact(const Suspect& suspect, bool with_refusals) const {
    Trial& trial = *suspect.trial;
    if (const std::string_view owner = owners_.of_fact(trial, with_refusals); !owner.empty())
      trial.consequence = {.of = std::string{owner}, .without = {}, .cases = 0};
  }

  // What is left without an owner shows the failure that no other requirement explains.
  void conclude(Suspect& suspect) const {
    Trial& trial = *suspect.trial;
    if (trial.consequence) return;
    if (suspect.judged_without) {
      suspect.judged_without->before = std::move(trial.outcome.before);
      trial.outcome = *std::move(suspect.judged_without);
      return;
    }
    if (suspect.without && trial.outcome.end == UnitEnd::recorded) {
      UnitRecord& record = trial.outcome.record;
      record.message = std::move(suspect.without->message);
      record.expected = std::move(suspect.without->expected);
      record.found = std::move(suspect.without->found);
      record.owners = std::move(suspect.without->owners);
      record.inputs = suspect.without->inputs;
      record.counterexample = std::move(suspect.without->counterexample);
    }
    find_owner_of_fact(suspect, true);
  }

  // Crashes at one place are one fault.
  void join_equal_crashes() {
    std::map<std::pair<Owners::Key, std::string>, std::vector<Trial*>> places;
    for (const Suspect& suspect : suspects_) {
      const UnitOutcome& outcome = suspect.trial->outcome;
      if (outcome.end == UnitEnd::crashed && !outcome.record.signature.empty())
        places[{owners_.key_of(*suspect.trial), outcome.record.signature}].push_back(suspect.trial);
    }
    for (const auto& [place, trials] : places) {
      const std::string owner{owner_of_crash(trials)};
      for (Trial* const trial : trials)
        if (trial->id != owner && !trial->consequence)
          trial->consequence = {.of = owner, .without = {}, .cases = 0};
    }
  }

  // The one from which most of the others follow, else one that owns a property of all
  // counterexamples, else of those with the highest level that with the smallest counterexample.
  std::string_view owner_of_crash(const std::vector<Trial*>& trials) const {
    std::map<std::string_view, std::size_t> following;
    for (const Trial* const trial : trials)
      if (trial->consequence) ++following[trial->consequence->of];
    std::erase_if(following, [&](const auto& one) {
      return std::ranges::find(trials, one.first, &Trial::id) == trials.end();
    });
    if (!following.empty())
      return std::ranges::max_element(following, {}, [](const auto& one) { return one.second; })
          ->first;
    InputProperties shared = ~InputProperties{0};
    for (const Trial* const trial : trials)
      shared &= trial->outcome.record.inputs;
    for (const InputProperty property : members_of(shared))
      for (const Role role : {Role::consumer, Role::producer})
        for (const std::string_view owner : owners_of(property, role))
          if (const auto found = std::ranges::find(trials, owner, &Trial::id);
              found != trials.end())
            return (*found)->id;
    return (*std::ranges::min_element(trials, {},
                                      [this](const Trial* trial) {
                                        const auto& example = trial->outcome.record.counterexample;
                                        return std::tuple{!owners_.is_must(trial->id), !example,
                                                          example ? example->choices.size() : 0,
                                                          example ? example->case_index : 0,
                                                          trial->id};
                                      }))
        ->id;
  }

  bool comes_first(std::string_view one, std::string_view other) const {
    return std::pair{!owners_.is_must(one), one} < std::pair{!owners_.is_must(other), other};
  }

  static void refute(Trial& trial, std::string_view owner) {
    if (owner.empty() || std::ranges::find(trial.refuted, owner) != trial.refuted.end()) return;
    trial.refuted.emplace_back(owner);
  }

  const Owners owners_;
  const Plan& plan_;
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
