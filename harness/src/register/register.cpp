// SPDX-License-Identifier: Apache-2.0
#include "register/register.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <stdexcept>

#include "register/embedded.hpp"
#include "register/enum_texts.hpp"
#include "register/json_reader.hpp"
#include "register/names.hpp"
#include "register/profile.hpp"

namespace dlcert {
namespace {

constexpr std::array<std::string_view, 3> level_texts{"MUST", "SHOULD", "MAY"};
constexpr std::array<std::string_view, 4> roles{"producer", "consumer", "both", "runtime"};
constexpr std::array<std::string_view, 4> abouts{"order", "values", "memory", "deletion"};
constexpr std::array<std::string_view, 2> c_levels{"yes", "hardware-only"};
constexpr std::array<std::string_view, 4> kind_texts{"claimable", "always", "shared", "elsewhere"};
constexpr std::array<std::string_view, 3> platform_texts{"any", "cuda", "rocm"};

template <typename Allowed>
std::string text_among(const JsonReader& value, const Allowed& allowed) {
  std::string text = value.text();
  if (std::ranges::find(allowed, text) == allowed.end())
    value.fail(fmt::format("one of {}", fmt::join(allowed, ", ")), fmt::format("'{}'", text));
  return text;
}

std::vector<JsonReader> items_or_none(const JsonReader& entry, const char* key) {
  const std::optional<JsonReader> found = entry.find(key);
  return found ? found->items() : std::vector<JsonReader>{};
}

std::vector<std::string> texts_or_none(const JsonReader& entry, const char* key) {
  const std::optional<JsonReader> found = entry.find(key);
  return found ? found->texts() : std::vector<std::string>{};
}

Basis read_basis(const JsonReader& entry) {
  Basis basis;
  for (const JsonReader& quote : items_or_none(entry, "quotes"))
    basis.quotes.push_back(
        {quote.text_at("text"), quote.text_at("keyword"), quote.text_at("link")});
  for (const JsonReader& place : items_or_none(entry, "code"))
    basis.code.push_back({place.text_at("function"), place.text_at("link")});
  basis.cited = texts_or_none(entry, "cited");
  basis.follows = entry.text_or("follows", "");
  return basis;
}

std::vector<Tightening> read_history(const JsonReader& entry, const std::string& added) {
  std::vector<Tightening> history;
  for (const JsonReader& item : items_or_none(entry, "tightened")) {
    Tightening change{to_text(item.at("in").parse(version_from_text)), {}, item.text_at("why")};
    const std::string& earlier = history.empty() ? added : history.back().in;
    if (!is_before(version_from_text(earlier), version_from_text(change.in)))
      item.at("in").fail("a version after " + earlier, fmt::format("'{}'", change.in));
    if (const auto level = item.find("before")) change.before = level->parse(level_from_text);
    history.push_back(std::move(change));
  }
  return history;
}

Requirement read_requirement(const JsonReader& entry, const std::string& area) {
  Requirement requirement;
  requirement.id = entry.text_at("id");
  requirement.area = text_among(entry.at("area"), std::array{area});
  requirement.feature = entry.text_at("feature");
  requirement.level = entry.at("level").parse(level_from_text);
  if (const auto level = entry.find("without_array_api"))
    requirement.without_array_api = level->parse(level_from_text);
  requirement.role = text_among(entry.at("role"), roles);
  requirement.since = entry.text_at("since");
  requirement.until = entry.text_at("until");
  requirement.added = to_text(entry.at("added").parse(version_from_text));
  requirement.tightened = read_history(entry, requirement.added);
  requirement.statement = entry.text_at("statement");
  requirement.source = entry.text_at("source");
  requirement.basis = read_basis(entry);
  requirement.how_to_test = entry.text_at("how_to_test");
  requirement.ambiguity = entry.text_at("ambiguity");
  requirement.c_level = text_among(entry.at("c_level"), c_levels);
  if (const auto about = entry.find("about")) requirement.about = text_among(*about, abouts);
  requirement.policy = entry.text_or("policy", "");
  requirement.excused = entry.text_or("excused", "");
  return requirement;
}

void require_value(const Policy& policy, const JsonReader& value) {
  if (!policy.values.contains(value.text()))
    value.fail("one of the values", fmt::format("'{}'", value.text()));
}

Policy read_policy(const JsonReader& entry) {
  Policy policy;
  policy.name = entry.text_at("name");
  policy.question = entry.text_at("question");
  for (const auto& [value, meaning] : entry.at("values").members())
    policy.values.emplace(value, meaning.text());
  const JsonReader default_value = entry.at("default");
  policy.default_value = default_value.text();
  require_value(policy, default_value);
  if (const auto sets = entry.find("sets"))
    for (const auto& [set, chosen] : sets->members()) {
      require_value(policy, chosen.at("value"));
      policy.sets.emplace(set,
                          Policy::SetValue{chosen.text_at("value"), chosen.text_or("bug", "")});
    }
  return policy;
}

Needs read_needs(const JsonReader& claim, const char* key) {
  Needs needs = 0;
  for (const JsonReader& name : items_or_none(claim, key)) {
    const Needs need = need_named(name.text());
    if (need == 0)
      name.fail("a function that an adapter can have", fmt::format("'{}'", name.text()));
    needs |= need;
  }
  return needs;
}

// "capsule.name", or "capsule.name@producer" for one role.
std::vector<InRole> read_in_roles(const JsonReader& entry, const char* key) {
  std::vector<InRole> list;
  for (const JsonReader& item : items_or_none(entry, key))
    list.push_back(item.parse([](const std::string& text) {
      const std::size_t at = text.find('@');
      if (at == std::string::npos) return InRole{text, {}};
      return InRole{text.substr(0, at), role_from_text(text.substr(at + 1))};
    }));
  return list;
}

Feature read_feature(const JsonReader& entry) {
  Feature feature;
  feature.id = entry.text_at("id");
  feature.title = entry.text_at("title");
  feature.meaning = entry.text_at("meaning");
  if (const auto kind = entry.find("kind"))
    feature.kind = kind->parse([](const std::string& text) {
      return enum_from_text<FeatureKind>(text, kind_texts, "kind of feature");
    });
  if (const auto platform = entry.find("platform"))
    feature.platform = platform->parse([](const std::string& text) {
      return enum_from_text<Platform>(text, platform_texts, "platform");
    });
  if (const auto core = entry.find("core")) feature.core = core->boolean();
  feature.counted_in = texts_or_none(entry, "counted_in");
  for (const JsonReader& role : entry.at("roles").items())
    feature.roles.push_back(role.parse(role_from_text));
  if (const auto claims = entry.find("claims"))
    for (const auto& [role, claim] : claims->members())
      feature.claims.emplace(role_from_text(role),
                             Claim{read_needs(claim, "all"), read_needs(claim, "any")});
  feature.specs = texts_or_none(entry, "specs");
  feature.shows = read_in_roles(entry, "shows");
  feature.claimed_with = entry.text_or("claimed_with", "");
  feature.optional = read_in_roles(entry, "optional");
  return feature;
}

// What features say of each other and of requirements is true.
void require_related(const Register& known, const Feature& feature) {
  const auto refuse = [&](std::string_view expected, std::string_view found) {
    throw std::runtime_error{
        fmt::format("feature '{}': expected {} but found '{}'", feature.id, expected, found)};
  };
  for (const std::string& other : feature.counted_in)
    if (known.find_feature(other) == nullptr) refuse("a known feature", other);
  if (!feature.claimed_with.empty() && known.find_feature(feature.claimed_with) == nullptr)
    refuse("a known feature", feature.claimed_with);
  for (const std::string& spec : feature.specs)
    if (!known.spec_kinds().contains(spec)) refuse("a kind of tensors", spec);
  for (const auto* const list : {&feature.shows, &feature.optional})
    for (const InRole& item : *list) {
      const Requirement* const requirement = known.find(item.requirement);
      if (requirement == nullptr) refuse("a known requirement", item.requirement);
      const Feature* const own = known.find_feature(requirement->feature);
      if (own == nullptr) refuse("a requirement of a known feature", item.requirement);
      if (own != &feature &&
          std::ranges::find(own->counted_in, feature.id) == own->counted_in.end())
        refuse("a requirement of this feature", item.requirement);
    }
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

const std::string& Policy::value_in(std::string_view set) const {
  const auto found = sets.find(set);
  return found == sets.end() ? default_value : found->second.value;
}

bool contains(std::span<const InRole> list, std::string_view requirement, Role role) {
  return std::ranges::any_of(list, [&](const InRole& item) {
    return item.requirement == requirement && (!item.role || *item.role == role);
  });
}

bool Feature::has(Role role) const {
  return std::ranges::find(roles, role) != roles.end();
}

Register Register::parse(std::span<const Source> areas, Source policies, Source features) {
  Register result;
  read_source(policies, [&](const JsonReader& document) {
    for (const JsonReader& entry : document.at("policies").items())
      result.policies_.push_back(read_policy(entry));
  });
  require_unique(result.policies_, &Policy::name, "policy");
  read_source(features, [&](const JsonReader& document) {
    for (const auto& [kind, specs] : document.at("spec_kinds").members())
      result.spec_kinds_.emplace(kind, specs.text());
    for (const JsonReader& entry : document.at("features").items())
      result.features_.push_back(read_feature(entry));
  });
  require_unique(result.features_, &Feature::id, "feature");

  for (const Source& source : areas) {
    read_source(source, [&](const JsonReader& document) {
      const std::string area = document.text_at("area");
      for (const JsonReader& entry : document.at("requirements").items()) {
        Requirement requirement = read_requirement(entry, area);
        if (!requirement.policy.empty() && result.find_policy(requirement.policy) == nullptr)
          entry.at("policy").fail("a known policy", fmt::format("'{}'", requirement.policy));
        if (result.find_feature(requirement.feature) == nullptr)
          entry.at("feature").fail("a known feature", fmt::format("'{}'", requirement.feature));
        result.requirements_.push_back(std::move(requirement));
      }
    });
  }
  require_unique(result.requirements_, &Requirement::id, "requirement");
  for (const Feature& feature : result.features_)
    require_related(result, feature);
  return result;
}

const Register& Register::embedded() {
  static const Register known = [] {
    std::vector<Source> areas;
    Source policies, features;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.name.starts_with("requirements/")) areas.push_back({file.name, file.text});
      if (file.name == "policies.json") policies = {file.name, file.text};
      if (file.name == "features.json") features = {file.name, file.text};
    }
    return parse(areas, policies, features);
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

const Feature* Register::find_feature(std::string_view id) const {
  const auto found = std::ranges::find(features_, id, &Feature::id);
  return found == features_.end() ? nullptr : &*found;
}

std::vector<std::string> Register::policy_names() const {
  std::vector<std::string> names;
  std::ranges::transform(policies_, std::back_inserter(names), &Policy::name);
  return names;
}

std::vector<std::string> Register::feature_ids() const {
  std::vector<std::string> ids;
  std::ranges::transform(features_, std::back_inserter(ids), &Feature::id);
  return ids;
}

std::set<std::string> Register::id_beginnings() const {
  std::set<std::string> names;
  for (const Requirement& requirement : requirements_)
    for (std::size_t dot = 0; dot != std::string::npos;) {
      dot = requirement.id.find('.', dot + 1);
      names.insert(requirement.id.substr(0, dot));
    }
  return names;
}

std::string Register::nearest(std::string_view id) const {
  const std::set<std::string> names = id_beginnings();
  return nearest_name(id, std::vector<std::string>{names.begin(), names.end()});
}

std::string Register::nearest_of_all(std::string_view name) const {
  const std::set<std::string> ids = id_beginnings();
  std::vector<std::string> all{ids.begin(), ids.end()};
  std::ranges::copy(policy_names(), std::back_inserter(all));
  std::ranges::copy(feature_ids(), std::back_inserter(all));
  return nearest_name(name, all);
}

}  // namespace dlcert
