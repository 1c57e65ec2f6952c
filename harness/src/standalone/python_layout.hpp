// SPDX-License-Identifier: Apache-2.0
//
// Lines of Python of at most 100 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

inline constexpr std::size_t python_columns = 100;

// A statement of one line as lines, which begin with this many spaces: what is in brackets gets
// lines of its own, and a long string becomes several.
std::vector<std::string> python_lines(std::string_view statement, std::size_t indentation);

// Words as lines of a comment.
std::vector<std::string> comment_lines(std::string_view text);

// The name stands in the code, and not as a part of another, as an attribute or in a string.
bool has_name(std::string_view code, std::string_view name);

}  // namespace dlcert
