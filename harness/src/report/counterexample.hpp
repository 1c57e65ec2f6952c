// SPDX-License-Identifier: Apache-2.0
//
// Counterexamples that outlive their run: each as a results document of one check, which `dlcert
// run --replay` repeats, and as a program that shows it without dlcert, in Python where the library
// is, else in C; where the fault lies in a struct that the library handed over, as a second one
// that judges this as recorded.
#pragma once

#include <filesystem>
#include <string>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// "<requirement>-<producer>-<consumer>", numbered from the second failing check on; without an
// extension. A party's name that is long or no file name is shortened, cleaned and marked by its
// digest.
std::string counterexample_name(const RequirementResult& result, const CheckResult& check);

// The file of its program, "<name>.c" or "<name>.py", and of the one that judges what was recorded,
// "<name>.recorded.c"; empty where it has none.
std::string program_file(const Results& results, const RequirementResult& result,
                         const CheckResult& check);
std::string recorded_file(const RequirementResult& result, const CheckResult& check);

// The file of the text for the issue tracker of the library, "<name>.md"; empty: the result is no
// fault, as it passed or follows from another one.
std::string issue_file(const RequirementResult& result);

// Why a counterexample has no program, a line; empty: it has one.
std::string why_no_program(const Results& results, const RequirementResult& result,
                           const CheckResult& check);

// The program in Python of a check that has one, with the calls of dlcert's reference in the place
// of the library's; empty: the reference has no such calls.
std::string program_of_reference(const Results& results, const RequirementResult& result,
                                 const CheckResult& check);

// The file of the script that loads the two libraries of a clash.
std::string clash_file(const Clash& clash);

// Removes what an earlier run saved in `directory`, and makes sure that this one's can be. Throws
// std::runtime_error, one line, when they cannot, or when files lie there and none by dlcert.
void prepare_counterexamples(const std::filesystem::path& directory);

// Writes every counterexample of `results` as <name>.json and <name>.c, and <name>.recorded.c where
// it has a recording, and the script of each clash, into `directory`, in the place of those that
// were there. Without any, the folder is removed unless something else lies in it, and false is
// given. Throws std::runtime_error.
bool save_counterexamples(const Results& results, const std::filesystem::path& directory);

// Adds the text of each fault (report/issue.hpp) to what save_counterexamples() has written there,
// of results with the outcomes of the programs. Makes the folder if there was nothing to save.
// Without any fault false is given. Throws std::runtime_error.
bool save_issues(const Results& results, const Register& known,
                 const std::filesystem::path& directory);

// Removes what dlcert saved there, which a file in the folder names, and nothing else. Throws
// std::runtime_error when dlcert never wrote there.
void clear_counterexamples(const std::filesystem::path& directory);

// Reads what save_counterexamples wrote: results of one check with a counterexample. Throws
// std::runtime_error, one line.
Results read_counterexample(std::string_view text);

// The command that repeats a result: `dlcert run <ID> --adapter ... --seed ...`.
std::string reproduce_command(const Results& results, const RequirementResult& result,
                              const Register& known);

}  // namespace dlcert
