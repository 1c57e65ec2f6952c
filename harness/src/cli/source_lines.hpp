// SPDX-License-Identifier: Apache-2.0
//
// The lines of source behind addresses, where the machine has addr2line and the module has them.
#pragma once

#include <vector>

#include "cli/race_records.hpp"

namespace dlcert {

// Fills in what debug information tells: file, line, and a function that has no other name.
void add_source_lines(std::vector<RecordedRace>& races);

}  // namespace dlcert
