// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzed functions demand: they abort the process, which a fuzzer reports with its input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace dlcert::fuzz {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

inline void require_one_line(std::string_view text) {
  require(!text.empty() && text.find('\n') == text.npos, "a message that is not one line");
}

// Whether `parse` accepts; a refusal is a runtime error of one line.
template <typename Parse>
bool accepts(const Parse& parse) {
  try {
    parse();
    return true;
  } catch (const std::runtime_error& error) {
    require_one_line(error.what());
    return false;
  }
}

}  // namespace dlcert::fuzz
