// SPDX-License-Identifier: Apache-2.0
//
// How near the reports bring their reader to a fault: of recorded certifications of mutants, how
// often the first headline is a requirement that the manifest names, and how often two mixed
// mutants have a headline each.
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
// record. Returns how many are there. Throws std::runtime_error.
std::size_t record_all(const Manifest& manifest, const KillOptions& options,
                       const std::string& folder);

struct RecordedMutant {
  Mutant mutant;
  Results results;
};

// Those of which the folder has a complete record with a failure.
std::vector<RecordedMutant> read_recorded(const Manifest& manifest, const std::string& folder);

struct Share {
  std::size_t part = 0, whole = 0;

  void add(bool is_part);
  double percent() const;
};

struct CauseFigures {
  static constexpr std::size_t wide_from = 10;  // failed requirements
  Share first, first_of_many, first_of_wide;    // of all mutants, of 2 and more failures, of wide
  Share among_of_many;                          // any of the headlines, of 2 and more failures
  Share both;                                   // of mixtures
  std::size_t headlines = 0;
  std::vector<std::string> wrong;  // a line for each whose first headline misleads
};

// The mixtures are of each mutant with the next, and with the one half of all further on.
CauseFigures measure_causes(const std::vector<RecordedMutant>& recorded);

std::string to_text(const CauseFigures& figures);  // the wrong ones, then a line for each share

}  // namespace dlcert
