// SPDX-License-Identifier: Apache-2.0
//
// Two planted faults in one library: how often its report names both.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kill.hpp"

namespace dlcert {

struct PairFigures {
  std::size_t pairs = 0;
  std::size_t both = 0;     // each has a fault of the report
  std::size_t hidden = 0;   // one has none, the other has
  std::size_t neither = 0;  // has one

  double percent() const;  // of both
};

// Runs `count` pairs of mutants of the modules, side by side, against every requirement, with
// `options` but for the module. The two of a pair are of one module and replace different steps;
// which pairs, SHA-256 of their IDs decides. Prints a line for each pair. Throws std::runtime_error
// for a file that is no module of mutants.
PairFigures measure_pairs(std::span<const std::string> modules, std::size_t count,
                          const KillOptions& options);

}  // namespace dlcert
