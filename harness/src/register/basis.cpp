// SPDX-License-Identifier: Apache-2.0
#include "register/basis.hpp"

#include <fmt/format.h>

namespace dlcert {

std::vector<std::string> basis_lines(const Basis& basis) {
  std::vector<std::string> lines;
  for (const Quote& quote : basis.quotes)
    lines.push_back(quote.keyword.empty()
                        ? fmt::format("\"{}\" {}", quote.text, quote.link)
                        : fmt::format("\"{}\" ({}) {}", quote.text, quote.keyword, quote.link));
  for (const CodePlace& place : basis.code)
    lines.push_back(fmt::format("{} {}", place.function, place.link));
  for (const std::string& cited : basis.cited)
    lines.push_back(cited);
  if (!basis.follows.empty()) lines.push_back(fmt::format("It follows: {}", basis.follows));
  return lines;
}

}  // namespace dlcert
