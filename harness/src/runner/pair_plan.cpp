// SPDX-License-Identifier: Apache-2.0
#include "runner/pair_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "register/profile.hpp"

namespace dlcert {
namespace {

// One side of a pair: an adapter of the inventory, or the harness.
struct Side {
  int index = spy_index;
  const AdapterInfo* adapter = nullptr;

  std::string_view name() const { return adapter == nullptr ? own_name : adapter->name; }
};

class PairPlanner {
 public:
  PairPlanner(const Register& known, const Inventory& inventory, const Selection& selection,
              const Settings& settings, const Strictness& strictness)
      : requirements_{select(known, selection)},
        inventory_{inventory},
        settings_{settings},
        strictness_{strictness} {
    require_distinct_names(inventory.adapters);
    plan_.filtered = !selection.is_whole();
  }

  std::vector<Side> sides() const {
    std::vector<Side> all;
    for (std::size_t i = 0; i < inventory_.adapters.size(); ++i)
      all.push_back({static_cast<int>(i), &inventory_.adapters[i]});
    return all;
  }

  void add(const Side& producer, const Side& consumer, const std::string& barred);
  Plan plan() && { return std::move(plan_); }

 private:
  static std::string no_role(const Side& producer, const Side& consumer);
  Standards standards_of_pair(const Side& producer, const Side& consumer) const;
  std::string lacking(const CheckInfo& check, const Side& producer, const Side& consumer) const;

  std::vector<const Requirement*> requirements_;
  const Inventory& inventory_;
  const Settings& settings_;
  const Strictness& strictness_;
  Plan plan_;
};

// The older of both, and no runtime: its rules are about one library.
Standards PairPlanner::standards_of_pair(const Side& producer, const Side& consumer) const {
  const auto of = [&](const Side& side, const Side& other) {
    return standards_of(settings_, (side.adapter == nullptr ? other : side).adapter->declared);
  };
  Standards standards = older(of(producer, consumer), of(consumer, producer));
  standards.runtime = no_standard;
  return standards;
}

std::string PairPlanner::no_role(const Side& producer, const Side& consumer) {
  if (producer.adapter != nullptr && !producer.adapter->producer)
    return fmt::format("{} is not a producer", producer.name());
  if (consumer.adapter != nullptr && !consumer.adapter->consumer)
    return fmt::format("{} is not a consumer", consumer.name());
  return {};
}

// What the consumer must offer is the check's to say; a producer makes, describes and exports.
std::string PairPlanner::lacking(const CheckInfo& check, const Side&, const Side& consumer) const {
  if (consumer.adapter == nullptr) return {};
  const Needs missing = check.needs & ~consumer.adapter->offers;
  return missing == 0 ? std::string{}
                      : fmt::format("{} does not have {}", consumer.name(),
                                    fmt::join(names_of(missing), ", "));
}

void PairPlanner::add(const Side& producer, const Side& consumer, const std::string& barred) {
  for (const Requirement* const requirement : requirements_) {
    PlannedRequirement planned;
    for (std::uint32_t i = 0; i < inventory_.checks.size(); ++i) {
      const CheckInfo& check = inventory_.checks[i];
      if (!check.pair || check.requirement != requirement->id) continue;
      PlannedCheck& added = planned.checks.emplace_back();
      added.check = i;
      added.producer = producer.index;
      added.consumer = consumer.index;
      added.lacking = lacking(check, producer, consumer);
    }
    const Standards standards = standards_of_pair(producer, consumer);
    if (planned.checks.empty() || !left_out(*requirement, standards, strictness_.rules).empty())
      continue;
    planned.id = requirement->id;
    planned.corrupts = !requirement->about.empty();
    set_standing(planned, standing_of(*requirement, standards, settings_, strictness_));
    planned.producer = producer.name();
    planned.consumer = consumer.name();
    planned.reason = no_role(producer, consumer);
    planned.applies = planned.reason.empty();
    if (planned.applies) planned.reason = barred;
    if (!planned.reason.empty()) planned.checks.clear();
    plan_.requirements.push_back(std::move(planned));
  }
}

}  // namespace

Plan plan_controls(const Register& known, const Inventory& inventory, const Selection& selection,
                   const Settings& settings, const Strictness& strictness) {
  PairPlanner planner{known, inventory, selection, settings, strictness};
  for (const Side& side : planner.sides()) {
    planner.add(side, {}, {});
    planner.add({}, side, {});
  }
  return std::move(planner).plan();
}

Plan plan_pairs(const Register& known, const Inventory& inventory, const Selection& selection,
                const Settings& settings, const Strictness& strictness,
                const std::vector<BarredPair>& barred) {
  PairPlanner planner{known, inventory, selection, settings, strictness};
  for (const Side& producer : planner.sides())
    for (const Side& consumer : planner.sides()) {
      const auto found = std::ranges::find_if(barred, [&](const BarredPair& pair) {
        return pair.producer == producer.name() && pair.consumer == consumer.name();
      });
      planner.add(producer, consumer, found == barred.end() ? std::string{} : found->reason);
    }
  return std::move(planner).plan();
}

}  // namespace dlcert
