// SPDX-License-Identifier: Apache-2.0
#include "standalone/c_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace dlcert {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t longest_string = 72;  // of a part, with its quotes

// The end of the string that begins here with its quote.
std::size_t end_of_literal(std::string_view code, std::size_t at) {
  for (++at; at < code.size() && code[at] != '"'; ++at)
    if (code[at] == '\\') ++at;
  return std::min(at + 1, code.size());
}

// An escape is as long as it is written: \n, or \ooo.
std::size_t length_of_character(std::string_view text) {
  if (text.front() != '\\' || text.size() < 2) return 1;
  return text[1] >= '0' && text[1] <= '7' ? 4 : 2;
}

// A string, as several if it is long: the compiler joins them. An escape stays whole.
Lines strings_of(std::string_view literal) {
  Lines strings;
  std::string_view text = literal.substr(1, literal.size() - 2);
  do {
    std::size_t taken = 0;
    while (taken < text.size() && taken + 2 < longest_string)
      taken += length_of_character(text.substr(taken));
    taken = std::min(taken, text.size());
    strings.push_back(fmt::format("\"{}\"", text.substr(0, taken)));
    text.remove_prefix(taken);
  } while (!text.empty());
  return strings;
}

// What stays in one line, and the brackets that it opens and closes.
struct Piece {
  std::string text;
  bool is_spaced = false;  // a space stands before it, if it does not begin a line
};

// Whether a line may end in the brackets that open here: not in a short list.
bool is_long(std::string_view code) {
  constexpr std::size_t longest_list = 40;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '"') i = end_of_literal(code, i) - 1;
    if (code[i] == '(' || code[i] == '{') ++depth;
    if ((code[i] == ')' || code[i] == '}') && --depth == 0) return i > longest_list;
  }
  return true;
}

// A line may end behind a comma or an operator in long brackets, and between strings.
std::vector<Piece> pieces_of(std::string_view code) {
  std::vector<Piece> pieces{{}};
  std::vector<bool> long_brackets{true};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '"') {
      const std::size_t end = end_of_literal(code, i);
      const Lines strings = strings_of(code.substr(i, end - i));
      pieces.back().text += strings.front();
      for (std::size_t part = 1; part < strings.size(); ++part)
        pieces.push_back({strings[part], true});
      i = end - 1;
      continue;
    }
    if (code[i] == '(' || code[i] == '{') long_brackets.push_back(is_long(code.substr(i)));
    if ((code[i] == ')' || code[i] == '}') && long_brackets.size() > 1) long_brackets.pop_back();
    const std::string& last = pieces.back().text;
    const bool may_end =
        code[i] == ' ' && long_brackets.back() && (last.ends_with(',') || last.ends_with("&&"));
    if (may_end)
      pieces.push_back({{}, true});
    else
      pieces.back().text += code[i];
  }
  return pieces;
}

// Columns behind the brackets that are open at the end of a line.
void follow(std::vector<std::size_t>& open, std::string_view text, std::size_t column) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      i = end_of_literal(text, i) - 1;
    else if (text[i] == '(' || text[i] == '{')
      open.push_back(column + i + 1);
    else if ((text[i] == ')' || text[i] == '}') && !open.empty())
      open.pop_back();
  }
}

}  // namespace

std::vector<std::string> c_lines(std::string_view statement, std::size_t indentation) {
  Lines lines;
  std::string line(indentation, ' ');
  std::vector<std::size_t> open;
  for (const Piece& piece : pieces_of(statement)) {
    const std::size_t width = line.size() + (piece.is_spaced ? 1 : 0) + piece.text.size();
    if (piece.is_spaced && width > c_columns) {
      lines.push_back(line);
      const std::size_t below = open.empty() ? indentation + 4 : open.back();
      const bool fits = below + piece.text.size() <= c_columns;
      line = std::string(fits ? below : indentation + 4, ' ');
    } else if (piece.is_spaced) {
      line += ' ';
    }
    follow(open, piece.text, line.size());
    line += piece.text;
  }
  lines.push_back(line);
  return lines;
}

std::vector<std::string> block_comment_lines(std::string_view text) {
  Lines lines;
  std::istringstream words{std::string{text}};
  for (std::string word; words >> word;) {
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= c_columns)
      lines.back() += " " + word;
    else
      lines.push_back(fmt::format(" * {}", word.substr(0, c_columns - 3)));
  }
  return lines;
}

}  // namespace dlcert
