// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <dlcert/suite/program_step.hpp>

#include "standalone/c_text.hpp"
#include "standalone/python_layout.hpp"
#include "standalone/python_parts.hpp"
#include "standalone/script.hpp"

namespace dlcert {

namespace {

using Kind = ProgramStep::Kind;
using By = Judgement::By;
using Lines = std::vector<std::string>;

constexpr int survived_code = 100;  // of the child: the library let it live
constexpr int child_seconds = 40;   // a child that lives longer hangs

class Writer {
 public:
  Writer(const PythonProgram& program, CalledLibrary library)
      : program_{program},
        for_reference_{library == CalledLibrary::reference},
        script_{script_of(program.steps, program.ends_process)} {}

  std::string text() {
    if (for_reference_ && !reference_can()) return {};
    add_body();
    const std::string body =
        in_names_of_vendor(fmt::format("{}\n", fmt::join(body_, "\n")), program_);
    const std::string code = (program_.ends_process ? parent() : std::string{}) + unexpected() +
                             imports() + python_parts(body, program_) + "\n\n" + body;
    std::string text = heading(code);
    for (const std::string& module : python_modules(code))
      text += fmt::format("import {}\n", module);
    return text + code;
  }

 private:
  // Whether the reference has the same calls.
  bool reference_can() const {
    return std::ranges::none_of(script_.actions,
                                [](const Action& action) { return action.step.reference == "-"; });
  }

  std::string code_of(const ProgramStep& step) const {
    return for_reference_ && !step.reference.empty() ? step.reference : step.code;
  }

  std::string heading(std::string_view code) const {
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
      add(where_it_shows(simulated_command("THIS_FILE", program_.on_rocm), code));
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
        script_.actions, [](const Action& action) { return action.step.kind != Kind::imports; });
    return {script_.actions.begin(), end};
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
    if (std::ranges::any_of(script_.actions, [](const Action& action) {
          return has_name(action.step.code, "library");
        }))
      body_.push_back(fmt::format("library = {}", module_name()));
    for (std::size_t i = first; i < script_.actions.size(); ++i) {
      const Action& action = script_.actions[i];
      if (action.step.kind == Kind::imports && for_reference_) continue;
      const bool is_block = action.step.kind == Kind::begins || action.step.kind == Kind::ends;
      if (program_.ends_process && !in_try &&
          (action.has_outcome() || action.step.kind == Kind::begins)) {
        body_.emplace_back("try:");
        in_try = true;
      }
      if (is_block) {
        add_block(action.step, in_try);
        continue;
      }
      const bool is_judged = script_.is_last_judged && i + 1 == script_.actions.size();
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
    else if (!script_.is_last_judged)
      add_judgement();
  }

  void add(const std::string& statement, bool in_try) {
    const std::size_t margin = 4 * (depth_ + (in_try ? 1 : 0));
    set_apart_class(statement);
    for (std::string& line : python_lines(statement, margin))
      body_.push_back(std::move(line));
  }

  // Blank lines around a class, one of whose lines this may be, and before its methods.
  void set_apart_class(std::string_view line) {
    const bool begins = line.starts_with("class "), is_inside = line.starts_with("    ");
    if (begins || (in_class_ && !is_inside)) body_.insert(body_.end(), 2, "");
    if (in_class_ && line.starts_with("    def ")) body_.emplace_back();
    in_class_ = begins || (in_class_ && is_inside);
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
    const Action& action = script_.actions[i];
    std::string code = code_of(action.step);
    if (action.step.kind == Kind::dropped) return fmt::format("del {}", code);
    if (action.was_refused) return fmt::format("refused(lambda: {})", code);
    if (may_be_refused(i)) code = fmt::format("unless_refused(lambda: {})", code);
    return action.step.name.empty() ? code : fmt::format("{} = {}", action.step.name, code);
  }

  // Whether the check would have taken a refusal of this call, the last one before what it judges.
  bool may_be_refused(std::size_t i) const {
    return script_.is_last_call(i) && !script_.actions[i].is_required && !program_.ends_process;
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
  const Script script_;
  Lines body_;
  bool in_class_ = false;  // the last line was one of a class
  std::size_t depth_ = 0;  // of the blocks around the next line
};

}  // namespace

std::string why_not_in_python(const std::vector<std::string>& steps, bool ends_process) {
  return script_of(steps, ends_process).why_not;
}

std::string simulated_command(std::string_view file, bool on_rocm) {
  return fmt::format("dlcert with-simulated-gpu {}--devices 2 python {}",
                     on_rocm ? "--vendor rocm " : "", file);
}

std::string where_it_shows(std::string_view command, std::string_view code) {
  constexpr std::array<std::string_view, 3> need_order{"write_later", "read_on",
                                                       "elements_on_device"};
  const bool is_race = std::ranges::any_of(
      need_order, [&](std::string_view function) { return has_name(code, function); });
  return fmt::format("Without a GPU: {}.{}", command,
                     is_race ? " A real GPU may not show the fault, because its work may happen to "
                               "run in the right order."
                             : "");
}

std::string to_source(const PythonProgram& program, CalledLibrary library) {
  return Writer{program, library}.text();
}

}  // namespace dlcert
