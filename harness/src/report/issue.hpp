// SPDX-License-Identifier: Apache-2.0
//
// A text about one fault for the issue tracker of the library: Markdown that stands without a
// report of dlcert.
#pragma once

#include <string>
#include <string_view>

#include "register/register.hpp"
#include "report/faults.hpp"

namespace dlcert {

// A program that shows the fault. `file` is its name, empty: there is none.
struct IssueProgram {
  std::string file, text;
};

// What was expected and what happened, how to show it, the sentences of the standard, the other
// requirements that fail by it, and the versions. The program is left out if it ran and did not
// show the fault; the calls of the counterexample then stand in its place. `fault` is of `results`.
std::string issue_text(const Results& results, const Fault& fault, const Register& known,
                       const IssueProgram& program);

}  // namespace dlcert
