// SPDX-License-Identifier: Apache-2.0
//
// By which standards a library was judged, and where its versions come from.
#pragma once

#include <string>
#include <vector>

#include "report/results.hpp"

namespace dlcert {

// Requirements of a role of the library that bind from a later version on of a standard than it
// declares, in the register's order.
std::vector<std::string> newer_requirements(const Results& results, const AdapterInfo& adapter,
                                            const Register& known);

// "acme: DLPack 1.0 (as it exports and asks for), array API 2022.12 (as it declares); 9 newer
// requirements were left out".
std::string standards_text(const Results& results, const AdapterInfo& adapter,
                           const Register& known);

// ", rules of dlcert 0.1 (2 newer requirements were left out)"; empty where no rules were chosen.
std::string rules_text(const Results& results, const Register& known);

}  // namespace dlcert
