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

// The version, under these settings, of what a `since` or `until` names: DLPack, the array API or a
// runtime; nothing where the settings have no such thing.
std::optional<Version> version_in_force(std::string_view since, const Settings& settings,
                                        std::string_view runtime) {
  if (since.starts_with("DLPack")) return Version{settings.spec.major, settings.spec.minor};
  if (since.starts_with("array API")) return first_version(settings.array_api);
  if (since.starts_with("torch") && runtime.starts_with("torch")) return first_version(runtime);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> known_specs() {
  return {"0.8", "1.0", "1.1", "1.2", "1.3"};
}
std::vector<std::string> known_array_apis() {
  return {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"};
}
std::vector<std::string> known_runtimes() {
  return {"none", "torch-2.4", "driver", std::string{declared_runtime}};
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

std::string outside_profile(const Requirement& requirement, const Settings& settings,
                            std::string_view runtime) {
  const std::optional<Version> since = first_version(requirement.since);
  const std::optional<Version> now = version_in_force(requirement.since, settings, runtime);
  if (since && (!now || *now < *since)) return "since " + requirement.since;

  const std::optional<Version> until = first_version(requirement.until);
  const std::optional<Version> then = version_in_force(requirement.until, settings, runtime);
  if (until && then && *then >= *until) return "until " + requirement.until;
  return {};
}

std::string effective_runtime(const Settings& settings, std::string_view declared) {
  if (settings.runtime != declared_runtime) return settings.runtime;
  return std::string{declared.empty() ? "none" : declared};
}

Settings default_settings(const Register& known) {
  Settings settings;
  settings.spec = version_from_text(known_specs().back());
  settings.array_api = known_array_apis().back();
  settings.runtime = declared_runtime;
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

bool is_binding(const Requirement& requirement, const Settings& settings, bool strict,
                const PolicyNames& chosen) {
  if (requirement.level == Level::must) return true;
  if (strict && requirement.level == Level::should) return true;
  return chosen.contains(requirement.policy) && settings.policy(requirement.policy) != "record";
}

void complete_settings(Settings& settings, const Register& known) {
  const auto require = [](std::string_view what, const std::vector<std::string>& values,
                          const std::string& found) {
    if (std::ranges::find(values, found) == values.end())
      throw std::invalid_argument{
          fmt::format("{}: expected {} but found '{}'", what, fmt::join(values, ", "), found)};
  };
  require("spec", known_specs(), to_text(settings.spec));
  require("array_api", known_array_apis(), settings.array_api);
  require("runtime", known_runtimes(), settings.runtime);
  require("driver", known_drivers(), settings.driver);
  std::vector<std::string> choices;
  for (const auto& [name, value] : settings.policies)
    choices.push_back(fmt::format("{}={}", name, value));
  settings.policies = resolve_policies(known, standard_policies, choices).values;
}

}  // namespace dlcert
