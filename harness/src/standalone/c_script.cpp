// SPDX-License-Identifier: Apache-2.0
#include "standalone/c_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "standalone/python_layout.hpp"

namespace dlcert {

namespace {

using Kind = ProgramStep::Kind;
using By = Judgement::By;
using Actions = std::vector<CAction>;

bool has_outcome(const CAction& action) {
  return action.step.kind == Kind::call || action.step.kind == Kind::question;
}

// Takes what is told of the last call. False: the step is an action of its own.
bool take_outcome(Actions& actions, const ProgramStep& step) {
  const auto call = std::find_if(actions.rbegin(), actions.rend(), has_outcome);
  const bool is_there = call != actions.rend();
  switch (step.kind) {
    case Kind::nothing:
      return true;
    case Kind::raised:
      if (is_there) call->was_refused = true;
      return true;
    case Kind::answered:
      if (is_there) call->answers.push_back(step);
      return true;
    case Kind::required:
      if (is_there) call->is_required = true;
      return true;
    case Kind::not_made:
      if (is_there) actions.erase(std::next(call).base());
      return true;
    default:
      return false;
  }
}

CScript read(const std::vector<std::string>& steps, bool ends_process) {
  CScript script;
  std::size_t end = 0;  // of the actions before the last assertion that failed
  for (const std::string& line : steps) {
    const ProgramStep step = step_from_line(line);
    if (step.kind == Kind::judged) {
      script.judged = judgement_of(step);
      end = script.actions.size();
    } else if (!take_outcome(script.actions, step)) {
      script.actions.push_back({.step = step});
    }
  }
  if (ends_process)
    script.judged.reset();
  else if (script.judged)
    script.actions.resize(std::min(end, script.actions.size()));
  return script;
}

// Whether it is the action whose outcome is judged. Two answers that are alike tell nothing.
bool is_judged(const CAction& action, const Judgement& judged) {
  switch (judged.by) {
    case By::refusal:
      return action.step.kind == Kind::call && !action.was_refused;
    case By::kind:
    case By::success:
      return has_outcome(action) && action.was_refused;
    case By::answer:
      return std::ranges::count(action.answers, judged.found, &ProgramStep::code) == 1;
    default:
      return false;
  }
}

// Ends the actions with the judged one. False: there is none.
bool end_with_judged(CScript& script) {
  const auto is_it = [&](const CAction& action) { return is_judged(action, *script.judged); };
  const auto found = std::find_if(script.actions.rbegin(), script.actions.rend(), is_it);
  if (found == script.actions.rend()) return false;
  script.actions.erase(found.base(), script.actions.end());
  script.is_last_judged = true;
  if (script.judged->by == By::answer)
    script.answer =
        *std::ranges::find(script.actions.back().answers, script.judged->found, &ProgramStep::code);
  return true;
}

// An answer that is not judged makes no difference, nor does what the program makes for itself and
// does not use.
void drop_unneeded(CScript& script) {
  std::string later = script.judged ? script.judged->code : std::string{};
  Actions kept;
  for (std::size_t i = script.actions.size(); i-- > 0;) {
    const CAction& action = script.actions[i];
    const ProgramStep& step = action.step;
    const bool is_last = i + 1 == script.actions.size();
    const bool is_idle =
        step.kind == Kind::question && script.judged && !(is_last && script.is_last_judged);
    const bool is_unused =
        step.kind == Kind::own && !step.name.empty() && !has_name(later, step.name);
    if (is_idle || is_unused) continue;
    later += "\n" + step.code;
    kept.push_back(action);
  }
  script.actions.assign(kept.rbegin(), kept.rend());
}

// What a program cannot do, or an object that it cannot make.
std::string missing_in(const CScript& script) {
  for (const CAction& action : script.actions) {
    if (action.step.kind == Kind::missing)
      return fmt::format("no program can do this: {}", action.step.code);
    for (const char* const name : {"unknown", "dlcert"})
      if (has_name(action.step.code, name))
        return fmt::format("no program can make an object of this call: {}", action.step.code);
  }
  if (script.judged && has_name(script.judged->code, "unknown"))
    return fmt::format("no program can make an object of this: {}", script.judged->code);
  return {};
}

}  // namespace

CScript c_script(const std::vector<std::string>& steps, bool ends_process, std::string& why_not) {
  why_not.clear();
  CScript script = read(steps, ends_process);
  if (!ends_process && !script.judged) {
    why_not = "no assertion is recorded";
    return script;
  }
  if (script.judged) {
    const bool is_found = script.judged->by >= By::value || end_with_judged(script);
    if (!is_found) why_not = "only dlcert can see what is wrong";
  }
  drop_unneeded(script);
  if (why_not.empty()) why_not = missing_in(script);
  return script;
}

}  // namespace dlcert
