// SPDX-License-Identifier: Apache-2.0
#include "register/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "register/json_reader.hpp"
#include "register/names.hpp"
#include "register/register.hpp"

namespace dlcert {
namespace {

std::vector<Pattern> patterns_or(const JsonReader& entry, const char* key,
                                 std::vector<Pattern> otherwise) {
  const std::optional<JsonReader> found = entry.find(key);
  return found ? found->texts() : std::move(otherwise);
}

std::size_t number_or(const JsonReader& entry, const char* key, std::size_t otherwise) {
  const std::optional<JsonReader> found = entry.find(key);
  return found ? found->integer_as<std::size_t>() : otherwise;
}

// Patterns of requirements, of which each must match one.
std::vector<Pattern> read_requirements(const JsonReader& list, const Register& known) {
  for (const JsonReader& item : list.items())
    if (std::ranges::none_of(known.requirements(), [&](const Requirement& requirement) {
          return matches_glob(item.text(), requirement.id);
        }))
      item.fail("a known requirement", fmt::format("'{}'", item.text()));
  return list.texts();
}

}  // namespace

CauseRules read_cause_rules(const JsonReader& document, const Register& known) {
  CauseRules rules;
  for (const JsonReader& entry : document.at("expectations").items()) {
    Expectation& read = rules.expectations.emplace_back();
    read.name = entry.text_at("name");
    read.says = entry.at("says").texts();
    for (const JsonReader& group : entry.at("shows").items())
      read.shows.push_back(read_requirements(group, known));
    if (const auto vague = entry.find("vague")) read.vague = vague->boolean();
    read.because = entry.text_at("because");
  }
  for (const JsonReader& entry : document.at("rests_on").items()) {
    Dependence& read = rules.rests_on.emplace_back();
    read.requirements = read_requirements(entry.at("requirements"), known);
    read.on = read_requirements(entry.at("on"), known);
    read.says = patterns_or(entry, "says", std::move(read.says));
    read.unless = patterns_or(entry, "unless", {});
    read.where = patterns_or(entry, "where", std::move(read.where));
    read.at_least = number_or(entry, "at_least", read.at_least);
    read.at_most = number_or(entry, "at_most", read.at_most);
    read.because = entry.text_at("because");
  }
  return rules;
}

bool matches_any(std::string_view text, std::span<const Pattern> patterns) {
  return std::ranges::any_of(patterns,
                             [&](const Pattern& pattern) { return matches_glob(pattern, text); });
}

}  // namespace dlcert
