// SPDX-License-Identifier: Apache-2.0
#include "standalone/standalone.hpp"

#include <fmt/format.h>

#include "standalone/texts.hpp"

namespace dlcert {

namespace {

constexpr std::string_view includes =
    "#define _GNU_SOURCE\n"
    "#include <dlfcn.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/mman.h>\n"
    "#include <unistd.h>\n\n";

// Text of any origin inside a block comment.
std::string commented(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool closes = c == '/' && !out.empty() && out.back() == '*';
    if (closes) out += ' ';
    out += c;
    if (c == '\n') out += " * ";
  }
  return out;
}

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

std::string to_source(const StandaloneProgram& program) {
  std::string out = fmt::format(
      "/*\n"
      " * {} ({}): {}\n"
      " *\n"
      " * {}\n"
      " *\n"
      " * Build and run:  cc -std=c11 -o counterexample THIS_FILE -ldl && ./counterexample "
      "[MODULE]\n"
      " */\n",
      commented(program.requirement), commented(program.library), commented(program.sentence),
      commented(program.message));
  out += includes;
  out += "/* ---- the adapter ABI of dlcert (adapter.h), without its comments ---- */\n\n";
  out += without_comments(adapter_abi_text);
  out += '\n';
  out += standalone_calls_text;
  out += '\n';
  out += standalone_counterparts_text;
  out += fmt::format(
      "\n"
      "int main(int argc, char** argv) {{\n"
      "  (void)unknown;\n"
      "  setvbuf(stdout, NULL, _IONBF, 0);\n"
      "  if (!load(argc > 1 ? argv[1] : {}))\n"
      "    return 2;\n\n",
      quoted(program.adapter));
  for (const std::string& statement : program.statements)
    out += fmt::format("  {}\n", statement);
  out += "\n  show_accounts();\n  return 0;\n}\n";
  return out;
}

}  // namespace dlcert
