// SPDX-License-Identifier: Apache-2.0
#include "register/version_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "register/ascii.hpp"
#include "register/debian_version.hpp"
#include "register/python_version.hpp"
#include "register/text.hpp"

namespace dlcert {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

[[noreturn]] void refuse(std::string_view what, std::string_view found) {
  throw std::runtime_error{
      one_line(fmt::format("expected a version range such as '>=2.0, <2.4' but found '{}'{}{}",
                           found, what.empty() ? "" : ": ", what))};
}

bool is_version(std::string_view text) {
  return PythonVersion::parse(text).has_value() || is_debian_version(text);
}

// The first parts of a release, by text: "2.1" of "2.1~rc1-3" and of "2.1.7".
bool starts_with_parts(std::string_view version, std::string_view prefix) {
  return version.starts_with(prefix) &&
         (version.size() == prefix.size() || !is_digit(version[prefix.size()]));
}

// PEP 440, "Exclusive ordered comparison": a bound means its pre-releases, post-releases and local
// versions too, unless it is one itself.
bool is_less(const PythonVersion& candidate, const PythonVersion& bound) {
  if (!(candidate < bound)) return false;
  return bound.is_prerelease() || !candidate.is_prerelease() || candidate.base() != bound.base();
}

bool is_greater(const PythonVersion& candidate, const PythonVersion& bound) {
  if (!(candidate > bound)) return false;
  if (candidate.base() != bound.base()) return true;
  return candidate.local.empty() && (bound.post || !candidate.post);
}

// "~=2.2": at least 2.2, and 2 in front.
bool is_compatible(const PythonVersion& candidate, const PythonVersion& bound) {
  PythonVersion series = bound.base();
  --series.release_parts;
  return candidate.without_local() >= bound && candidate.starts_with(series);
}

}  // namespace

VersionRange::Bound VersionRange::parse_bound(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Relation>, 8> operators{{
      {"<=", Relation::less_equal},
      {">=", Relation::greater_equal},
      {"==", Relation::equal},
      {"!=", Relation::not_equal},
      {"~=", Relation::compatible},
      {"<", Relation::less},
      {">", Relation::greater},
      {"=", Relation::equal},
  }};
  Bound bound;
  std::string_view rest = text;
  for (const auto& [symbol, relation] : operators) {
    if (!text.starts_with(symbol)) continue;
    bound.relation = relation;
    rest = trimmed(text.substr(symbol.size()));
    break;
  }
  const bool exact = bound.relation == Relation::equal || bound.relation == Relation::not_equal;
  if (rest.ends_with(".*")) {
    rest.remove_suffix(2);
    bound.prefix = true;
    const auto release = PythonVersion::parse(rest);
    if (!exact) refuse("only == and != take '.*'", text);
    if (!release || *release != release->base()) refuse("'.*' must follow a release", text);
  } else if (!is_version(rest)) {
    refuse("", text);
  }
  const auto python = PythonVersion::parse(rest);
  if (bound.relation == Relation::compatible && (!python || python->release_parts < 2))
    refuse("~= needs a version with at least two parts", text);
  if (!exact && python && !python->local.empty())
    refuse("only == and != take a local version", text);
  bound.version = rest;
  return bound;
}

VersionRange VersionRange::parse(std::string_view text) {
  VersionRange range;
  range.text_ = text;
  if (trimmed(text) == "*") return range;
  while (true) {
    const std::size_t comma = text.find(',');
    range.bounds_.push_back(parse_bound(trimmed(text.substr(0, comma))));
    if (comma == std::string_view::npos) return range;
    text.remove_prefix(comma + 1);
  }
}

VersionRange VersionRange::exactly(std::string_view version) {
  return parse(is_version(version) ? version : "*");
}

bool VersionRange::Bound::admits(std::string_view candidate) const {
  const auto python = PythonVersion::parse(candidate), wanted = PythonVersion::parse(version);
  if (!python && !is_debian_version(candidate)) return false;
  if (prefix) {
    const bool starts =
        python ? python->starts_with(*wanted) : starts_with_parts(candidate, version);
    return starts == (relation == Relation::equal);
  }
  // Where the bound names no local version, all local versions are the same.
  const auto seen = python && wanted && wanted->local.empty() ? python->without_local() : python;
  const int order = !python || !wanted ? compare_debian_versions(candidate, version)
                    : *seen < *wanted  ? -1
                                       : *seen > *wanted;
  switch (relation) {
    case Relation::less:
      return python && wanted ? is_less(*python, *wanted) : order < 0;
    case Relation::less_equal:
      return order <= 0;
    case Relation::equal:
      return order == 0;
    case Relation::not_equal:
      return order != 0;
    case Relation::compatible:
      return python && is_compatible(*python, *wanted);
    case Relation::greater_equal:
      return order >= 0;
    case Relation::greater:
      return python && wanted ? is_greater(*python, *wanted) : order > 0;
  }
  return false;
}

bool VersionRange::contains(std::string_view version) const {
  return std::ranges::all_of(bounds_, [&](const Bound& bound) { return bound.admits(version); });
}

}  // namespace dlcert
