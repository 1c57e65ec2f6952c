// SPDX-License-Identifier: Apache-2.0
//
// The commands of the program. Each returns the exit code, prints to standard output, and throws
// CommandError or another std::exception with one line for standard error (exit code 2).
#pragma once

#include <string>

#include "cli/options.hpp"

namespace dlcert {

int certify(const Options& options);  // also `run`
// Removes what an earlier run wrote to the outputs of `options`, since there will be no run.
void forget_results(const Options& options);
int verdict(const Options& options);
int verdict_on_features(const Options& options, const Register& known);  // `verdict` without an ID
int list(const Options& options, bool only_tested);
int explain(const Options& options);
int smoke(const Options& options);
int doctor(const Options& options);
// Writes the adapter that `what` names, "cpp" or "python:MODULE", to `output`; empty: to the
// working directory, by the name of the library.
int init(const Options& options, const std::string& what, const std::string& output);

}  // namespace dlcert
