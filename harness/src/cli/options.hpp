// SPDX-License-Identifier: Apache-2.0
//
// The options of all commands, as the command line gave them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "register/profile.hpp"
#include "runner/plan.hpp"

namespace dlcert {

inline constexpr std::uint64_t most_cases = 1'000'000'000;  // of a property

struct Options {
  // The requirements to run: as in Selection; empty: all.
  std::vector<std::string> ids;
  std::vector<std::string> areas;
  std::vector<std::string> features;
  std::vector<std::string> levels;
  std::string role;
  std::string replay;  // path of a saved counterexample

  // The libraries to certify, and the profile to certify them against. Empty: the default.
  std::vector<std::string> adapters;  // paths of modules, or "python:..."
  std::string python;                 // program of the interpreter of the latter
  std::string spec;
  std::string array_api;
  std::string runtime;
  std::string rules;
  std::string policy_set;
  std::vector<std::string> policies;  // "name=value"
  std::string driver = "simulated";

  // The way to run them: as in RunOptions.
  std::uint64_t seed = 1;
  std::uint64_t cases = 1000;
  unsigned repeat = 1;
  unsigned jobs = 0;  // 0: the number of cores
  unsigned programs = 20;
  double case_seconds = 5;
  double load_seconds = 30;
  std::uint64_t memory_mebibytes = 2048;
  bool strict = false;        // a SHOULD counts like a MUST
  std::string waivers;        // path of a waiver file; empty: none
  std::string worker;         // path of the worker executable; empty: the one beside this program
  bool no_preflight = false;  // judges at once
  std::vector<std::string> required;  // features that must be full
  std::string baseline;               // path of earlier results; empty: none
  bool fixture = false;               // runs for CTest's tests, which tell the verdicts
  std::string registered;  // path of a list of the requirements that have such a test; empty: none

  bool matrix = false;                      // the adapters are judged with each other
  std::vector<std::string> required_pairs;  // "producer:consumer", which must be full

  // The files to write; empty: none.
  std::string results, junit, markdown, write_waivers;
  bool brief = false;  // one line for each failure on the terminal

  // Those that verdicts can depend on, as the command line gave them: "--seed" -> "7".
  std::map<std::string, std::string> given;
};

// They throw std::invalid_argument (one line).
Selection selection_of(const Options& options);
Policies policies_of(const Options& options, const Register& known);
Settings settings_of(const Options& options, const Register& known);

}  // namespace dlcert
