// SPDX-License-Identifier: Apache-2.0
//
// What a program in C does, from the steps of a case (dlcert/suite/program_step.hpp): the calls
// until the assertion that failed, without those whose outcome makes no difference, and what that
// assertion looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dlcert/suite/program_step.hpp>

namespace dlcert {

// A step with what came of it.
struct CAction {
  ProgramStep step;
  std::vector<ProgramStep> answers = {};
  bool was_refused = false;
  bool is_required = false;  // to succeed
};

struct CScript {
  std::vector<CAction> actions;
  std::optional<Judgement> judged;  // none: the library ends the process
  // The last action is the one whose outcome is judged, by this answer if it is one.
  bool is_last_judged = false;
  std::optional<ProgramStep> answer;
};

// Reads the steps. `why_not` says why no program can show the fault; empty: it can.
CScript c_script(const std::vector<std::string>& steps, bool ends_process, std::string& why_not);

}  // namespace dlcert
