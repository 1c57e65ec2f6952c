// SPDX-License-Identifier: Apache-2.0
//
// What was asked for on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/plan.hpp"

namespace dlcert {

struct Options {
  // Which requirements.
  std::vector<std::string> ids;
  std::vector<std::string> areas;
  std::vector<std::string> levels;
  std::string role;
  std::string replay;  // a saved counterexample

  // Of whom, and against what.
  std::vector<std::string> adapters;
  std::string spec;
  std::string array_api;
  std::string runtime;
  std::vector<std::string> policies;
  std::string driver = "simulated";

  // How.
  std::uint64_t seed = 1;
  std::uint64_t cases = 1000;
  unsigned repeat = 1;
  unsigned jobs = 0;
  double case_seconds = 5;
  double load_seconds = 30;
  std::uint64_t memory_mebibytes = 2048;
  bool strict = false;
  std::string waivers;
  std::string worker;
  bool fixture = false;

  // What is written.
  std::string results, junit, markdown, write_waivers;
};

// Both throw std::invalid_argument (one line).
Selection selection_of(const Options& options);
Settings settings_of(const Options& options, const Register& known);

}  // namespace dlcert
