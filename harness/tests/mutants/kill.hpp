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
  std::string only;  // this mutant alone; empty: all of the area
  std::uint64_t cases = 1000, seed = 1;
};

struct Kill {
  const Mutant* mutant = nullptr;
  bool killed = false;
  std::string found;    // the verdicts of the named requirements, then what went wrong
  std::string message;  // what a check said
  double seconds = 0;
};

// In the manifest's order; prints a line for each. Sets DLCERT_MUTANT in this process.
// Throws std::runtime_error for a module that cannot be run. `manifest` must outlive the result.
std::vector<Kill> kill_all(const Manifest& manifest, const KillOptions& options);

// The results of one mutant, of these requirements, or of all that its profile has when there are
// none. Crashes are not shrunk. As kill_all().
Results run_mutant(const Mutant& mutant, const std::vector<std::string>& requirements,
                   const KillOptions& options);

// As a table in Markdown.
std::string to_table(const std::vector<Kill>& kills);

}  // namespace dlcert
