// SPDX-License-Identifier: Apache-2.0
#include "register/debian_version.hpp"

#include <algorithm>

#include "register/ascii.hpp"

namespace dlcert {
namespace {

struct Parts {
  std::string_view epoch, upstream, revision;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  if (const std::size_t colon = text.find(':'); colon != text.npos) {
    parts.epoch = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  const std::size_t hyphen = text.rfind('-');
  parts.upstream = text.substr(0, hyphen);
  if (hyphen != text.npos) parts.revision = text.substr(hyphen + 1);
  return parts;
}

// The place of a character among those that are no digits; 0 at the end and before a digit.
int rank(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return 0;
  if (text.front() == '~') return -1;
  const int code = static_cast<unsigned char>(text.front());
  return is_letter(text.front()) ? code : code + 256;
}

std::string_view take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

int compare_parts(std::string_view a, std::string_view b) {
  const auto before_number = [](std::string_view text) {
    return !text.empty() && !is_digit(text.front());
  };
  while (!a.empty() || !b.empty()) {
    while (before_number(a) || before_number(b)) {
      if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    const std::string_view number_a = take_number(a), number_b = take_number(b);
    if (number_a.size() != number_b.size()) return number_a.size() < number_b.size() ? -1 : 1;
    if (const int order = number_a.compare(number_b); order != 0) return order;
  }
  return 0;
}

}  // namespace

bool is_debian_version(std::string_view text) {
  const auto [epoch, upstream, revision] = parts_of(text);
  const bool has_epoch = text.find(':') != text.npos;
  if (has_epoch && (epoch.empty() || !std::ranges::all_of(epoch, is_digit))) return false;
  if (upstream.empty() || !is_digit(upstream.front())) return false;
  if (text.ends_with('-')) return false;
  return std::ranges::all_of(text, [](char c) {
    return is_digit(c) || is_letter(c) ||
           std::string_view{".+-~:"}.find(c) != std::string_view::npos;
  });
}

int compare_debian_versions(std::string_view a, std::string_view b) {
  const Parts x = parts_of(a), y = parts_of(b);
  if (const int order = compare_parts(x.epoch, y.epoch); order != 0) return order;
  if (const int order = compare_parts(x.upstream, y.upstream); order != 0) return order;
  return compare_parts(x.revision, y.revision);
}

}  // namespace dlcert
