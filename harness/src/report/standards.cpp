// SPDX-License-Identifier: Apache-2.0
#include "report/standards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "register/rules.hpp"
#include "register/selection.hpp"

namespace dlcert {
namespace {

bool has_role_of(const AdapterInfo& adapter, const Requirement& requirement) {
  return (adapter.producer && binds(requirement, Role::producer)) ||
         (adapter.consumer && binds(requirement, Role::consumer)) ||
         (adapter.enumerates && binds(requirement, Role::runtime));
}

std::string_view origin_of(std::string_view setting, std::string_view declared,
                           std::string_view when_declared, std::string_view otherwise) {
  if (setting != as_declared) return "by an option";
  return declared.empty() ? otherwise : when_declared;
}

std::string left_out_text(std::size_t newer) {
  return fmt::format("{} newer {} left out", newer,
                     newer == 1 ? "requirement was" : "requirements were");
}

}  // namespace

std::vector<std::string> newer_requirements(const Results& results, const AdapterInfo& adapter,
                                            const Register& known) {
  const Standards standards = standards_of(results.settings, adapter.declared);
  std::vector<std::string> newer;
  for (const Requirement& requirement : known.requirements())
    if (has_role_of(adapter, requirement) && is_newer(requirement, standards))
      newer.push_back(requirement.id);
  return newer;
}

std::string standards_text(const Results& results, const AdapterInfo& adapter,
                           const Register& known) {
  const Settings& settings = results.settings;
  const Standards standards = standards_of(settings, adapter.declared);
  std::string text =
      fmt::format("{}: DLPack {} ({})", adapter.name, standards.dlpack,
                  origin_of(settings.spec, adapter.declared.dlpack, "as it exports and asks for",
                            "the newest; it does not tell"));
  text += standards.array_api == no_standard
              ? fmt::format(", no array API ({})",
                            origin_of(settings.array_api, "", "", "it claims none"))
              : fmt::format(", array API {} ({})", standards.array_api,
                            origin_of(settings.array_api, adapter.declared.array_api,
                                      "as it declares", "as it declares"));
  if (adapter.enumerates && standards.runtime != no_standard)
    text += fmt::format(
        ", runtime {} ({})", standards.runtime,
        origin_of(settings.runtime, adapter.declared.runtime, "as it declares", "as it declares"));
  const std::size_t newer = newer_requirements(results, adapter, known).size();
  if (newer != 0) text += "; " + left_out_text(newer);
  return text;
}

std::string rules_text(const Results& results, const Register& known) {
  if (results.rules.empty()) return {};
  const RulesVersion rules = rules_of(results.rules);
  const auto later = static_cast<std::size_t>(std::ranges::count_if(
      known.requirements(),
      [&](const Requirement& requirement) { return is_later(requirement, rules); }));
  return fmt::format(", rules of dlcert {}{}", rules.version,
                     later == 0 ? "" : fmt::format(" ({})", left_out_text(later)));
}

}  // namespace dlcert
