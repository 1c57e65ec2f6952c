// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bugs.hpp"
#include "manifest.hpp"

namespace dlcert {

// What is wrong with the mutants, one line each: IDs that are unknown or used twice, source files
// below `sources` that plant nothing, real bugs of these areas that are neither planted nor excused
// or both, checked MUSTs that no mutant makes fail.
std::vector<std::string> problems(const Manifest& manifest, const std::vector<Bug>& bugs,
                                  const std::string& sources);

}  // namespace dlcert
