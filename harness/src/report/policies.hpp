// SPDX-License-Identifier: Apache-2.0
//
// The policies of a run in words.
#pragma once

#include <string>
#include <vector>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// What was chosen beside the set, as the command line takes it: "name=value".
std::vector<std::string> single_policies(const Results& results, const Register& known);

// "policies standard", "policies interop, null-strides=forbid"
std::string policies_text(const Results& results, const Register& known);

}  // namespace dlcert
