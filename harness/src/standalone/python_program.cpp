// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <sstream>

#include "standalone/c_text.hpp"
#include "standalone/standalone.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t page_lines = 60;
constexpr int readable_lines = 8;  // of statements, before what is around them is made shorter
// Exit codes of the child: the library let it live; a name has no value.
constexpr int survived_code = 100;
constexpr int nameless_code = 101;

Lines split(std::string_view text) {
  Lines lines;
  std::istringstream stream{std::string{text}};
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The name stands in the text, and not as a part of another.
bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || (!is_of_name(text[at - 1]) && text[at - 1] != '.');
    if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

// ---- the parts that programs share ----

struct Part {
  std::string text;
  Lines defines;
};

// What a line at the margin defines: "def f(", "class C:", "a, b = ".
void add_names(const std::string& line, Lines& defined) {
  for (const std::string_view word : {"def ", "class "})
    if (line.starts_with(word)) {
      const std::string rest = line.substr(word.size());
      defined.push_back(rest.substr(0, rest.find_first_of("(:")));
      return;
    }
  if (line.empty() || !is_of_name(line.front()) || line.find(" = ") == line.npos) return;
  std::istringstream left{line.substr(0, line.find(" = "))};
  for (std::string name; left >> name;)
    if (name.find('.') == name.npos) defined.push_back(name.substr(0, name.find(',')));
}

std::vector<Part> parts_where(bool ends_process) {
  constexpr std::string_view mark = "# ----";
  const std::string_view other = ends_process ? " where it answers" : " where the process ends";
  std::vector<Part> parts;
  bool taken = false;
  for (const std::string& line : split(standalone_python_text)) {
    if (line.starts_with(mark)) {
      taken = line.substr(mark.size()) != other;
      if (taken) parts.emplace_back();
    } else if (taken && !line.empty()) {
      parts.back().text += line + "\n";
      add_names(line, parts.back().defines);
    }
  }
  return parts;
}

// Those that the statements name, and those that these name.
std::string parts_text(std::string_view body, bool ends_process) {
  const std::vector<Part> parts = parts_where(ends_process);
  std::vector<bool> taken(parts.size());
  std::string needing{body};
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto needed = [&](const std::string& name) { return names(needing, name); };
      if (taken[i] || std::ranges::none_of(parts[i].defines, needed)) continue;
      taken[i] = more = true;
      needing += parts[i].text;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (taken[i]) text += parts[i].text;
  return text;
}

std::size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Without what only people read, each statement in one line.
Lines whole_lines(std::string_view parts) {
  Lines lines;
  for (std::string line : split(parts)) {
    line.erase(std::min(line.find("  # "), line.size()));
    const bool goes_on = !lines.empty() && !lines.back().ends_with(':') &&
                         indentation(line) > indentation(lines.back());
    if (goes_on)
      lines.back() += " " + line.substr(indentation(line));
    else
      lines.push_back(line);
  }
  return lines;
}

// Begins a block.
bool is_compound(const std::string& line) {
  const std::string begun = line.substr(indentation(line));
  const auto begins = [&](std::string_view word) { return begun.starts_with(word); };
  return std::ranges::any_of(
      std::array<std::string_view, 6>{"def ", "class ", "if ", "for ", "try:", "except "}, begins);
}

// Statements of one block share a line, and so does a block of one line with its head.
std::string squeezed(std::string_view parts) {
  Lines lines;
  for (const std::string& line : whole_lines(parts)) {
    const bool joins = !lines.empty() && !is_compound(lines.back()) && !is_compound(line) &&
                       indentation(lines.back()) == indentation(line);
    if (joins)
      lines.back() += "; " + line.substr(indentation(line));
    else
      lines.push_back(line);
  }
  Lines shorter;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    shorter.push_back(lines[i]);
    const bool has_short_block =
        i + 1 < lines.size() && is_compound(lines[i]) && !is_compound(lines[i + 1]) &&
        indentation(lines[i + 1]) > indentation(lines[i]) &&
        (i + 2 == lines.size() || indentation(lines[i + 2]) <= indentation(lines[i]));
    if (!has_short_block) continue;
    ++i;
    shorter.back() += " " + lines[i].substr(indentation(lines[i]));
  }
  return fmt::format("{}\n", fmt::join(shorter, "\n"));
}

// ---- the statements ----

bool is_import(const std::string& statement) {
  return statement.starts_with("import ") || statement.starts_with("from ");
}

bool is_answer(const std::string& line) {
  return line.starts_with("saw(");
}

// Of "ask(<expression>)" the expression, of another statement nothing.
std::string asked(const std::string& line) {
  constexpr std::string_view ask = "ask(";
  return line.starts_with(ask) ? line.substr(ask.size(), line.size() - ask.size() - 1)
                               : std::string{};
}

// A question that was the last statement is asked where `matters`, and else left out.
void end_question(bool matters, Lines& lines) {
  if (lines.empty() || asked(lines.back()).empty()) return;
  if (matters)
    lines.back() = asked(lines.back());
  else
    lines.pop_back();
}

// "found = E" and "saw(found, V)" in one; what raised, as what is seen of it.
// Where the process ends, its answers until then are not compared.
void add_statement(std::string statement, bool ends_process, Lines& lines) {
  constexpr std::string_view found = "found = ", saw_found = "saw(found, ", raised = "raised(";
  if (ends_process && !statement.starts_with(saw_found)) {
    const std::size_t answer = statement.starts_with("saw(") ? 0 : statement.find("; saw(");
    if (answer != statement.npos) statement.erase(answer);
  }
  end_question(statement.starts_with(raised), lines);
  if (statement.empty() || statement == "pass") return;
  if (statement.starts_with("/*")) {
    const std::size_t end = statement.rfind("*/");
    lines.push_back("# cannot be shown without dlcert:" +
                    statement.substr(2, end == statement.npos ? end : end - 3));
  } else if (statement.starts_with(saw_found)) {
    const auto call = std::find_if(lines.rbegin(), lines.rend(), [&](const std::string& line) {
      return line.starts_with(found);
    });
    if (call == lines.rend()) return;
    *call =
        fmt::format("saw({}, {}", call->substr(found.size()), statement.substr(saw_found.size()));
  } else if (statement == "not_formed()") {
    const auto call = std::find_if(lines.rbegin(), lines.rend(),
                                   [](const std::string& line) { return !is_answer(line); });
    if (call != lines.rend()) lines.erase(std::next(call).base());
  } else if (statement.starts_with(raised)) {
    const auto call = std::find_if(lines.rbegin(), lines.rend(),
                                   [](const std::string& line) { return !is_answer(line); });
    if (call == lines.rend()) return;
    const std::size_t equals =
        call->find(" = ");  // of a name: what it would have made is not there
    const bool names_it =
        equals != call->npos &&
        std::all_of(call->begin(), call->begin() + static_cast<std::ptrdiff_t>(equals), is_of_name);
    *call = fmt::format("saw(error_of(lambda: {}), {}", names_it ? call->substr(equals + 3) : *call,
                        statement.substr(raised.size()));
  } else {
    lines.push_back(statement);
  }
}

// The digits of "2 bytes 00ff"; empty: of no bytes, of other values, or not all of them are told.
std::string_view digits_of(std::string_view told) {
  constexpr std::string_view mark = " bytes ";
  const std::size_t at = told.find(mark);
  if (at == told.npos || told.find('.') != told.npos) return {};
  return told.substr(at + mark.size());
}

// Elements at fault may be what memory holds by chance: any but those expected show it.
void judge_elements(const PythonProgram& program, Lines& lines) {
  const std::string_view wanted = digits_of(program.expected), found = digits_of(program.found);
  if (wanted.empty() || found.empty()) return;
  const std::string end = fmt::format(", \"{}\")", found);
  const auto line = std::find_if(lines.rbegin(), lines.rend(), [&](const std::string& one) {
    return is_answer(one) && one.ends_with(end);
  });
  if (line == lines.rend()) return;
  constexpr std::string_view saw = "saw(";
  const std::string call = line->substr(saw.size(), line->size() - saw.size() - end.size());
  *line = fmt::format("differs({}, \"{}\")", call, wanted);
}

// How often each deleter was called when the case had ended.
void add_accounts(const Lines& statements, Lines& lines) {
  constexpr std::string_view count = "saw(calls(";
  std::map<std::string, std::string> accounts;
  for (const std::string& statement : statements) {
    for (const std::string_view made : {" = offer(", " = sealed(offer("})
      if (const std::size_t at = statement.find(made); at != statement.npos)
        accounts.try_emplace(statement.substr(0, at), "0");
    if (!statement.starts_with(count)) continue;
    const std::size_t name_end = statement.find(')'), number = statement.rfind(", ");
    if (name_end == statement.npos || number == statement.npos) continue;
    accounts[statement.substr(count.size(), name_end - count.size())] =
        statement.substr(number + 2, statement.size() - number - 3);
  }
  for (const auto& [name, times] : accounts)
    if (const std::string line = fmt::format("saw(calls({}), {})", name, times);
        lines.empty() || lines.back() != line)
      lines.push_back(line);
}

// Not more lines than there is room for, where they can be put together.
Lines fitted(const Lines& lines, std::size_t room) {
  room = std::max<std::size_t>(room, 1);
  const std::size_t together = (lines.size() + room - 1) / room;
  Lines fit;
  std::size_t held = together;
  for (const std::string& line : lines) {
    const bool alone = line.starts_with("#");
    if (alone || held >= together) {
      fit.push_back(line);
      held = alone ? together : 1;
    } else {
      fit.back() += "; " + line;
      ++held;
    }
  }
  return fit;
}

// ---- what is around them ----

std::string heading(const PythonProgram& program) {
  std::string text = fmt::format("# {} ({}): {}\n# {}\n", commented(program.requirement),
                                 commented(program.library), commented(program.sentence),
                                 commented(program.message));
  if (!program.source.empty()) text += fmt::format("# Rule: {}\n", commented(program.source));
  return text +
         "# Exit code: 1 if the library shows the fault, 0 if not, 2 if the library cannot be "
         "imported\n# or if a name in this program has no value.\n";
}

// `library` is the module that the first line imports.
std::string library_imports(const Lines& imports, bool names_library) {
  constexpr std::string_view word = "import ";
  std::string text = "try:\n";
  for (const std::string& line : imports)
    text += fmt::format("    {}\n", line);
  if (names_library && !imports.empty() && imports.front().starts_with(word))
    text += fmt::format("    library = {}\n", imports.front().substr(word.size()));
  return text + "except ImportError as error:\n    sys.exit(print(error, flush=True) or 2)\n";
}

std::string set_up(bool ends_process) {
  return fmt::format(
      "signal.alarm(60)  # a hang ends by SIGALRM\n"
      "def unhandled(*error):\n"
      "    sys.__excepthook__(*error)\n"
      "    os._exit({} if issubclass(error[0], NameError) else {})\n"
      "sys.excepthook = unhandled\n",
      ends_process ? nameless_code : 2, ends_process ? survived_code : 0);
}

std::string parent() {
  return fmt::format(
      "if sys.argv[1:] != [\"--child\"]:  # what follows ends the process, or hangs\n"
      "    code = subprocess.run([sys.executable, __file__, \"--child\"]).returncode\n"
      "    print(\"{}\" if code == {} else f\"ended by {{signal.Signals(-code).name}}\"\n"
      "          if code < 0 else f\"ended early with exit status {{code}}\", flush=True)\n"
      "    sys.exit(2 if code == {} else code != {})\n",
      survived_line, survived_code, nameless_code, survived_code);
}

std::string ending(bool ends_process) {
  return ends_process ? fmt::format("os._exit({})\n", survived_code)
                      : fmt::format("print(\"{}\", flush=True)\nos._exit(1)\n", shown_line);
}

// One line that imports what the rest uses of Python's own.
std::string own_imports(std::string_view rest) {
  constexpr std::array<std::string_view, 10> modules{
      "builtins", "ctypes", "gc", "itertools", "math", "mmap", "os", "signal", "subprocess", "sys"};
  Lines used;
  for (const std::string_view module : modules)
    if (names(rest, module)) used.emplace_back(module);
  return fmt::format("import {}\n", fmt::join(used, ", "));
}

}  // namespace

std::string to_source(const PythonProgram& program) {
  Lines imports, body;
  for (const std::string& statement : program.statements) {
    if (is_import(statement) && body.empty())
      imports.push_back(statement);
    else
      add_statement(statement, program.ends_process, body);
  }
  end_question(program.ends_process, body);
  if (!program.ends_process) {
    judge_elements(program, body);
    add_accounts(program.statements, body);
  }
  const std::string head = heading(program), after = ending(program.ends_process);
  const std::string before =
      library_imports(imports, names(fmt::format("{}", fmt::join(body, "\n")), "library")) +
      set_up(program.ends_process) + (program.ends_process ? parent() : std::string{});
  std::string parts = parts_text(fmt::format("{}", fmt::join(body, "\n")), program.ends_process);
  const auto room = [&] {
    const auto taken = std::ranges::count(head + before + parts + after, '\n') + 1;
    return std::max(0, static_cast<int>(page_lines) - static_cast<int>(taken));
  };
  if (room() < std::min(readable_lines, static_cast<int>(body.size()))) parts = squeezed(parts);
  std::string statements;
  for (const std::string& line : fitted(body, static_cast<std::size_t>(room())))
    statements += line + "\n";
  return head + own_imports(before + parts + statements + after) + before + parts + statements +
         after;
}

}  // namespace dlcert
