// SPDX-License-Identifier: Apache-2.0
#include "register/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "register/names.hpp"

namespace dlcert {
namespace {

using Version = std::pair<unsigned, unsigned>;

// The first "major.minor" in a text such as "torch 2.4", "2025.12" or "DLPack 1.0 (python_spec
// 2024)".
std::optional<Version> first_version(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  Version version;
  const auto major = std::from_chars(text.data() + digit, end, version.first);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.second);
  return minor.ec == std::errc{} ? std::optional{version} : std::nullopt;
}

std::string newest(const std::vector<std::string>& versions) {
  return versions.at(versions.size() - 2);
}

// The version, under these standards, of what a `since` or `until` names: DLPack, the array API or
// a runtime; nothing where the library follows no such thing. What follows from the array API for a
// library that does not claim it is judged by the newest version.
std::optional<Version> version_in_force(std::string_view since, const Standards& standards) {
  if (since.starts_with("DLPack")) return first_version(standards.dlpack);
  if (since.starts_with("array API"))
    return first_version(standards.array_api == no_standard ? newest(known_array_apis())
                                                            : standards.array_api);
  if (since.starts_with("torch") && standards.runtime.starts_with("torch"))
    return first_version(standards.runtime);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> known_specs() {
  return {"0.8", "1.0", "1.1", "1.2", "1.3", std::string{as_declared}};
}
std::vector<std::string> known_array_apis() {
  return {std::string{no_standard}, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12",
          std::string{as_declared}};
}
std::vector<std::string> known_runtimes() {
  return {std::string{no_standard}, "torch-2.4", "driver", std::string{as_declared}};
}

std::vector<std::string> known_drivers() {
  return {"simulated", "cuda", "hip"};
}

std::string to_text(DLPackVersion version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

DLPackVersion version_from_text(std::string_view text) {
  const std::optional<Version> version = first_version(text);
  if (!version || text != fmt::format("{}.{}", version->first, version->second))
    throw std::runtime_error{fmt::format("expected a version such as 1.3 but found '{}'", text)};
  return {version->first, version->second};
}

bool is_before(DLPackVersion one, DLPackVersion other) {
  return Version{one.major, one.minor} < Version{other.major, other.minor};
}

std::string_view to_text(Role role) {
  constexpr std::array<std::string_view, 3> texts{"producer", "consumer", "runtime"};
  return texts.at(static_cast<std::size_t>(role));
}

Role role_from_text(std::string_view text) {
  for (const Role role : all_roles)
    if (text == to_text(role)) return role;
  throw std::runtime_error{
      fmt::format("expected producer, consumer or runtime but found '{}'", text)};
}

std::string known_spec_at_most(DLPackVersion label) {
  std::string found = known_specs().front();
  for (const std::string& spec : known_specs())
    if (const std::optional<Version> version = first_version(spec);
        version && *version <= Version{label.major, label.minor})
      found = spec;
  return found;
}

// A library may claim a version that dlcert does not know: it has the rules of those before.
static std::string known_array_api(const std::string& claimed) {
  const std::optional<Version> version = first_version(claimed);
  std::string found;
  for (const std::string& known : known_array_apis())
    if (const std::optional<Version> one = first_version(known);
        one && (!version || *one <= *version))
      found = known;
  return found.empty() ? std::string{no_standard} : found;
}

Standards standards_of(const Settings& settings, const Standards& declared) {
  const auto chosen = [](const std::string& setting, const std::string& declared_value,
                         const std::string& otherwise) {
    if (setting != as_declared) return setting;
    return declared_value.empty() ? otherwise : declared_value;
  };
  return {chosen(settings.spec, declared.dlpack, newest(known_specs())),
          chosen(settings.array_api,
                 declared.array_api.empty() ? "" : known_array_api(declared.array_api),
                 std::string{no_standard}),
          chosen(settings.runtime, declared.runtime, std::string{no_standard})};
}

Standards older(const Standards& one, const Standards& other) {
  const auto lesser = [](const std::string& first, const std::string& second) {
    if (first == no_standard || second == no_standard) return std::string{no_standard};
    return first_version(first) < first_version(second) ? first : second;
  };
  return {lesser(one.dlpack, other.dlpack), lesser(one.array_api, other.array_api),
          lesser(one.runtime, other.runtime)};
}

std::string outside_profile(const Requirement& requirement, const Standards& standards) {
  const std::optional<Version> since = first_version(requirement.since);
  const std::optional<Version> now = version_in_force(requirement.since, standards);
  if (since && (!now || *now < *since)) return "since " + requirement.since;

  const std::optional<Version> until = first_version(requirement.until);
  const std::optional<Version> then = version_in_force(requirement.until, standards);
  if (until && then && *then >= *until) return "until " + requirement.until;
  return {};
}

bool is_newer(const Requirement& requirement, const Standards& standards) {
  const std::optional<Version> since = first_version(requirement.since);
  const std::optional<Version> now = version_in_force(requirement.since, standards);
  return since && now && *now < *since;
}

Level level_in(const Requirement& requirement, const Standards& standards) {
  const bool claimed = standards.array_api != no_standard;
  return claimed ? requirement.level : requirement.without_array_api.value_or(requirement.level);
}

Settings default_settings(const Register& known) {
  Settings settings;
  settings.runtime = as_declared;
  settings.policies = resolve_policies(known, standard_policies, {}).values;
  return settings;
}

std::vector<std::string> known_policy_sets() {
  return {std::string{standard_policies}, "interop", "strict"};
}

Policies resolve_policies(const Register& known, std::string_view set,
                          const std::vector<std::string>& choices) {
  const std::vector<std::string> sets = known_policy_sets();
  if (std::ranges::find(sets, set) == sets.end())
    throw std::invalid_argument{
        fmt::format("unknown policy set '{}': expected {}", set, fmt::join(sets, ", "))};
  Policies policies{std::string{set}};
  for (const Policy& policy : known.policies()) {
    const std::string& value = policy.value_in(set);
    policies.values.emplace(policy.name, value);
    if (value != policy.default_value) policies.chosen.insert(policy.name);
  }
  for (const std::string& choice : choices) {
    const std::size_t equals = choice.find('=');
    const std::string name = choice.substr(0, equals);
    const Policy* const policy = known.find_policy(name);
    if (policy == nullptr)
      throw std::invalid_argument{fmt::format(
          "unknown policy '{}'{}", name, did_you_mean(nearest_name(name, known.policy_names())))};
    const std::string value = equals == std::string::npos ? "" : choice.substr(equals + 1);
    if (!policy->values.contains(value)) {
      std::vector<std::string> values;
      for (const auto& [allowed, meaning] : policy->values)
        values.push_back(allowed);
      throw std::invalid_argument{fmt::format("policy {}: expected {} but found '{}'", name,
                                              fmt::join(values, ", "), value)};
    }
    policies.values.insert_or_assign(name, value);
    policies.chosen.insert(name);
  }
  return policies;
}

bool is_binding(const Requirement& requirement, Level level, const Settings& settings, bool strict,
                const PolicyNames& chosen) {
  if (level == Level::must) return true;
  if (strict && level == Level::should) return true;
  return chosen.contains(requirement.policy) && settings.policy(requirement.policy) != "record";
}

void complete_settings(Settings& settings, const Register& known) {
  const auto require = [](std::string_view what, const std::vector<std::string>& values,
                          const std::string& found) {
    if (std::ranges::find(values, found) == values.end())
      throw std::invalid_argument{
          fmt::format("{}: expected {} but found '{}'", what, fmt::join(values, ", "), found)};
  };
  require("spec", known_specs(), settings.spec);
  require("array_api", known_array_apis(), settings.array_api);
  require("runtime", known_runtimes(), settings.runtime);
  require("driver", known_drivers(), settings.driver);
  std::vector<std::string> choices;
  for (const auto& [name, value] : settings.policies)
    choices.push_back(fmt::format("{}={}", name, value));
  settings.policies = resolve_policies(known, standard_policies, choices).values;
}

}  // namespace dlcert
