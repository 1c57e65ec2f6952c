// SPDX-License-Identifier: Apache-2.0
#include "runner/confirm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dlcert {
namespace {

constexpr int searches = 16;  // in one run, for what must run before a trial
constexpr std::size_t repeated_for_values = 4;
constexpr std::size_t named_checks = 8;  // at most, behind "after"

// The search for the checks behind which a trial goes wrong again.
class Predecessors {
 public:
  Predecessors(const Trial& trial, const std::vector<Trial>& trials, const UnitRunner& runner)
      : trial_{trial}, trials_{trials}, runner_{runner} {}

  struct Found {
    UnitOutcome outcome;
    std::vector<std::uint32_t> before;
  };
  std::optional<Found> find() const;

 private:
  std::optional<UnitOutcome> goes_wrong_after(std::span<const std::uint32_t> before) const;

  const Trial& trial_;
  const std::vector<Trial>& trials_;
  const UnitRunner& runner_;
};

std::optional<UnitOutcome> Predecessors::goes_wrong_after(
    std::span<const std::uint32_t> before) const {
  std::vector<Unit> units;
  for (const std::uint32_t earlier : before)
    units.push_back(trials_[earlier].unit);
  units.push_back(trial_.unit);
  UnitOutcome outcome = runner_.run_in_order(std::move(units));
  if (!went_wrong(outcome)) return std::nullopt;
  return outcome;
}

std::optional<Predecessors::Found> Predecessors::find() const {
  const std::vector<std::uint32_t>& all = trial_.outcome.before;
  if (all.empty() || !goes_wrong_after(all)) return std::nullopt;

  // The shortest tail that suffices begins with a check that matters; often that one is enough.
  std::size_t suffices = 0;
  for (std::size_t too_short = all.size(); too_short - suffices > 1;) {
    const std::size_t middle = suffices + (too_short - suffices) / 2;
    (goes_wrong_after(std::span{all}.subspan(middle)) ? suffices : too_short) = middle;
  }
  const auto tail = std::span{all}.subspan(suffices);
  for (const auto candidate : {tail.first(1), tail})
    if (std::optional<UnitOutcome> outcome = goes_wrong_after(candidate))
      return Found{std::move(*outcome), {candidate.begin(), candidate.end()}};
  return std::nullopt;
}

std::string ids_of(const std::vector<std::uint32_t>& indices, const std::vector<Trial>& trials) {
  std::vector<std::string_view> names;
  for (const std::uint32_t index : indices)
    if (std::ranges::find(names, trials[index].id) == names.end())
      names.push_back(trials[index].id);
  const std::size_t shown = std::min(names.size(), named_checks);
  std::string text = fmt::format("{}", fmt::join(std::span{names}.first(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void replace_outcome(Trial& trial, UnitOutcome repeated) {
  repeated.before = std::move(trial.outcome.before);
  trial.outcome = std::move(repeated);
}

// Runs each trial alone. Those that go wrong again get the outcome of that; returns the others.
std::vector<Trial*> repeat_alone(const std::vector<Trial*>& trials, const UnitRunner& runner,
                                 bool together) {
  std::vector<Unit> units;
  units.reserve(trials.size());
  for (const Trial* trial : trials)
    units.push_back(trial->unit);
  std::vector<UnitOutcome> alone =
      (together ? runner.run_together(std::move(units)) : runner.run_each_alone(std::move(units)))
          .units;

  std::vector<Trial*> unrepeated;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    // Nothing was learnt: the first outcome stands.
    if (alone[i].end == UnitEnd::missing || alone[i].end == UnitEnd::damaged) continue;
    if (went_wrong(alone[i]))
      replace_outcome(*trials[i], std::move(alone[i]));
    else
      unrepeated.push_back(trials[i]);
  }
  return unrepeated;
}

}  // namespace

void confirm(std::vector<Trial>& trials, const UnitRunner& runner, bool together) {
  std::vector<Trial*> wrong;
  for (Trial& trial : trials)
    if (went_wrong(trial.outcome) && trial.outcome.limit.empty() && !trial.is_replay())
      wrong.push_back(&trial);

  int searched = 0;
  for (Trial* const trial : repeat_alone(wrong, runner, together)) {
    std::optional<Predecessors::Found> found;
    if (!together && searched++ < searches) found = Predecessors{*trial, trials, runner}.find();
    if (found) {
      trial->after = ids_of(found->before, trials);
      replace_outcome(*trial, std::move(found->outcome));
    } else {
      trial->repeated = false;
    }
  }
}

void confirm_values(std::vector<Trial>& trials, const UnitRunner& runner) {
  std::vector<Trial*> met;
  std::vector<Unit> units;
  for (Trial& trial : trials) {
    const bool has_wrong = !trial.outcome.record.wrong_values.empty();
    if (!has_wrong || went_wrong(trial.outcome) || trial.is_replay()) continue;
    met.push_back(&trial);
    units.push_back(trial.unit);
    if (met.size() == repeated_for_values) break;
  }
  if (met.empty()) return;
  const std::vector<UnitOutcome> alone = runner.run_each_alone(std::move(units)).units;
  for (std::size_t i = 0; i < met.size(); ++i)
    met[i]->values_repeated = !alone[i].record.wrong_values.empty();
}

}  // namespace dlcert
