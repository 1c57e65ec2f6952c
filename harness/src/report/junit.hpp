// SPDX-License-Identifier: Apache-2.0
//
// Results as JUnit XML (reports/schema/junit.xsd): a suite for each pair of parties, a case for
// each requirement. A case fails if and only if it counts for the exit code.
#pragma once

#include <string>

#include "register/register.hpp"
#include "report/results.hpp"

namespace dlcert {

// `results` are as read from their JSON document: all text is UTF-8.
std::string to_junit(const Results& results, const Register& known);

}  // namespace dlcert
