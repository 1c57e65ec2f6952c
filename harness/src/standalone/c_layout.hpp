// SPDX-License-Identifier: Apache-2.0
//
// Lines of C of at most 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

inline constexpr std::size_t c_columns = 100;

// A statement of one line as lines, which begin with this many spaces: what follows a comma may
// stand in the next line, below the bracket that it is in, and a long string becomes several.
std::vector<std::string> c_lines(std::string_view statement, std::size_t indentation);

// Words as lines of a block comment, " * ...".
std::vector<std::string> block_comment_lines(std::string_view text);

}  // namespace dlcert
