// SPDX-License-Identifier: Apache-2.0
#include "standalone/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "standalone/python_layout.hpp"

namespace dlcert {

namespace {

using Kind = ProgramStep::Kind;
using By = Judgement::By;
using Actions = std::vector<Action>;

// ---- reading ----

// Takes what came of the last call or question. False: the step is an action of its own.
bool take_outcome(Actions& actions, const ProgramStep& step) {
  const auto call =
      std::find_if(actions.rbegin(), actions.rend(), std::mem_fn(&Action::has_outcome));
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

// Returns true if an earlier step imports the same. Each library has its own from_dlpack.
bool is_imported(const Actions& actions, const ProgramStep& step) {
  constexpr std::string_view function = " import from_dlpack";
  if (step.kind != Kind::imports) return false;
  const auto last = std::find_if(actions.rbegin(), actions.rend(), [&](const Action& action) {
    const std::string& code = action.step.code;
    return action.step.kind == Kind::imports &&
           (step.code.ends_with(function) ? code.ends_with(function) : code == step.code);
  });
  return last != actions.rend() && last->step.code == step.code;
}

Script read(const std::vector<std::string>& lines, bool ends_process) {
  Script script;
  std::size_t end = 0;  // of the actions before the last assertion that failed
  for (const std::string& line : lines) {
    ProgramStep step = step_from_line(line);
    if (step.kind == Kind::judged) {
      script.judged = judgement_of(step);
      end = script.actions.size();
    } else if (!take_outcome(script.actions, step) && !is_imported(script.actions, step)) {
      script.actions.push_back({.step = std::move(step)});
    }
  }
  if (ends_process)
    script.judged.reset();
  else if (script.judged)
    script.actions.resize(std::min(end, script.actions.size()));
  // A program does these steps in another way, which may end the process or be refused as well.
  if (ends_process || (script.judged && script.judged->by == By::kind))
    std::erase_if(script.actions,
                  [](const Action& action) { return action.step.kind == Kind::otherwise; });
  return script;
}

// ---- what is judged ----

// A failed assertion of no kind that holds of the last answer: it was to be true.
void judge_by_truth(Script& script) {
  constexpr std::string_view is_false = "\"False\"";
  const auto last = std::find_if(script.actions.rbegin(), script.actions.rend(),
                                 std::mem_fn(&Action::has_outcome));
  const bool was_false = last != script.actions.rend() && !last->answers.empty() &&
                         last->answers.back().code == is_false;
  if (script.judged->by != By::nothing || !was_false) return;
  script.judged->by = By::answer;
  script.judged->found = is_false;
  script.judged->expected = "\"True\"";
}

// Returns true if the outcome of this action is judged. Two equal answers do not show which one.
bool is_judged(const Action& action, const Judgement& judged) {
  switch (judged.by) {
    case By::refusal:
      return action.is_call() && !action.was_refused;
    case By::kind:
    case By::success:
      return action.has_outcome() && action.was_refused;
    case By::answer:
      return std::ranges::count(action.answers, judged.found, &ProgramStep::code) == 1;
    default:
      return false;
  }
}

// Ends the actions with the judged one, if there is one.
void end_with_judged(Script& script) {
  const auto is_it = [&](const Action& action) { return is_judged(action, *script.judged); };
  const auto found = std::find_if(script.actions.rbegin(), script.actions.rend(), is_it);
  if (found == script.actions.rend()) return;
  script.actions.erase(found.base(), script.actions.end());
  script.is_last_judged = true;
  if (script.judged->by == By::answer)
    script.answer =
        *std::ranges::find(script.actions.back().answers, script.judged->found, &ProgramStep::code);
}

// ---- which actions the program needs ----

// An answer that is not judged makes no difference, unless the question may end the process.
void drop_idle_questions(Script& script) {
  if (!script.judged) return;
  const Action* const judged = script.is_last_judged ? &script.actions.back() : nullptr;
  Actions kept;
  for (const Action& action : script.actions)
    if (action.step.kind != Kind::question || &action == judged) kept.push_back(action);
  script.actions = std::move(kept);
}

// The program needs its own objects only if a later step uses them.
void drop_unused(Script& script) {
  std::string later;
  if (script.judged)
    later =
        fmt::format("{} {} {}", script.judged->code, script.judged->found, script.judged->expected);
  Actions kept;
  for (auto action = script.actions.rbegin(); action != script.actions.rend(); ++action) {
    const ProgramStep& step = action->step;
    const bool is_used = step.kind != Kind::own || step.name.empty() || has_name(later, step.name);
    if (!is_used) continue;
    if (step.kind != Kind::dropped) later += "\n" + step.code;
    kept.push_back(*action);
  }
  script.actions.assign(kept.rbegin(), kept.rend());
}

// Blocks in which nothing happens, and devices that are current for nothing.
void drop_empty(Actions& actions) {
  const auto sets_device = [](const ProgramStep& step) {
    return step.kind == Kind::own && step.code.starts_with("set_device(");
  };
  Actions kept;
  for (Action& action : actions) {
    const bool is_empty =
        !kept.empty() && action.step.kind == Kind::ends && kept.back().step.kind == Kind::begins;
    if (!kept.empty() && (is_empty || (sets_device(kept.back().step) && sets_device(action.step))))
      kept.pop_back();
    if (!is_empty) kept.push_back(std::move(action));
  }
  actions = std::move(kept);
}

// No variable ends that was not made.
void drop_ends_of_nothing(Actions& actions) {
  std::set<std::string, std::less<>> made;
  std::erase_if(actions, [&](const Action& action) {
    if (!action.step.name.empty() && !action.was_refused) made.insert(action.step.name);
    return action.step.kind == Kind::dropped && made.erase(action.step.code) == 0;
  });
}

// ---- what a program cannot do ----

// A call of an object that the program does not have, or judged code that names one.
bool has_no_object(std::string_view code) {
  return has_name(code, "unknown") || has_name(code, "dlcert");
}

std::string missing_in(const Script& script) {
  for (const Action& action : script.actions) {
    const ProgramStep& step = action.step;
    if (step.kind == Kind::missing || step.kind == Kind::otherwise)
      return fmt::format("no program can do this: {}", step.code);
    if (has_no_object(step.code))
      return fmt::format("no program can make an object of this call: {}", step.code);
  }
  if (script.judged && has_no_object(script.judged->code))
    return fmt::format("no program can make an object of this: {}", script.judged->code);
  return {};
}

}  // namespace

bool Script::is_last_call(std::size_t i) const {
  const auto behind = actions.begin() + static_cast<std::ptrdiff_t>(i) + 1;
  return actions[i].is_call() && !actions[i].was_refused &&
         std::none_of(behind, actions.end(), std::mem_fn(&Action::is_call));
}

Script script_of(const std::vector<std::string>& lines, bool ends_process) {
  Script script = read(lines, ends_process);
  if (!ends_process && !script.judged) {
    script.why_not = "no assertion is recorded";
    return script;
  }
  if (script.judged) {
    judge_by_truth(script);
    if (script.judged->by < By::value) end_with_judged(script);
    if (script.judged->by < By::value && !script.is_last_judged)
      script.why_not = "only dlcert can see what is wrong";
  }
  drop_idle_questions(script);
  drop_unused(script);
  drop_empty(script.actions);
  drop_ends_of_nothing(script.actions);
  if (script.why_not.empty()) script.why_not = missing_in(script);
  return script;
}

}  // namespace dlcert
