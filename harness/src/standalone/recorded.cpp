// SPDX-License-Identifier: Apache-2.0
#include "standalone/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "standalone/c_text.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

constexpr std::size_t most_lines = 80;
constexpr std::size_t lines_around = 18;  // the statements, without the calls

constexpr std::string_view recorded_begin =
    "/* Definitions that the recorded counterexamples in this folder share. Needs only C11. */\n"
    "#ifndef DLCERT_RECORDED_H\n"
    "#define DLCERT_RECORDED_H\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n\n";
constexpr std::string_view recorded_end = "\n#endif\n";

// The last lines that there is room for: the struct came of those.
std::string calls_text(std::span<const std::string> trace, std::size_t room) {
  std::string out;
  if (trace.size() > room)
    out += fmt::format(" *   (earlier calls that are left out: {})\n", trace.size() - room);
  for (const std::string& line : trace.last(std::min(trace.size(), room)))
    out += fmt::format(" *   {}\n", commented(line));
  return out;
}

}  // namespace

std::string recorded_header() {
  return fmt::format("{}{}\n{}{}", recorded_begin, standalone_dlpack_text, standalone_recorded_text,
                     recorded_end);
}

std::string to_source(const RecordedProgram& program) {
  const std::size_t taken = lines_around + program.statements.size();
  const std::size_t room = taken < most_lines ? most_lines - taken : 0;
  std::string out = fmt::format(
      "/*\n"
      " * {} ({}): {}\n"
      " *\n"
      " * {}\n"
      " *\n"
      " * This program judges a recorded struct and calls no library. `exported` is the struct\n"
      " * that the library handed over when dlcert found the fault.{}\n"
      " *\n"
      " * The calls:\n"
      "{}"
      " *\n"
      " * Build and run:  cc -std=c11 -o recorded THIS_FILE && ./recorded\n"
      " * Exit code: 1 if the struct breaks the rule, 0 if not.\n"
      " */\n"
      "#include \"{}\"\n"
      "\n"
      "int main(void) {{\n",
      commented(program.requirement), commented(program.library), commented(program.sentence),
      commented(program.message),
      program.program.empty() ? ""
                              : fmt::format(" {} calls the library.", commented(program.program)),
      calls_text(program.trace, room), recorded_header_name);
  for (const std::string& statement : program.statements)
    out += fmt::format("  {}\n", statement);
  return out + "}\n";
}

}  // namespace dlcert
