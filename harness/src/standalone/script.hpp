// SPDX-License-Identifier: Apache-2.0
//
// What a program does, in Python or in C, from the steps of a case (dlcert/suite/program_step.hpp):
// the actions until the assertion that failed, without those whose outcome makes no difference, and
// what that assertion looked at.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/program_step.hpp>

namespace dlcert {

// A step with what came of it.
struct Action {
  ProgramStep step;
  std::vector<ProgramStep> answers = {};
  bool was_refused = false;
  bool is_required = false;  // to end as it did

  bool is_call() const { return step.kind == ProgramStep::Kind::call; }
  // A call or a question.
  bool has_outcome() const { return is_call() || step.kind == ProgramStep::Kind::question; }
};

struct Script {
  std::vector<Action> actions;
  std::optional<Judgement> judged;  // none: the library ends the process
  // The last action is the one whose outcome is judged, by this answer if it is one.
  bool is_last_judged = false;
  std::optional<ProgramStep> answer;
  std::string why_not;  // no program can show the fault; empty: it can

  // Returns true if this action is the last call and was not refused.
  bool is_last_call(std::size_t i) const;
};

// Reads the lines of steps. `ends_process` is true for a crash and for a hang.
Script script_of(const std::vector<std::string>& lines, bool ends_process);

}  // namespace dlcert
