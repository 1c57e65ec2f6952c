// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace dlcert {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t margin_step = 4;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The end of the string that begins here with its quote.
std::size_t end_of_string(std::string_view code, std::size_t at) {
  const char quote = code[at];
  for (++at; at < code.size() && code[at] != quote; ++at)
    if (code[at] == '\\') ++at;
  return std::min(at + 1, code.size());
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

bool opens(char c) {
  return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
  return c == ')' || c == ']' || c == '}';
}

// Of the outermost brackets, from this place on, those that hold most: the places of the two.
struct Brackets {
  std::size_t open, close;
};

std::optional<Brackets> largest_brackets(std::string_view code) {
  std::optional<Brackets> largest;
  std::size_t depth = 0, open = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (is_quote(code[i])) {
      i = end_of_string(code, i) - 1;
    } else if (opens(code[i])) {
      if (depth++ == 0) open = i;
    } else if (closes(code[i]) && depth > 0 && --depth == 0) {
      const bool is_larger = !largest || i - open > largest->close - largest->open;
      if (i > open + 1 && is_larger) largest = Brackets{open, i};
    }
  }
  return largest;
}

// The parts between the commas outside of brackets, and not of a lambda's parameters. A
// comprehension is one part.
Lines between_commas(std::string_view code) {
  constexpr std::string_view comprehension = " for ";
  Lines parts{""};
  std::size_t depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::size_t end = is_quote(code[i]) ? end_of_string(code, i) : i + 1;
    if (opens(code[i])) ++depth;
    if (closes(code[i])) --depth;
    if (depth == 0 && code.substr(i, comprehension.size()) == comprehension)
      return {std::string{code}};
    const bool begins = parts.back().empty() && code[i] == ' ';
    const bool in_parameters =
        parts.back().starts_with("lambda ") && parts.back().find(':') == std::string::npos;
    if (code[i] == ',' && depth == 0 && !in_parameters)
      parts.emplace_back();
    else if (!begins)
      parts.back() += code.substr(i, end - i);
    i = end - 1;
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// A string alone, or with the name of its argument or a prefix, as several, which Python joins.
Lines shorter_strings(const std::string& code, std::size_t room) {
  const std::size_t begin = code.find_first_of("\"'");
  if (begin == code.npos || end_of_string(code, begin) != code.size()) return {code};
  const std::size_t equals = code.rfind('=', begin);
  const std::string before = equals < begin ? code.substr(0, equals + 1) : std::string{};
  const std::string prefix = code.substr(before.size(), begin - before.size());
  const char quote = code[begin];
  if (prefix.size() > 2 || room < 2 * margin_step + before.size()) return {code};
  Lines lines;
  std::string text = code.substr(begin + 1, code.size() - begin - 2);
  while (!text.empty()) {
    const std::string head = lines.empty() ? before : std::string{};
    std::size_t taken = std::min(text.size(), room - head.size() - prefix.size() - 2);
    const std::size_t escape = text.rfind('\\', taken - 1);  // at most \xNN
    if (taken < text.size() && escape != text.npos && escape + margin_step > taken && escape > 0)
      taken = text[escape - 1] == '\\' ? escape - 1 : escape;
    lines.push_back(fmt::format("{0}{1}{2}{3}{2}", head, prefix, quote, text.substr(0, taken)));
    text.erase(0, taken);
  }
  return lines;
}

void add(Lines& lines, std::string_view code, std::size_t indentation, std::string_view behind);

// A condition as lines, each of which but the first begins with "and".
Lines conjuncts_of(const std::string& code) {
  constexpr std::string_view conjunction = " and ";
  Lines conjuncts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (is_quote(code[i])) i = end_of_string(code, i) - 1;
    if (opens(code[i])) ++depth;
    if (closes(code[i])) --depth;
    if (depth != 0 || code.compare(i, conjunction.size(), conjunction) != 0) continue;
    conjuncts.push_back(code.substr(begin, i - begin));
    begin = i + 1;
  }
  conjuncts.push_back(code.substr(begin));
  return conjuncts;
}

// In brackets, where a line may end anywhere.
void add_inner(Lines& lines, const std::string& code, std::size_t indentation,
               std::string_view behind) {
  const std::size_t room = python_columns - indentation - behind.size();
  if (code.size() > room)
    for (Lines shorter : {shorter_strings(code, room), conjuncts_of(code)}) {
      if (shorter.size() == 1) continue;
      shorter.back() += behind;
      for (const std::string& line : shorter)
        lines.push_back(std::string(indentation, ' ') + line);
      return;
    }
  add(lines, code, indentation, behind);
}

void add(Lines& lines, std::string_view code, std::size_t indentation, std::string_view behind) {
  const std::string margin(indentation, ' ');
  const auto brackets = largest_brackets(code);
  if (indentation + code.size() + behind.size() <= python_columns || !brackets) {
    lines.push_back(fmt::format("{}{}{}", margin, code, behind));
    return;
  }
  lines.push_back(margin + std::string{code.substr(0, brackets->open + 1)});
  const std::string inside{code.substr(brackets->open + 1, brackets->close - brackets->open - 1)};
  const Lines parts = between_commas(inside);
  if (indentation + margin_step + inside.size() <= python_columns)
    lines.push_back(margin + std::string(margin_step, ' ') + inside);
  else
    for (const std::string& part : parts)
      add_inner(lines, part, indentation + margin_step, parts.size() > 1 ? "," : "");
  add(lines, code.substr(brackets->close), indentation, behind);
}

}  // namespace

std::vector<std::string> python_lines(std::string_view statement, std::size_t indentation) {
  Lines lines;
  add(lines, statement, indentation, "");
  return lines;
}

std::vector<std::string> comment_lines(std::string_view text) {
  Lines lines;
  std::istringstream words{std::string{text}};
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && lines.back().size() + 1 + word.size() <= python_columns;
    if (fits)
      lines.back() += " " + word;
    else
      lines.push_back(fmt::format("# {}", word.substr(0, python_columns - 2)));
  }
  return lines;
}

bool has_name(std::string_view code, std::string_view name) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (is_quote(code[i])) {
      i = end_of_string(code, i) - 1;
      continue;
    }
    const bool begins = i == 0 || (!is_of_name(code[i - 1]) && code[i - 1] != '.');
    const std::size_t end = i + name.size();
    if (begins && code.substr(i, name.size()) == name &&
        (end >= code.size() || !is_of_name(code[end])))
      return true;
  }
  return false;
}

}  // namespace dlcert
