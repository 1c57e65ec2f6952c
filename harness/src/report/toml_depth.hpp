// SPDX-License-Identifier: Apache-2.0
//
// toml++ 3.3 makes a table for each part of a dotted key and takes them apart recursively: a key of
// 50,000 parts ends the program. So keys are counted before they are parsed.
#pragma once

#include <cstddef>
#include <string_view>

namespace dlcert {

struct DeepKey {
  std::size_t parts = 0;
  std::size_t line = 0, column = 0;  // of its start, from 1
};

// The key with the most parts ("a.b.c" has three) in a TOML text, in a header or an inline table
// too. Dots in strings and comments are none of a key's.
DeepKey deepest_key(std::string_view text);

}  // namespace dlcert
