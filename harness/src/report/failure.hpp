// SPDX-License-Identifier: Apache-2.0
//
// A result that is not a pass, in full: what people read on a terminal and in CTest's log.
#pragma once

#include <filesystem>
#include <string>

#include "register/register.hpp"
#include "report/faults.hpp"
#include "report/results.hpp"

namespace dlcert {

// Several lines: requirement, verdict, library and sentence; expected and found; the
// counterexample; the command that repeats it; the rule and its source; what it follows from,
// or what follows from it. `saved` is the folder of saved counterexamples; empty: none were saved.
std::string describe_failure(const Results& results, const RequirementResult& result,
                             const Register& known, const std::filesystem::path& saved);

// The same in one line: requirement, verdict, library, and the sentence that does not hold.
std::string failure_line(const Results& results, const RequirementResult& result);

// The same of a fault, with the number of its consequences.
std::string fault_line(const Results& results, const Fault& fault);

// A death outside of checks: what ended how, behind which checks, and what was printed.
std::string describe_death(const Death& death);

}  // namespace dlcert
