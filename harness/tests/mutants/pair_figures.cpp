// SPDX-License-Identifier: Apache-2.0
#include "pair_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "modules.hpp"
#include "report/faults.hpp"
#include "report/identity.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

struct Pair {
  std::string module;
  mutants::Mutant one, other;

  std::string id() const { return one.id + "+" + other.id; }
};

// Both can be run under the same settings.
bool can_be_combined(const mutants::Mutant& one, const mutants::Mutant& other) {
  const auto plain = [](const mutants::Mutant& mutant) {
    return mutant.facts.spec.empty() && mutant.facts.policies.empty() && !mutant.step.empty();
  };
  return plain(one) && plain(other) && one.step != other.step;
}

std::vector<Pair> pairs_of(std::span<const std::string> modules) {
  std::vector<Pair> pairs;
  for (const std::string& module : modules) {
    const mutants::Catalogue catalogue = catalogue_of(module);
    for (const mutants::Mutant& one : catalogue.mutants)
      for (const mutants::Mutant& other : catalogue.mutants)
        if (one.id < other.id && can_be_combined(one, other)) pairs.push_back({module, one, other});
  }
  std::ranges::sort(pairs, {}, [](const Pair& pair) { return sha256(pair.id()); });
  return pairs;
}

bool is_named(const mutants::Mutant& mutant, const std::vector<Fault>& faults) {
  return std::ranges::any_of(faults, [&](const Fault& fault) {
    return std::ranges::count(mutant.facts.must_fail, fault.broken->requirement) != 0;
  });
}

// How many of the two the report names; which it does not.
std::string verdict_on(const Pair& pair, const KillOptions& options) {
  KillOptions of_module = options;
  of_module.module = pair.module;
  Mutant both;
  both.id = pair.id();
  Results results = run_mutant(both, {}, of_module);
  apply_consequences(results, Register::embedded());
  const std::vector<Fault> faults = faults_of(results);
  const bool one = is_named(pair.one, faults);
  const bool other = is_named(pair.other, faults);
  if (one && other) return "both";
  if (one || other) return "hidden: " + (one ? pair.other.id : pair.one.id);
  return "neither";
}

}  // namespace

double PairFigures::percent() const {
  return pairs == 0 ? 0 : 100 * static_cast<double>(both) / static_cast<double>(pairs);
}

PairFigures measure_pairs(std::span<const std::string> modules, std::size_t count,
                          const KillOptions& options) {
  std::vector<Pair> pairs = pairs_of(modules);
  pairs.resize(std::min(pairs.size(), count));
  PairFigures figures{.pairs = pairs.size()};
  side_by_side(
      pairs.size(), [&](std::size_t index) { return verdict_on(pairs[index], options); },
      [&](std::size_t index, const std::string& verdict) {
        ++(verdict == "both"      ? figures.both
           : verdict == "neither" ? figures.neither
                                  : figures.hidden);
        fmt::print("{}: {}\n", pairs[index].id(), verdict);
        std::fflush(stdout);
      });
  return figures;
}

}  // namespace dlcert
