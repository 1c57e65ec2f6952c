// SPDX-License-Identifier: Apache-2.0
//
// Counterexamples that outlive their run: each as a results document of one check, which `dlcert
// run --replay` repeats, and as a C program that shows it without dlcert.
#pragma once

#include <filesystem>
#include <string>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// "<requirement>-<producer>-<consumer>", numbered from the second failing check on; without an
// extension.
std::string counterexample_name(const RequirementResult& result, const CheckResult& check);

// Writes every counterexample of `results` as <name>.json and <name>.c into `directory`, which is
// made if there is one. Throws std::runtime_error.
void save_counterexamples(const Results& results, const std::filesystem::path& directory);

// Removes what an earlier run saved there.
void clear_counterexamples(const std::filesystem::path& directory);

// Reads what save_counterexamples wrote: results of one check with a counterexample. Throws
// std::runtime_error, one line.
Results read_counterexample(std::string_view text);

// The command that repeats a result: `dlcert run <ID> --adapter ... --seed ...`.
std::string reproduce_command(const Results& results, const RequirementResult& result,
                              const Register& known);

}  // namespace dlcert
