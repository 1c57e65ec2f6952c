// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers feed: each takes any bytes, and aborts the process when the parser does anything
// but accept them or refuse them with one line, or when what it accepted does not survive further
// use.
#pragma once

#include <string_view>

namespace dlcert::fuzz {

void read_waivers(std::string_view text);
void read_register(std::string_view text);
void read_results(std::string_view text);

}  // namespace dlcert::fuzz
