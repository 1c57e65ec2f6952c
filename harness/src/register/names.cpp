// SPDX-License-Identifier: Apache-2.0
#include "register/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace dlcert {
namespace {

// The Levenshtein distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<std::size_t> row{i + 1};
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = above[j] + (a[i] == b[j] ? 0 : 1);
      row.push_back(std::min({replaced, above[j + 1] + 1, row[j] + 1}));
    }
    above = std::move(row);
  }
  return above.back();
}

}  // namespace

bool is_glob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  // On a mismatch, the latest star takes one character more: linear in practice, never exponential.
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t longest = 200;  // nobody mistypes more, and the distance costs its square
  if (name.size() > longest) return {};
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < fewest) {
      fewest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view nearest) {
  return nearest.empty() ? std::string{} : fmt::format(", did you mean '{}'?", nearest);
}

std::string join(std::span<const std::string> items) {
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace dlcert
