// SPDX-License-Identifier: Apache-2.0
#include "report/toml_depth.hpp"

#include <algorithm>
#include <array>

namespace dlcert {
namespace {

// The length of the string or comment at the start of `text`, to its end where it is not closed; 0:
// it starts neither.
std::size_t quoted_length(std::string_view text) {
  if (text.front() == '#') return std::min(text.find('\n'), text.size());
  for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
    if (!text.starts_with(quote)) continue;
    const bool has_escapes = quote.front() == '"';
    for (std::size_t i = quote.size(); i < text.size(); ++i) {
      if (text[i] == '\\' && has_escapes)
        ++i;
      else if (text.substr(i).starts_with(quote))
        return i + quote.size();
      else if (text[i] == '\n' && quote.size() == 1)
        return i;
    }
    return text.size();
  }
  return 0;
}

// Ends a key, whatever else it means.
bool separates(char c) {
  constexpr std::string_view separators = "=,[]{}\n";
  return separators.find(c) != std::string_view::npos;
}

}  // namespace

DeepKey deepest_key(std::string_view text) {
  DeepKey deepest, key{1, 1, 1};
  std::size_t line = 1, line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(quoted_length(text.substr(i)), 1);
    const std::string_view part = text.substr(i, length);
    i += length;
    for (std::size_t k = part.find('\n'); k != part.npos; k = part.find('\n', k + 1)) {
      ++line;
      line_start = i - length + k + 1;
    }
    if (length > 1) continue;
    if (part.front() == '.') ++key.parts;
    if (key.parts > deepest.parts) deepest = key;
    if (separates(part.front())) key = {1, line, i - line_start + 1};
  }
  return deepest;
}

}  // namespace dlcert
