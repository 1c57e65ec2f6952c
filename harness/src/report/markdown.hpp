// SPDX-License-Identifier: Apache-2.0
//
// The report of a run as a Markdown page.
#pragma once

#include <string>
#include <string_view>

#include "register/register.hpp"
#include "report/results.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {

// Results as a Markdown page: the verdict, who was tested, a table by area, each failure, the
// waivers.
std::string to_markdown(const Results& results, const RunVerdict& verdict, const Register& known);

// Text in a cell or an item: nothing of it is markup.
std::string escaped_markdown(std::string_view text);

// A block of code with the whole lines of `text`, whatever fences are in it.
std::string code_block_markdown(std::string_view text, std::string_view language = {});

}  // namespace dlcert
