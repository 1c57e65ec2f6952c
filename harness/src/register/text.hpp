// SPDX-License-Identifier: Apache-2.0
//
// Text that somebody else wrote (a library, an adapter, a waiver, a command line), made fit to be
// kept and shown. It is cleaned once, where it comes in; what is markup in a format, that format
// escapes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlcert {

// In characters, at least 40; what is longer is cut, and says how much is missing.
inline constexpr std::size_t longest_name = 100;
inline constexpr std::size_t longest_line = 2'000;
inline constexpr std::size_t longest_text = 20'000;

// `text` as one line of valid UTF-8 that neither moves a terminal's cursor nor hides or reorders
// what stands beside it: anything else becomes an escape, as \n, \x1b for a byte, \u202e for a
// character. Cleaning a clean text changes nothing.
std::string one_line(std::string_view text, std::size_t longest = longest_line);

// The same, but new lines stay, and tabs are spaces.
std::string clean_lines(std::string_view text, std::size_t longest = longest_text);

// Returns the last line of `text` that is not empty, without its newline, or "" if there is none.
std::string_view last_line(std::string_view text);

}  // namespace dlcert
