// SPDX-License-Identifier: Apache-2.0
//
// fixtures/bugs.json: bugs of real libraries.
#pragma once

#include <string>
#include <vector>

namespace dlcert {

struct Bug {
  std::string id;
  std::string area;
  std::string not_planted;  // why no mutant plants it; empty: one does
};

// Throws std::runtime_error, one line with the file's name.
std::vector<Bug> read_bugs(const std::string& path);

}  // namespace dlcert
