// SPDX-License-Identifier: Apache-2.0
//
// Runs one of the libraries of a module that holds many: a mutant, a design.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "register/profile.hpp"
#include "report/results.hpp"

namespace dlcert {

struct ModuleRun {
  std::string module;    // a file
  std::string variable;  // the environment variable that chooses the library: "DLCERT_MUTANT"
  std::string library;   // its value
  std::string worker;
  Settings settings;
  std::uint64_t cases = 1000, seed = 1;
  bool explain = true;  // RunOptions::explain
  unsigned jobs = 0;    // RunOptions::jobs
};

// The results of these requirements, or of all that the settings' profile has when there are none.
// Crashes are not shrunk. Sets the variable in this process. Throws std::runtime_error for a module
// that cannot be run.
Results run_module(const ModuleRun& run, const std::vector<std::string>& requirements);

// A function that a module exports. The module stays loaded: what it registered has destructors
// there. Throws std::runtime_error for what cannot be loaded or is not there.
void* function_of(const std::string& module, const char* symbol);

}  // namespace dlcert
