// SPDX-License-Identifier: Apache-2.0
//
// Runs mutants: each must be found by the requirements that it names, and must pass what its fault
// does not touch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifest.hpp"
#include "report/results.hpp"

namespace dlcert {

struct KillOptions {
  std::string area;
  std::string module;  // the file with the area's mutants
  std::string worker;
  std::vector<std::string> only;  // these mutants alone; empty: all of the area
  std::uint64_t cases = 1000, seed = 1;
  bool thorough = false;  // judge as a certification does, where less would do to see a fault
  bool explain = true;    // RunOptions::explain
};

struct Kill {
  const Mutant* mutant = nullptr;
  bool killed = false;
  std::string found;    // the verdicts of the named requirements, then what went wrong
  std::string message;  // what a check said
  double seconds = 0;
};

// The mutants of the area, or of them those that are named, in the manifest's order. Throws
// std::runtime_error for one that the area does not have. `manifest` must outlive the result.
std::vector<const Mutant*> chosen_of(const Manifest& manifest, const KillOptions& options);

// Judges mutants side by side, and prints a line for each. Killed: each requirement that it names
// finds it, and each that its area lists passes. A few cases decide where they show that; else all
// do, and each failure is repeated. The result is in the manifest's order. Throws
// std::runtime_error for a module that cannot be run. `manifest` must outlive the result.
std::vector<Kill> kill_all(const Manifest& manifest, const KillOptions& options);

// The results of one mutant, of these requirements, or of all that its profile has when there are
// none, by one worker at a time. Crashes are not shrunk. Sets DLCERT_MUTANT in this process. Throws
// as kill_all().
Results run_mutant(const Mutant& mutant, const std::vector<std::string>& requirements,
                   const KillOptions& options);

// As a table in Markdown.
std::string to_table(const std::vector<Kill>& kills);

}  // namespace dlcert
