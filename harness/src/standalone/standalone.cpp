// SPDX-License-Identifier: Apache-2.0
#include "standalone/standalone.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "standalone/c_layout.hpp"
#include "standalone/c_text.hpp"
#include "standalone/python_layout.hpp"
#include "standalone/script.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

constexpr std::string_view header_begin =
    "/* Definitions that the counterexamples in this folder share: dlcert's adapter ABI\n"
    "   (adapter.h) without its comments, calls into the library, judgements, and managed\n"
    "   tensors. */\n"
    "#ifndef DLCERT_COUNTEREXAMPLE_H\n"
    "#define DLCERT_COUNTEREXAMPLE_H\n"
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <signal.h>\n"
    "#include <stdarg.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/mman.h>\n"
    "#include <sys/wait.h>\n"
    "#include <time.h>\n"
    "#include <unistd.h>\n\n";
constexpr std::string_view header_end = "\n#endif\n";

// A C string.
std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '?')  // ?: no trigraph
      out += fmt::format("\\{:03o}", byte);
    else
      out += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  }
  return out + '"';
}

// C source without its block comments and without the blank lines that they leave.
std::string without_comments(std::string_view source) {
  std::string code;
  while (!source.empty()) {
    const std::size_t begin = source.find("/*");
    code += source.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = source.find("*/", begin);
    source.remove_prefix(end == std::string_view::npos ? source.size() : end + 2);
  }
  std::string out;
  std::string_view rest = code;
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, length);
    const std::size_t last = line.find_last_not_of(" \t");
    if (last != std::string_view::npos) out += fmt::format("{}\n", line.substr(0, last + 1));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return out;
}

// What a text literal of Python is as a string in C.
std::string text_of(const std::string& literal) {
  return literal.starts_with('"') ? literal : c_string(literal);
}

std::string comparison(std::string_view judge, const std::string& found,
                       const std::string& expected) {
  return fmt::format("{}({}, {})", judge, found,
                     judge == "judge_text" ? text_of(expected) : expected);
}

// The statements of the function that takes the steps.
class Steps {
 public:
  explicit Steps(const Script& script) : script_{script} {}

  std::vector<std::string> statements() const {
    std::vector<std::string> statements;
    for (std::size_t i = 0; i < script_.actions.size(); ++i) {
      const bool is_judged = script_.is_last_judged && i + 1 == script_.actions.size();
      statements.push_back((is_judged ? judged_call(script_.actions[i]) : statement(i)) + ";");
    }
    if (script_.judged && !script_.is_last_judged) statements.push_back(judgement() + ";");
    return statements;
  }

 private:
  std::string statement(std::size_t i) const {
    const Action& action = script_.actions[i];
    std::string code = action.step.code;
    if (action.was_refused) return fmt::format("REFUSED({})", code);
    if (may_be_refused(i)) code = fmt::format("UNLESS_REFUSED({})", code);
    return is_used_later(i) ? fmt::format("{} {} = {}", action.step.type, action.step.name, code)
                            : code;
  }

  // The check takes a refusal of the last call, unless it says otherwise. What ends the process is
  // the last call, or comes of it.
  bool may_be_refused(std::size_t i) const {
    return script_.is_last_call(i) && !(script_.judged && script_.actions[i].is_required);
  }

  bool is_used_later(std::size_t i) const {
    const std::string& name = script_.actions[i].step.name;
    if (name.empty()) return false;
    for (++i; i < script_.actions.size(); ++i)
      if (has_name(script_.actions[i].step.code, name)) return true;
    return script_.judged && has_name(script_.judged->code, name);
  }

  // Of the call whose outcome is judged.
  std::string judged_call(const Action& action) const {
    const std::string& code = action.step.code;
    const Judgement& judged = *script_.judged;
    switch (judged.by) {
      case Judgement::By::refusal:
        return fmt::format("JUDGE_REFUSAL({})", code);
      case Judgement::By::kind:
        return fmt::format("JUDGE_KIND({}, {})", c_string(judged.expected), code);
      case Judgement::By::success:
        return fmt::format("JUDGE_SUCCESS({})", code);
      default: {
        const std::string& part = script_.answer->type;
        return comparison(action.step.type, part.empty() ? code : fmt::format("{}({})", part, code),
                          judged.expected);
      }
    }
  }

  std::string judgement() const {
    const Judgement& judged = *script_.judged;
    return judged.by == Judgement::By::condition
               ? fmt::format("JUDGE({})", judged.code)
               : comparison(judged.type, judged.code, judged.expected);
  }

  const Script& script_;
};

std::string heading(const StandaloneProgram& program) {
  std::string text = "/*\n";
  const auto add = [&](const std::string& paragraph) {
    for (const std::string& line : block_comment_lines(paragraph))
      text += line + "\n";
  };
  add(fmt::format("{}: {}", commented(program.library), commented(program.message)));
  text += " *\n";
  add(fmt::format("Rule ({}): {}.", commented(program.requirement), commented(program.sentence)));
  if (!program.source.empty()) add(fmt::format("Source: {}", commented(program.source)));
  text += " *\n";
  add("Build and run: cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample [MODULE]");
  add("MODULE is the adapter of the library.");
  add("Exit code: 1 if the library breaks the rule, 0 if it keeps it, 2 if anything else goes "
      "wrong.");
  return text + " */\n";
}

}  // namespace

std::string standalone_header() {
  std::string out{header_begin};
  out += without_comments(adapter_abi_text);
  out += '\n';
  out += standalone_dlpack_text;
  out += '\n';
  out += standalone_recorded_text;
  out += '\n';
  out += standalone_judge_text;
  out += '\n';
  out += standalone_calls_text;
  out += '\n';
  out += standalone_counterparts_text;
  out += header_end;
  return out;
}

std::string why_not_in_c(const std::vector<std::string>& steps, bool ends_process) {
  return script_of(steps, ends_process).why_not;
}

std::string to_source(const StandaloneProgram& program) {
  const Script script = script_of(program.steps, program.ends_process);
  std::string out = heading(program);
  out += fmt::format(
      "#ifndef DLCERT_COUNTEREXAMPLE_H\n"
      "#include \"{}\"\n"
      "#endif\n"
      "\n"
      "static void steps(void) {{\n",
      standalone_header_name);
  for (const std::string& statement : Steps{script}.statements())
    for (const std::string& line : c_lines(statement, 2))
      out += line + "\n";
  const std::string path = c_string(program.adapter);
  out += fmt::format(
      "}}\n"
      "\n"
      "int main(int argc, char** argv) {{\n"
      "  const char* const module_path ={}{};\n"
      "  return run({}, argc > 1 ? argv[1] : module_path, steps);\n"
      "}}\n",
      path.size() < 64 ? " " : "\n      ", path, program.ends_process ? "MAY_END" : "JUDGES");
  return out;
}

}  // namespace dlcert
