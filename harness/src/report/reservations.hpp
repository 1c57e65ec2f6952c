// SPDX-License-Identifier: Apache-2.0
//
// How a certificate is headed, and what it holds in spite of.
#pragma once

#include <cstddef>
#include <string>

#include "report/results.hpp"

namespace dlcert {

struct Reservations {
  std::size_t musts = 0;         // that bind the libraries
  std::size_t waived_musts = 0;  // of these: not kept
  std::size_t waived_others = 0;
  std::size_t not_judged = 0;  // for a limit of dlcert
  std::size_t warnings = 0;    // SHOULDs and MAYs that are not kept, or could not be judged
};

Reservations reservations_of(const Results& results);

// "12 of 240 MUSTs waived"; empty where none is.
std::string waived_text(const Reservations& reservations);

// "certified", "certified with reservations", "not certified", or what a selection can say. The
// exit code is that of the verdict on `results`.
std::string title_of(const Results& results, int exit_code);

}  // namespace dlcert
