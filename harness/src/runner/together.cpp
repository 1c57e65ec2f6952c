// SPDX-License-Identifier: Apache-2.0
#include "runner/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <utility>

#include "records/loaded.hpp"
#include "register/text.hpp"
#include "runner/pool.hpp"

namespace dlcert {
namespace {

using Order = std::vector<std::size_t>;  // indices of adapters

// Adapters that were loaded in an order, into one process.
struct Load {
  bool failed = false;
  std::size_t at = 0;  // the index in the order of the one that ended the process
  std::string how, output;
  LoadedTogether loaded;  // of one that did not fail
};

// Others may have ended the process: a machine that is short of memory, an operator.
bool others_may_have(const UnitOutcome& outcome) {
  constexpr std::array<std::string_view, 4> signals{"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"};
  return outcome.end == UnitEnd::exhausted ||
         std::ranges::any_of(signals, [&](std::string_view signal) {
           return outcome.record.message.starts_with(fmt::format("ended by {}", signal));
         });
}

// "ended by SIGABRT in open(): <what it printed last>".
std::string how_it_failed(const UnitOutcome& outcome, double limit) {
  if (!outcome.problem.empty()) return outcome.problem;
  Counterexample told;
  add_trace(told, outcome.trace);
  const std::string where =
      told.trace.empty() ? std::string{} : fmt::format(" in {}", told.trace.back());
  const std::string& message = outcome.record.message;
  const std::string how = outcome.end == UnitEnd::hung
                              ? fmt::format("not loaded within {:g} s", limit)
                              : message.substr(0, message.find(" in case "));
  const std::string line = one_line(last_line(outcome.output), 200);
  return fmt::format("{}{}{}{}", how, where, line.empty() ? "" : ": ", line);
}

class TogetherFinder {
 public:
  TogetherFinder(const Inventory& inventory, const RunOptions& options)
      : inventory_{inventory}, options_{options} {}

  void split(const Order& group);
  Together found() && { return std::move(together_); }

 private:
  Load load_now(const Order& order) const;
  const Load& load(const Order& order);
  Order culprits(const Order& order);
  Order clashing(const Order& group);
  bool add_clash(std::size_t one, std::size_t other);
  LoadOrder order_of(std::size_t first, std::size_t second);

  const Inventory& inventory_;
  const RunOptions& options_;
  std::map<Order, Load> loads_;
  Together together_;
};

Load TogetherFinder::load_now(const Order& order) const {
  Job job;
  job.mode = Job::Mode::load;
  job.settings = options_.settings;
  for (const std::size_t adapter : order)
    job.adapters.push_back(options_.adapters.at(adapter));
  job.units.resize(1);
  const Limits limits{.load_seconds = options_.load_seconds,
                      .load_attempts = 1,
                      .case_seconds = options_.load_seconds,
                      .patience = 1,
                      .memory_bytes = options_.memory_bytes};
  const JobOutcome outcome = run_job(options_.worker, job, limits, 1, {});
  const UnitOutcome& unit = outcome.units.front();
  Load load;
  load.output = unit.output;
  if (unit.end == UnitEnd::recorded) {
    load.loaded = loaded_from_json(unit.text);
  } else if (unit.in_case && !outcome.adapter_fault && !others_may_have(unit)) {
    load.failed = true;
    load.at = std::min<std::size_t>(unit.case_index, order.size() - 1);
    load.how = how_it_failed(unit, options_.load_seconds);
  }
  return load;
}

const Load& TogetherFinder::load(const Order& order) {
  const auto known = loads_.find(order);
  return known != loads_.end() ? known->second
                               : loads_.emplace(order, load_now(order)).first->second;
}

// Of an order that fails, a smallest part that does, which ends with the one that ended the
// process: those before it are taken away by halves.
Order TogetherFinder::culprits(const Order& order) {
  const std::size_t at = load(order).at;
  const std::size_t last = order[at];
  Order before{order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at)};
  Order needed;  // behind all of `before`
  const auto with = [&](std::size_t count) {
    Order some{before.begin(), before.begin() + static_cast<std::ptrdiff_t>(count)};
    some.insert(some.end(), needed.begin(), needed.end());
    some.push_back(last);
    return some;
  };
  while (!load(with(0)).failed) {
    std::size_t passes = 0, fails = before.size();
    if (fails == 0) return {};  // it does not repeat
    while (fails - passes > 1) {
      const std::size_t middle = (passes + fails) / 2;
      (load(with(middle)).failed ? fails : passes) = middle;
    }
    needed.insert(needed.begin(), before[fails - 1]);
    before.resize(fails - 1);
  }
  return with(0);
}

// Of a group, a smallest part that does not load in its order or in the opposite one; empty: it
// does.
Order TogetherFinder::clashing(const Order& group) {
  if (load(group).failed) return culprits(group);
  const Order opposite{group.rbegin(), group.rend()};
  return load(opposite).failed ? culprits(opposite) : Order{};
}

LoadOrder TogetherFinder::order_of(std::size_t first, std::size_t second) {
  const Load& both = load({first, second});
  return {inventory_.adapters[first].name, inventory_.adapters[second].name, !both.failed, both.how,
          both.failed ? both.output : std::string{}};
}

// Whether it repeats, and each of them loads alone.
bool TogetherFinder::add_clash(std::size_t one, std::size_t other) {
  if (!load_now({one, other}).failed) return false;
  const auto [first, second] = std::minmax(one, other);
  Clash clash;
  clash.first = inventory_.adapters[first].name;
  clash.second = inventory_.adapters[second].name;
  for (const std::size_t adapter : {first, second}) {
    const Load& alone = load({adapter});
    if (alone.failed || alone.loaded.size() != 1) return false;
    clash.files.push_back(alone.loaded.front().file);
    clash.imports.push_back(alone.loaded.front().imports);
  }
  clash.load_seconds = options_.load_seconds;
  clash.orders = {order_of(first, second), order_of(second, first)};
  together_.clashes.push_back(std::move(clash));
  return true;
}

void TogetherFinder::split(const Order& group) {
  const auto holds_it = [&](const Order& other) { return std::ranges::includes(other, group); };
  if (std::ranges::any_of(together_.groups, holds_it)) return;
  const Order apart = clashing(group);
  const bool known =
      apart.size() == 2 && find_clash(together_.clashes, inventory_.adapters[apart[0]].name,
                                      inventory_.adapters[apart[1]].name) != nullptr;
  if (apart.size() < 2 || (apart.size() == 2 && !known && !add_clash(apart[0], apart[1]))) {
    together_.groups.push_back(group);
    return;
  }
  for (const std::size_t out : apart) {
    Order rest = group;
    std::erase(rest, out);
    split(rest);
  }
}

}  // namespace

Together find_together(const Inventory& inventory, const RunOptions& options) {
  TogetherFinder finder{inventory, options};
  Order all(inventory.adapters.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = i;
  finder.split(all);
  return std::move(finder).found();
}

}  // namespace dlcert
