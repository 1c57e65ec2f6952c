// SPDX-License-Identifier: Apache-2.0
//
// Runs the programs of order_program.hpp in the simulated driver.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "../programs/threads_in_turn.hpp"
#include "order_interpreter.hpp"
#include "order_program.hpp"

namespace dlcert::driver::order {

struct Outcome {
  std::vector<bool> raced;  ///< after each call: whether a race was reported so far
  std::vector<Race> races;
  Values values = {};
  std::uint64_t refused = 0;  ///< the calls that were errors, by their indices
};

/// One world after the other. Programs of one setting share a world for a while, each with streams,
/// events and memory of its own.
class Simulation {
 public:
  explicit Simulation(const Setting& setting) : setting_{setting} {}

  /// Whether the driver can be told that nothing orders the threads of a program.
  [[nodiscard]] static bool knows_threads_apart() noexcept;

  /// Stores what queries answered in the program. Throws std::runtime_error when a call fails that
  /// is an error in no program.
  Outcome run(std::vector<Call>& program, Schedule schedule, std::uint64_t seed = 1);

 private:
  Setting setting_;
  int until_restart_ = 0;
  std::optional<ThreadsInTurn> threads_;
};

}  // namespace dlcert::driver::order
