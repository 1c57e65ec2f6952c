// SPDX-License-Identifier: Apache-2.0
//
// The report of a run on the terminal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {

struct WrittenFiles {
  std::vector<std::filesystem::path> files;  // in the order in which they are named
  std::filesystem::path counterexamples;     // a folder; empty: none
};

// Roles with claimed, tested and untested requirements; each failure in full; a table by area;
// warnings; the files; the verdict as the last line.
std::string report_text(const Results& results, const RunVerdict& verdict, const Register& known,
                        const WrittenFiles& written);

// The same in few lines: roles with counts; one line for each failure, death and warning; the
// files; the verdict.
std::string brief_text(const Results& results, const RunVerdict& verdict, const Register& known,
                       const WrittenFiles& written);

}  // namespace dlcert
