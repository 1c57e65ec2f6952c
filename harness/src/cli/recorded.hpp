// SPDX-License-Identifier: Apache-2.0
//
// The results that a test of CTest tells about: those that the certification of the same invocation
// has written, where they are of the same library, program and options; else those of a run.
#pragma once

#include <filesystem>

#include "cli/options.hpp"
#include "report/results.hpp"

namespace dlcert {

struct Recorded {
  Results results;
  std::filesystem::path saved;  // where their counterexamples are; empty: nowhere
};

// Prints the deaths outside of checks of a run that no test of CTest's fixture tells about; whether
// there were any.
bool tell_deaths(const Recorded& recorded);

// Those of `options.results` where they are believed; otherwise stderr says why they are not, and
// what the options select is run. Throws as Certification does.
Recorded recorded_or_run(const Options& options, const Register& known);

}  // namespace dlcert
