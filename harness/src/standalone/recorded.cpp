// SPDX-License-Identifier: Apache-2.0
#include "standalone/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "standalone/c_layout.hpp"
#include "standalone/c_text.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

constexpr std::string_view recorded_begin =
    "/* Definitions that the recorded counterexamples in this folder share. Needs only C11. */\n"
    "#ifndef DLCERT_RECORDED_H\n"
    "#define DLCERT_RECORDED_H\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n\n";
constexpr std::string_view recorded_end = "\n#endif\n";

std::string calls_text(std::span<const std::string> trace) {
  std::string out;
  for (const std::string& call : trace)
    for (const std::string& line : block_comment_lines(commented(call)))
      out += fmt::format(" *  {}\n", line.substr(std::min<std::size_t>(2, line.size())));
  return out;
}

}  // namespace

std::string recorded_header() {
  return fmt::format("{}{}\n{}{}", recorded_begin, standalone_dlpack_text, standalone_recorded_text,
                     recorded_end);
}

std::string to_source(const RecordedProgram& program) {
  std::string out = "/*\n";
  const auto add = [&](const std::string& paragraph) {
    for (const std::string& line : block_comment_lines(paragraph))
      out += line + "\n";
    out += " *\n";
  };
  add(fmt::format("{}: {}", commented(program.library), commented(program.message)));
  std::string rule =
      fmt::format("Rule ({}): {}.", commented(program.requirement), commented(program.sentence));
  if (!program.source.empty()) rule += fmt::format(" Source: {}", commented(program.source));
  add(rule);
  std::string what =
      "This program judges a recorded struct and calls no library. `exported` is the struct that "
      "the library handed over when dlcert found the fault.";
  if (!program.program.empty())
    what += fmt::format(" {} calls the library.", commented(program.program));
  add(what);
  out += " * The calls:\n" + calls_text(program.trace) + " *\n";
  add("Build and run: cc -std=c11 -o recorded THIS_FILE && ./recorded");
  out += " * Exit code: 1 if the struct breaks the rule, 0 if it keeps it.\n */\n";
  out += fmt::format("#include \"{}\"\n\nint main(void) {{\n", recorded_header_name);
  for (const std::string& statement : program.statements)
    for (const std::string& line : c_lines(statement, 2))
      out += line + "\n";
  return out + "}\n";
}

}  // namespace dlcert
