// SPDX-License-Identifier: Apache-2.0
#include "register/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dlcert {
namespace {

bool is_older(std::string_view one, std::string_view other) {
  return is_before(version_from_text(one), version_from_text(other));
}

std::string next_minor(std::string_view version) {
  DLPackVersion next = version_from_text(version);
  ++next.minor;
  return to_text(next);
}

Level weaker(Level one, Level other) {
  return std::max(one, other);
}

Level level_by(const Requirement& requirement, const Standards& standards,
               std::string_view version) {
  Level level = level_in(requirement, standards);
  for (const Tightening& change : requirement.tightened)
    if (change.before && is_older(version, change.in)) level = weaker(level, *change.before);
  return level;
}

// Why a library need not follow a rule of this level yet; empty: it must.
struct Grace {
  std::string why, until;  // "new in dlcert 0.2", "it binds from dlcert 0.3 on"
};

template <typename Binds>
Grace grace_of(const Requirement& requirement, Level level, const RulesVersion& rules,
               const Binds& binds) {
  // The first version has no older gate that could turn red.
  const bool may_warn = !rules.chosen && rules.version != known_rules().front();
  const std::string until = fmt::format("it binds from dlcert {} on", next_minor(rules.version));
  Grace grace;
  if (may_warn && requirement.added == rules.version)
    grace = {"new in dlcert " + rules.version, until};
  for (const Tightening& change : requirement.tightened) {
    const Level before = weaker(level, change.before.value_or(level));
    const bool as_before = change.before && (before == level || binds(before));
    if (may_warn && change.in == rules.version && !as_before)
      grace = {"stricter in dlcert " + change.in, until};
    if (!change.before && is_older(rules.version, change.in))
      grace = {"its check became stricter in dlcert " + change.in, "after the chosen rules"};
  }
  return grace;
}

}  // namespace

std::vector<std::string> known_rules() {
  return {"0.1"};
}

std::string rules_from_text(std::string_view text) {
  const std::vector<std::string> known = known_rules();
  if (std::ranges::find(known, text) == known.end())
    throw std::runtime_error{
        fmt::format("expected {} but found '{}'", fmt::join(known, ", "), text)};
  return std::string{text};
}

RulesVersion rules_of(const std::string& asked) {
  return asked.empty() ? RulesVersion{} : RulesVersion{rules_from_text(asked), true};
}

Standing standing_of(const Requirement& requirement, const Standards& standards,
                     const Settings& settings, const Strictness& strictness) {
  const auto binds = [&](Level level) {
    return is_binding(requirement, level, settings, strictness.strict, strictness.chosen);
  };
  Standing standing;
  standing.level = level_by(requirement, standards, strictness.rules.version);
  standing.binding = binds(standing.level);
  const auto [why, until] = grace_of(requirement, standing.level, strictness.rules, binds);
  if (why.empty()) return standing;
  standing.grace = standing.binding ? fmt::format("{}: {}", why, until) : why;
  standing.binding = false;
  return standing;
}

bool is_later(const Requirement& requirement, const RulesVersion& rules) {
  return is_older(rules.version, requirement.added);
}

std::string left_out(const Requirement& requirement, const Standards& standards,
                     const RulesVersion& rules) {
  return is_later(requirement, rules) ? "since dlcert " + requirement.added
                                      : outside_profile(requirement, standards);
}

std::vector<std::string> history_lines(const Requirement& requirement) {
  std::vector<std::string> lines{"added in dlcert " + requirement.added};
  for (const Tightening& change : requirement.tightened)
    lines.push_back(fmt::format(
        "stricter in dlcert {} ({}): {}", change.in,
        change.before ? fmt::format("{} before", to_text(*change.before)) : "only its check",
        change.why));
  return lines;
}

}  // namespace dlcert
