// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_parts.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "standalone/python_layout.hpp"
#include "standalone/texts.hpp"

namespace dlcert {

namespace {

struct Part {
  std::string name, text;
  std::vector<std::string> defined;
};

// The name that a line defines at the top level; empty: none.
std::string defined_name(std::string_view line) {
  for (const std::string_view keyword : {"def ", "class "})
    if (line.starts_with(keyword))
      return std::string{line.substr(keyword.size(), line.find_first_of("(:") - keyword.size())};
  const std::size_t end = line.find(" = ");
  const std::string_view name = line.substr(0, end);
  const bool is_name = end != line.npos && name.find_first_of(" .#(") == name.npos;
  return std::string{is_name ? name : std::string_view{}};
}

std::vector<Part> all_parts() {
  constexpr std::string_view mark = "# ---- ";
  std::vector<Part> parts;
  std::istringstream stream{std::string{standalone_python_text}};
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(mark)) {
      parts.push_back({line.substr(mark.size()), {}, {}});
    } else if (!parts.empty()) {
      parts.back().text += line + "\n";
      if (std::string name = defined_name(line); !name.empty())
        parts.back().defined.push_back(std::move(name));
    }
  }
  for (Part& part : parts)
    while (part.text.ends_with("\n\n"))
      part.text.pop_back();
  return parts;
}

}  // namespace

std::string in_names_of_vendor(std::string code, const PythonProgram& program) {
  constexpr std::string_view cuda = "cudart.cuda", hip = "hip.hip";
  if (!program.on_rocm) return code;
  for (std::size_t at = 0; (at = code.find(cuda, at)) != code.npos; at += hip.size())
    code.replace(at, cuda.size(), hip);
  return code;
}

std::string python_parts(std::string_view code, const PythonProgram& program) {
  const std::string_view left_out = program.ends_process ? "memory" : "guarded_memory";
  std::string text;
  const std::vector<Part> parts = all_parts();
  std::string named{code};
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {  // a part names earlier ones
    const bool is_named = std::ranges::any_of(
        part->defined, [&](const std::string& name) { return has_name(named, name); });
    if (!is_named || part->name == left_out) continue;
    const std::string shown = in_names_of_vendor(part->text, program);
    text = "\n\n" + shown + text;
    named += shown;
  }
  return text;
}

std::set<std::string> python_modules(std::string_view code) {
  constexpr std::array<std::string_view, 9> modules{
      "builtins", "ctypes", "gc", "itertools", "math", "mmap", "os", "signal", "subprocess"};
  std::set<std::string> named{"sys"};
  for (const std::string_view module : modules)
    if (has_name(code, module)) named.emplace(module);
  return named;
}

}  // namespace dlcert
