// SPDX-License-Identifier: Apache-2.0
#include "register/register.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "register/embedded.hpp"
#include "register/enum_texts.hpp"
#include "register/json_reader.hpp"
#include "register/names.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, 3> level_texts{"MUST", "SHOULD", "MAY"};
constexpr std::array<std::string_view, 4> roles{"producer", "consumer", "both", "runtime"};
constexpr std::array<std::string_view, 3> c_levels{"yes", "python-only", "hardware-only"};

template <typename Allowed>
std::string text_among(const JsonReader& value, const Allowed& allowed) {
  std::string text = value.text();
  if (std::ranges::find(allowed, text) == allowed.end())
    value.fail(fmt::format("one of {}", fmt::join(allowed, ", ")), fmt::format("'{}'", text));
  return text;
}

Requirement read_requirement(const JsonReader& entry, const std::string& area) {
  Requirement requirement;
  requirement.id = entry.text_at("id");
  requirement.area = text_among(entry.at("area"), std::array{area});
  requirement.level = entry.at("level").parse(level_from_text);
  requirement.role = text_among(entry.at("role"), roles);
  requirement.since = entry.text_at("since");
  requirement.until = entry.text_at("until");
  requirement.statement = entry.text_at("statement");
  requirement.source = entry.text_at("source");
  requirement.how_to_test = entry.text_at("how_to_test");
  requirement.ambiguity = entry.text_at("ambiguity");
  requirement.c_level = text_among(entry.at("c_level"), c_levels);
  requirement.policy = entry.text_or("policy", "");
  requirement.excused = entry.text_or("excused", "");
  return requirement;
}

Policy read_policy(const JsonReader& entry) {
  Policy policy;
  policy.name = entry.text_at("name");
  policy.question = entry.text_at("question");
  for (const auto& [value, meaning] : entry.at("values").members())
    policy.values.emplace(value, meaning.text());
  const JsonReader default_value = entry.at("default");
  policy.default_value = default_value.text();
  if (!policy.values.contains(policy.default_value))
    default_value.fail("one of the values", fmt::format("'{}'", policy.default_value));
  return policy;
}

template <typename Read>
void read_source(const Register::Source& source, const Read& read) {
  try {
    const nlohmann::json document = parse_json(source.text);
    read(JsonReader{document});
  } catch (const std::exception& error) {
    throw std::runtime_error{fmt::format("{}: {}", source.name, error.what())};
  }
}

template <typename Named, typename Projection>
void require_unique(const std::vector<Named>& items, Projection name, std::string_view what) {
  std::set<std::string_view> seen;
  for (const Named& item : items)
    if (!seen.insert(item.*name).second)
      throw std::runtime_error{fmt::format("{} '{}': listed twice", what, item.*name)};
}

}  // namespace

std::string_view to_text(Level level) {
  return level_texts.at(static_cast<std::size_t>(level));
}

Level level_from_text(std::string_view text) {
  return enum_from_text<Level>(text, level_texts, "level");
}

Register Register::parse(std::span<const Source> areas, Source policies) {
  Register result;
  read_source(policies, [&](const JsonReader& document) {
    for (const JsonReader& entry : document.at("policies").items())
      result.policies_.push_back(read_policy(entry));
  });
  require_unique(result.policies_, &Policy::name, "policy");

  for (const Source& source : areas) {
    read_source(source, [&](const JsonReader& document) {
      const std::string area = document.text_at("area");
      for (const JsonReader& entry : document.at("requirements").items()) {
        Requirement requirement = read_requirement(entry, area);
        if (!requirement.policy.empty() && result.find_policy(requirement.policy) == nullptr)
          entry.at("policy").fail("a known policy", fmt::format("'{}'", requirement.policy));
        result.requirements_.push_back(std::move(requirement));
      }
    });
  }
  require_unique(result.requirements_, &Requirement::id, "requirement");
  return result;
}

const Register& Register::embedded() {
  static const Register known = [] {
    std::vector<Source> areas;
    Source policies;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.name.starts_with("requirements/")) areas.push_back({file.name, file.text});
      if (file.name == "policies.json") policies = {file.name, file.text};
    }
    return parse(areas, policies);
  }();
  return known;
}

const Requirement* Register::find(std::string_view id) const {
  const auto found = std::ranges::find(requirements_, id, &Requirement::id);
  return found == requirements_.end() ? nullptr : &*found;
}

const Policy* Register::find_policy(std::string_view name) const {
  const auto found = std::ranges::find(policies_, name, &Policy::name);
  return found == policies_.end() ? nullptr : &*found;
}

std::string Register::nearest(std::string_view id) const {
  std::set<std::string> names;  // IDs and their beginnings
  for (const Requirement& requirement : requirements_)
    for (std::size_t dot = 0; dot != std::string::npos;) {
      dot = requirement.id.find('.', dot + 1);
      names.insert(requirement.id.substr(0, dot));
    }
  const std::vector<std::string> known{names.begin(), names.end()};
  return nearest_name(id, known);
}

}  // namespace dlcert
