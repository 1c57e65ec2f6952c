// SPDX-License-Identifier: Apache-2.0
#include "standalone/standalone.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "standalone/c_text.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

constexpr int standalone_seconds = 60;

constexpr std::string_view header_begin =
    "/* Definitions that the counterexamples in this folder share: dlcert's adapter ABI\n"
    "   (adapter.h) without its comments, calls that print the library's answers, and managed\n"
    "   tensors. */\n"
    "#ifndef DLCERT_COUNTEREXAMPLE_H\n"
    "#define DLCERT_COUNTEREXAMPLE_H\n"
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <stdarg.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/mman.h>\n"
    "#include <unistd.h>\n\n";
constexpr std::string_view header_end = "\n#endif\n";

// A C string.
std::string quoted(std::string_view text) {
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

// The statements as lines: an answer beside its call, and not more lines than a page has.
std::vector<std::string> lines_of(const std::vector<std::string>& statements) {
  constexpr std::size_t most = 50;
  std::vector<std::string> lines;
  for (const std::string& statement : statements)
    if (statement.starts_with("saw(") && !lines.empty())
      lines.back() += "  " + statement;
    else
      lines.push_back(statement);
  const std::size_t together = (lines.size() + most - 1) / most;
  std::vector<std::string> page;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i % together == 0)
      page.push_back(lines[i]);
    else
      page.back() += "  " + lines[i];
  return page;
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

}  // namespace

bool makes_all_calls(const std::vector<std::string>& statements) {
  return std::ranges::none_of(
      statements, [](const std::string& statement) { return statement.starts_with("/*"); });
}

std::string standalone_header() {
  std::string out{header_begin};
  out += without_comments(adapter_abi_text);
  out += '\n';
  out += standalone_dlpack_text;
  out += '\n';
  out += standalone_calls_text;
  out += '\n';
  out += standalone_counterparts_text;
  out += header_end;
  return out;
}

std::string to_source(const StandaloneProgram& program) {
  std::string out = fmt::format(
      "/*\n"
      " * {} ({}): {}\n"
      " *\n"
      " * {}\n"
      " *\n"
      " * Build and run:  cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample "
      "[MODULE]\n"
      " * Exit code: {}, 0 if not, 2 if the module\n"
      " * cannot be loaded.\n"
      " */\n"
      "#ifndef DLCERT_COUNTEREXAMPLE_H\n"
      "#include \"{}\"\n"
      "#endif\n",
      commented(program.requirement), commented(program.library), commented(program.sentence),
      commented(program.message),
      program.ends_process
          ? "a signal (in a shell: 128 plus its number) if the library shows the fault"
          : "1 if the library shows the fault",
      standalone_header_name);
  out += fmt::format(
      "\n"
      "int main(int argc, char** argv) {{\n"
      "  (void)unknown;\n"
      "  setvbuf(stdout, NULL, _IONBF, 0);\n"
      "  alarm({}); /* a hang ends by SIGALRM */\n"
      "  if (!load(argc > 1 ? argv[1] : {})) return 2;\n\n",
      standalone_seconds, quoted(program.adapter));
  for (const std::string& line : lines_of(program.statements))
    out += fmt::format("  {}\n", line);
  out += program.ends_process
             ? fmt::format("\n  show_accounts();\n  printf(\"{}\\n\");\n  return 0;\n}}\n",
                           survived_line)
             : "\n  show_accounts();\n  return shows_fault();\n}\n";
  return out;
}

}  // namespace dlcert
