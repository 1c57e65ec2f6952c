// SPDX-License-Identifier: Apache-2.0
//
// The races of a program, for people and as JSON (reports/schema/races.schema.json).
#pragma once

#include <string>
#include <vector>

#include "cli/race_records.hpp"

namespace dlcert {

// How a program ended: by a signal, or with an exit code.
struct EndOfProgram {
  int exit_code = 0;
  int signal = 0;  // 0: none
};

// Whole lines; none where there is nothing to say.
std::string text_of(const RaceRecords& records);

// `program` are its words.
std::string json_of(const RaceRecords& records, const std::vector<std::string>& program,
                    const EndOfProgram& end);

}  // namespace dlcert
