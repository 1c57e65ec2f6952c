// SPDX-License-Identifier: Apache-2.0
//
// What the process of a case tells the one that forked it. Travels as JSON through memory that a
// library can write to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/case_run.hpp"

namespace dlcert {

struct CaseMessage {
  CaseOutcome outcome = {};
  std::vector<std::string> observed = {};
  Choices choices = {};  // of a case that failed, or was described
  std::vector<std::string> warnings = {};
  std::optional<std::vector<TraceEvent>> events = {};  // of a described case
};

// Shortened until it fits into run_forked()'s answer: texts of a library may have any length.
std::string to_json(const CaseMessage& message);

// Throws std::runtime_error (one line) for what to_json() does not write.
CaseMessage case_message_from_json(std::string_view text);

}  // namespace dlcert
