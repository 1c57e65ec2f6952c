// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/register.hpp"
#include "report/results.hpp"
#include "report/verdict.hpp"

namespace dlcert {

// Results as a Markdown page: the verdict, who was tested, a table by area, each failure, the
// waivers.
std::string to_markdown(const Results& results, const Judgement& judgement, const Register& known);

}  // namespace dlcert
