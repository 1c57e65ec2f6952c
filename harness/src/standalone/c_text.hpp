// SPDX-License-Identifier: Apache-2.0
//
// Text of any origin in C source.
#pragma once

#include <string>
#include <string_view>

namespace dlcert {

// On one line of a block comment, bounded: ASCII, no end of the comment, no trigraph.
std::string commented(std::string_view text);

}  // namespace dlcert
