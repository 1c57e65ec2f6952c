// SPDX-License-Identifier: Apache-2.0
//
// How near the reports bring their reader to a fault: of recorded certifications of mutants, how
// often the first fault that the report names is a requirement of the manifest.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kill.hpp"
#include "manifest.hpp"
#include "report/results.hpp"

namespace dlcert {

// Runs each mutant of the area, side by side, against every requirement and writes
// <folder>/<mutant>.json: those of `options.only`, or all of which the folder has no complete
// record; with `others` of these those alone that nobody looked at. Returns how many are there.
// Throws std::runtime_error.
std::size_t record_all(const Manifest& manifest, const KillOptions& options,
                       const std::string& folder, bool others);

struct RecordedMutant {
  Mutant mutant;
  Results results;
};

// Those of which the folder has a complete record with a failure.
std::vector<RecordedMutant> read_recorded(const Manifest& manifest, const std::string& folder);

// The owners of facts and properties were written while mutants were looked at, but for those whose
// ID has a SHA-256 that ends in 5, 7, d or f: a quarter, which shows what holds for faults that
// hardly anybody looked at.
bool was_looked_at(const Mutant& mutant);

struct Share {
  std::size_t part = 0, whole = 0;

  void add(bool is_part);
  double percent() const;
};

struct FaultFigures {
  static constexpr std::size_t wide_from = 6;  // failed requirements
  Share looked_at, others;                     // the first fault is of the mutant
  Share wide;                                  // of the others, those that fail many requirements
  std::size_t faults = 0, failures = 0;        // of all
  std::vector<std::string> wrong;              // a line for each whose first fault misleads
};

FaultFigures measure_faults(const std::vector<RecordedMutant>& recorded);

std::string to_text(const FaultFigures& figures);  // the wrong ones, then a line for each share

}  // namespace dlcert
