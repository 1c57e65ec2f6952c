// SPDX-License-Identifier: Apache-2.0
#include "runner/sanitizer_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace dlcert {
namespace {

constexpr std::array<std::string_view, 5> our_folders{
    "conformance/", "harness/src/", "harness/shims/", "harness/include/dlcert/suite/",
    "reference/driver/"};

// Parts of UndefinedBehaviorSanitizer's messages, the same in gcc and clang.
constexpr std::array<std::string_view, 9> our_kinds{
    "signed integer overflow",
    "negation of",
    "shift of",
    "shift exponent",
    "division by zero",
    "out of bounds for type",
    "is outside the range of representable values",
    "execution reached",
    "through pointer to incorrect function type",
};

constexpr std::string_view mark = ": runtime error: ";

// The folder of the project, from where this file lies.
constexpr std::string_view compiled_from() {
  constexpr std::string_view here = __FILE__, inside = "harness/src/runner/sanitizer_report.cpp";
  return here.ends_with(inside) ? here.substr(0, here.size() - inside.size()) : "";
}

template <std::size_t size>
bool has_any(std::string_view text, const std::array<std::string_view, size>& parts) {
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != text.npos; });
}

bool is_ours(std::string_view place, std::string_view project) {
  if (project.empty() || !place.starts_with(project)) return false;
  place.remove_prefix(project.size());
  return std::ranges::any_of(our_folders,
                             [&](std::string_view folder) { return place.starts_with(folder); });
}

// Takes the first line off `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// What a report has behind its first line: where the function is defined, frames, the summary.
bool belongs_to_report(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == line.npos) return true;
  return line.substr(start).starts_with("#") || line.find(": note: ") != line.npos ||
         line.starts_with("SUMMARY: UndefinedBehaviorSanitizer: ");
}

}  // namespace

std::string fault_of_harness(std::string_view output, std::string_view project) {
  if (project.empty()) project = compiled_from();
  const std::size_t found = output.rfind(mark);
  if (found == output.npos) return {};
  const std::size_t before = output.rfind('\n', found);
  std::string_view rest = output.substr(before == output.npos ? 0 : before + 1);
  const std::string_view report = take_line(rest);
  while (!rest.empty())
    if (!belongs_to_report(take_line(rest))) return {};

  const std::string_view place = report.substr(0, report.find(mark));
  const std::string_view what = report.substr(report.find(mark) + mark.size());
  if (!is_ours(place, project) || !has_any(what, our_kinds)) return {};
  return fmt::format("a fault of dlcert, not of the library: {}: {}", place.substr(project.size()),
                     what);
}

bool leaks_were_not_looked_for(std::string_view output) {
  return output.find("LeakSanitizer has encountered a fatal error") != output.npos;
}

}  // namespace dlcert
