// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include <dlcert/suite/program_step.hpp>

#include "standalone/c_text.hpp"
#include "standalone/python_layout.hpp"
#include "standalone/python_parts.hpp"

namespace dlcert {

namespace {

using Kind = ProgramStep::Kind;
using By = Judgement::By;
using Lines = std::vector<std::string>;
using Names = std::set<std::string, std::less<>>;

constexpr int survived_code = 100;  // of the child: the library let it live
constexpr int child_seconds = 40;   // a child that lives longer hangs

// A step with what came of it.
struct Action {
  ProgramStep step;
  std::string raised;
  std::optional<std::string> answer;
  bool is_required;  // that it ends as it did
};

// The actions until the failed assertion, and that.
struct Script {
  std::vector<Action> actions;
  std::optional<Judgement> judged;
};

bool calls(const Action& action) {
  return action.step.kind == Kind::call || action.step.kind == Kind::question;
}

// The last call or question, of which an outcome is told.
Action* last_call(std::vector<Action>& actions) {
  const auto found = std::find_if(actions.rbegin(), actions.rend(), calls);
  return found == actions.rend() ? nullptr : &*found;
}

// Whether what this line imports is there already. Each library has a from_dlpack of its own.
bool is_imported(const std::vector<Action>& actions, std::string_view line) {
  const bool is_function = line.ends_with(" import from_dlpack");
  const auto last = std::find_if(actions.rbegin(), actions.rend(), [&](const Action& action) {
    const std::string& code = action.step.code;
    return action.step.kind == Kind::imports &&
           (is_function ? code.ends_with(" import from_dlpack") : code == line);
  });
  return last != actions.rend() && last->step.code == line;
}

Script script_of(const std::vector<std::string>& lines, bool ends_process) {
  Script script;
  std::size_t end = 0;  // of the actions before the last assertion that failed
  for (const std::string& line : lines) {
    ProgramStep step = step_from_line(line);
    Action* const call = last_call(script.actions);
    switch (step.kind) {
      case Kind::nothing:
        break;
      case Kind::raised:
        if (call != nullptr) call->raised = step.code;
        break;
      case Kind::answered:
        if (call != nullptr) call->answer = step.code;
        break;
      case Kind::not_made:
        if (call != nullptr)
          script.actions.erase(script.actions.begin() + (call - script.actions.data()));
        break;
      case Kind::required:
        if (call != nullptr) call->is_required = true;
        break;
      case Kind::judged:
        script.judged = judgement_of(step);
        end = script.actions.size();
        break;
      case Kind::imports:
        if (!is_imported(script.actions, step.code))
          script.actions.push_back({std::move(step), {}, {}, false});
        break;
      default:
        script.actions.push_back({std::move(step), {}, {}, false});
    }
  }
  if (ends_process)
    script.judged.reset();
  else if (script.judged)
    script.actions.resize(std::min(end, script.actions.size()));
  // What the program does in another way may end the process, or be refused, all the same.
  if (ends_process || (script.judged && script.judged->by == By::kind))
    std::erase_if(script.actions,
                  [](const Action& action) { return action.step.kind == Kind::otherwise; });
  return script;
}

// The action whose outcome is judged: it becomes the last one. Not found: none is.
std::optional<std::size_t> judged_action(const Script& script) {
  const auto last = [&](const auto& is_it) -> std::optional<std::size_t> {
    for (std::size_t i = script.actions.size(); i-- > 0;)
      if (calls(script.actions[i]) && is_it(script.actions[i])) return i;
    return std::nullopt;
  };
  switch (script.judged->by) {
    case By::refusal:
      return last([](const Action& action) {
        return action.step.kind == Kind::call && action.raised.empty();
      });
    case By::kind:
    case By::success:
      return last([](const Action& action) { return !action.raised.empty(); });
    case By::answer:
      return last([&](const Action& action) { return action.answer == script.judged->found; });
    default:
      return std::nullopt;
  }
}

// A failed assertion of no kind that holds of the last answer: it was to be true.
void judge_by_truth(Script& script) {
  if (!script.judged || script.judged->by != By::nothing) return;
  const Action* const last = last_call(script.actions);
  if (last == nullptr || last->answer != "\"False\"") return;
  script.judged->by = By::answer;
  script.judged->found = "\"False\"";
  script.judged->expected = "\"True\"";
}

// ---- which actions the program needs ----

// Blocks in which nothing happens, and devices that are current for nothing.
void drop_empty(std::vector<Action>& actions) {
  const auto sets_device = [](const ProgramStep& step) {
    return step.code.starts_with("set_device(");
  };
  std::vector<Action> kept;
  for (Action& action : actions) {
    const bool is_empty =
        !kept.empty() && action.step.kind == Kind::ends && kept.back().step.kind == Kind::begins;
    if (!kept.empty() && (is_empty || (sets_device(kept.back().step) && sets_device(action.step))))
      kept.pop_back();
    if (!is_empty) kept.push_back(std::move(action));
  }
  actions = std::move(kept);
}

// What the program makes for itself, or drops, matters only to what comes later.
void drop_unused(std::vector<Action>& actions, std::string_view judged_code) {
  std::string later{judged_code};
  std::vector<Action> kept;
  for (auto action = actions.rbegin(); action != actions.rend(); ++action) {
    const ProgramStep& step = action->step;
    const bool is_used = step.kind != Kind::own || step.name.empty() || has_name(later, step.name);
    if (!is_used) continue;
    if (step.kind != Kind::dropped) later += "\n" + step.code;
    kept.push_back(*action);
  }
  actions.assign(kept.rbegin(), kept.rend());
  drop_empty(actions);
  // No variable ends that was not made.
  Names made;
  std::erase_if(actions, [&](const Action& action) {
    if (!action.step.name.empty() && action.raised.empty()) made.insert(action.step.name);
    return action.step.kind == Kind::dropped && made.erase(action.step.code) == 0;
  });
}

std::vector<Action> needed_actions(const Script& script, std::optional<std::size_t> judged,
                                   bool ends_process) {
  std::vector<Action> actions = script.actions;
  if (judged) actions.resize(*judged + 1);
  std::vector<Action> kept;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const bool is_answer_of_no_matter =
        actions[i].step.kind == Kind::question && !ends_process && i != judged;
    if (!is_answer_of_no_matter) kept.push_back(actions[i]);
  }
  drop_unused(kept,
              script.judged ? script.judged->code + " " + script.judged->expected : std::string{});
  return kept;
}

// ---- the program ----

class Writer {
 public:
  Writer(const PythonProgram& program, CalledLibrary library)
      : program_{program},
        for_reference_{library == CalledLibrary::reference},
        script_{script_of(program.steps, program.ends_process)} {
    judge_by_truth(script_);
    if (script_.judged) judged_ = judged_action(script_);
    actions_ = needed_actions(script_, judged_, program.ends_process);
  }

  std::string text() {
    if (for_reference_ && !reference_can()) return {};
    add_body();
    const std::string body =
        in_names_of_vendor(fmt::format("{}\n", fmt::join(body_, "\n")), program_);
    const std::string code = (program_.ends_process ? parent() : std::string{}) + unexpected() +
                             imports() + python_parts(body, program_) + "\n\n" + body;
    std::string text = heading();
    for (const std::string& module : python_modules(code))
      text += fmt::format("import {}\n", module);
    return text + code;
  }

 private:
  // Whether the reference has the same calls.
  bool reference_can() const {
    return std::ranges::none_of(actions_,
                                [](const Action& action) { return action.step.reference == "-"; });
  }

  std::string code_of(const ProgramStep& step) const {
    return for_reference_ && !step.reference.empty() ? step.reference : step.code;
  }

  std::string heading() const {
    std::string text;
    const auto add = [&](std::string_view paragraph) {
      for (const std::string& line : comment_lines(paragraph))
        text += line + "\n";
    };
    add(fmt::format("{}: {}", commented(program_.library), commented(program_.message)));
    text += "#\n";
    add(fmt::format("Rule ({}): {}.", commented(program_.requirement),
                    commented(program_.sentence)));
    if (!program_.source.empty()) add(fmt::format("Source: {}", commented(program_.source)));
    if (program_.on_devices)
      add(
          fmt::format("Without a GPU: {}. A real GPU may not show the fault, because its work may "
                      "happen to run in the right order.",
                      simulated_command("THIS_FILE", program_.on_rocm)));
    add("Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes "
        "wrong.");
    return text;
  }

  static std::string unexpected() {
    return "\n\ndef unexpected(*error):\n"
           "    sys.__excepthook__(*error)\n"
           "    os._exit(2)\n"
           "\n\nsys.excepthook = unexpected\n";
  }

  static std::string parent() {
    return fmt::format(
        "\nif sys.argv[1:] != [\"--child\"]:  # the library may end the process that calls it\n"
        "    command = [sys.executable, __file__, \"--child\"]\n"
        "    try:\n"
        "        code = subprocess.run(command, timeout={0}).returncode\n"
        "    except subprocess.TimeoutExpired:\n"
        "        print(\"the library did not return within {0} s\")\n"
        "        print(\"{1}\")\n"
        "        sys.exit(1)\n"
        "    if code == {2}:\n"
        "        print(\"{3}\")\n"
        "        sys.exit(0)\n"
        "    if code == 2:\n"
        "        sys.exit(2)\n"
        "    if code < 0:\n"
        "        print(\"ended by\", signal.Signals(-code).name)\n"
        "    else:\n"
        "        print(f\"ended early with exit status {{code}}\")\n"
        "    print(\"{1}\")\n"
        "    sys.exit(1)\n",
        child_seconds, breaks_line, survived_code, keeps_line);
  }

  std::string imports() const {
    if (for_reference_)
      return "\nimport dlcert_reference\nfrom dlcert_reference import from_dlpack\n";
    std::string text = "\n";
    for (const Action& action : first_imports())
      for (const std::string& line : python_lines(action.step.code, 0))
        text += line + "\n";
    return text;
  }

  std::vector<Action> first_imports() const {
    const auto end = std::ranges::find_if(
        actions_, [](const Action& action) { return action.step.kind != Kind::imports; });
    return {actions_.begin(), end};
  }

  // `library` is the module whose from_dlpack is imported, or else the first that is.
  std::string module_name() const {
    constexpr std::string_view import = "import ", from = "from ", function = " import from_dlpack";
    if (for_reference_) return "dlcert_reference";
    std::string first;
    for (const Action& action : first_imports()) {
      const std::string& line = action.step.code;
      if (line.starts_with(from) && line.ends_with(function))
        return line.substr(from.size(), line.size() - from.size() - function.size());
      if (first.empty() && line.starts_with(import))
        first = line.substr(import.size(), line.find(',') - import.size());
    }
    return first;
  }

  void add_body() {
    bool in_try = false;
    depth_ = 0;
    const auto first = first_imports().size();
    if (std::ranges::any_of(
            actions_, [](const Action& action) { return has_name(action.step.code, "library"); }))
      body_.push_back(fmt::format("library = {}", module_name()));
    for (std::size_t i = first; i < actions_.size(); ++i) {
      const Action& action = actions_[i];
      if (action.step.kind == Kind::imports && for_reference_) continue;
      const bool is_block = action.step.kind == Kind::begins || action.step.kind == Kind::ends;
      if (program_.ends_process && !in_try && (calls(action) || action.step.kind == Kind::begins)) {
        body_.emplace_back("try:");
        in_try = true;
      }
      if (is_block) {
        add_block(action.step, in_try);
        continue;
      }
      const bool is_judged = judged_ && i + 1 == actions_.size();
      add(is_judged ? judged_line(action) : line_of(i), in_try);
    }
    if (in_try) {
      for (const std::string_view line :
           {"except (AttributeError, NameError):", "    raise",
            "except Exception as error:", "    print(f\"raised: {error!r}\", flush=True)"})
        body_.emplace_back(line);
    }
    if (program_.ends_process)
      body_.push_back(fmt::format("os._exit({})", survived_code));
    else if (!judged_)
      add_judgement();
  }

  void add(const std::string& statement, bool in_try) {
    const std::size_t margin = 4 * (depth_ + (in_try ? 1 : 0));
    for (std::string& line : python_lines(statement, margin))
      body_.push_back(std::move(line));
  }

  void add_block(const ProgramStep& step, bool in_try) {
    if (step.kind == Kind::ends) {
      --depth_;
      return;
    }
    add(fmt::format("with {}:", code_of(step)), in_try);
    ++depth_;
  }

  std::string line_of(std::size_t i) {
    const Action& action = actions_[i];
    std::string code = code_of(action.step);
    if (action.step.kind == Kind::dropped) return fmt::format("del {}", code);
    if (!action.raised.empty()) return fmt::format("refused(lambda: {})", code);
    if (may_be_refused(i)) code = fmt::format("unless_refused(lambda: {})", code);
    return action.step.name.empty() ? code : fmt::format("{} = {}", action.step.name, code);
  }

  // Whether the check would have taken a refusal of this call, the last one before what it judges.
  bool may_be_refused(std::size_t i) const {
    const bool is_last =
        std::none_of(actions_.begin() + static_cast<std::ptrdiff_t>(i) + 1, actions_.end(),
                     [](const Action& action) { return action.step.kind == Kind::call; });
    const Action& action = actions_[i];
    return is_last && action.step.kind == Kind::call && !action.is_required &&
           !program_.ends_process && action.raised.empty();
  }

  // The call whose outcome is judged.
  std::string judged_line(const Action& action) {
    const std::string code = code_of(action.step);
    switch (script_.judged->by) {
      case By::refusal:
        return fmt::format("judge_refusal(lambda: {})", code);
      case By::kind:
        return fmt::format("{}(lambda: {}, {})",
                           action.is_required ? "judge_refusal" : "judge_kind_of_refusal", code,
                           script_.judged->expected);
      case By::success: {
        const bool is_capsule = action.step.name.starts_with("capsule");
        const std::string judge = is_capsule ? "judge_capsule" : "judge_success";
        return fmt::format("{}(lambda: {})", judge, code);
      }
      default:
        return fmt::format("judge({}, {})", code, script_.judged->expected);
    }
  }

  void add_judgement() {
    const Judgement& judged = *script_.judged;
    if (judged.by == By::condition && !judged.found.empty())
      add(fmt::format("judge_that({}, {}, {})", judged.code, judged.found, judged.expected), false);
    else
      add(fmt::format("judge({}, {})", judged.code,
                      judged.by == By::condition ? "True" : judged.expected),
          false);
  }

  const PythonProgram& program_;
  const bool for_reference_;
  Script script_;
  std::optional<std::size_t> judged_;
  std::vector<Action> actions_;
  Lines body_;
  std::size_t depth_ = 0;  // of the blocks around the next line
};

}  // namespace

std::string why_not_in_python(const std::vector<std::string>& steps, bool ends_process) {
  Script script = script_of(steps, ends_process);
  judge_by_truth(script);
  if (!ends_process && !script.judged) return "no assertion is recorded";
  std::optional<std::size_t> judged;
  if (!ends_process) {
    const bool by_call = script.judged->by <= By::answer;
    judged = judged_action(script);
    if (script.judged->by == By::nothing || (by_call && !judged))
      return "only dlcert can see what is wrong";
  }
  for (const Action& action : needed_actions(script, judged, ends_process))
    if (action.step.kind == Kind::missing || action.step.kind == Kind::otherwise)
      return fmt::format("no program can do this: {}", action.step.code);
  return {};
}

std::string simulated_command(std::string_view file, bool on_rocm) {
  return fmt::format("dlcert with-simulated-gpu {}--devices 2 python {}",
                     on_rocm ? "--vendor rocm " : "", file);
}

std::string to_source(const PythonProgram& program, CalledLibrary library) {
  return Writer{program, library}.text();
}

}  // namespace dlcert
