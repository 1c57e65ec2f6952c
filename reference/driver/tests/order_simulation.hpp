// SPDX-License-Identifier: Apache-2.0
//
// Runs the programs of order_program.hpp in the simulated driver.

#pragma once

#include <cstdint>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "order_interpreter.hpp"
#include "order_program.hpp"

namespace dlcert::driver::order {

struct Outcome {
  std::vector<bool> raced;  ///< after each call: whether a race was reported so far
  std::vector<Race> races;
  Values values = {};
};

/// One world after the other. Programs of one setting share a world for a while, each with streams,
/// events and memory of its own.
class Simulation {
 public:
  explicit Simulation(const Setting& setting) : setting_{setting} {}

  /// Stores what queries answered in the program. Throws std::runtime_error when a call fails.
  Outcome run(std::vector<Call>& program, Schedule schedule, std::uint64_t seed = 1);

 private:
  Setting setting_;
  int until_restart_ = 0;
};

}  // namespace dlcert::driver::order
