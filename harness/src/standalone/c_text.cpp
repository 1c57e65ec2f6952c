// SPDX-License-Identifier: Apache-2.0
#include "standalone/c_text.hpp"

namespace dlcert {

namespace {

bool printable(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code >= 0x20 && code < 0x7f;
}

}  // namespace

std::string commented(std::string_view text) {
  constexpr std::size_t most = 400;
  std::string out;
  for (const char c : text.substr(0, most)) {
    const char last = out.empty() ? ' ' : out.back();
    const char shown = printable(c) ? c : c == '\n' || c == '\t' ? ' ' : '.';
    if ((c == '/' && last == '*') || (c == '*' && last == '/') || (c == '?' && last == '?'))
      out += ' ';
    out += shown;
  }
  return text.size() > most ? out + " ..." : out;
}

}  // namespace dlcert
