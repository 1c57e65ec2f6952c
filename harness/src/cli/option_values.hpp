// SPDX-License-Identifier: Apache-2.0
//
// Values on a command line. CLI11 reads numbers as C does: "-1" and 2^64 become others, "010" is 8,
// and nan is in any range. So the text is checked before. Each gives what is wrong with it, in one
// line unless the text holds more; empty: nothing is.
#pragma once

#include <cstdint>
#include <string>

namespace dlcert {

// A whole number in decimal digits. One that is taken loses its leading zeros.
std::string refusal_of_whole_number(std::string& text, std::uint64_t least, std::uint64_t most);

// A version of dlcert's rules.
std::string refusal_of_rules(const std::string& text);

// A time limit: long enough for something to happen, short enough for a clock.
std::string refusal_of_seconds(const std::string& text);

}  // namespace dlcert
