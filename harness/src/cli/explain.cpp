// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "register/basis.hpp"
#include "register/embedded.hpp"
#include "register/features.hpp"
#include "register/json_reader.hpp"
#include "register/names.hpp"
#include "register/rules.hpp"
#include "register/selection.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

// A fault that was planted to show that a check finds it.
struct Mutant {
  std::string id, bug, fault;
};

struct RealBug {
  std::string id, library, reference, symptom, mechanism;
};

nlohmann::json embedded_json(const char* name) {
  const std::string_view text = embedded_text(name);
  return text.empty() ? nlohmann::json::array() : parse_json(text);
}

std::vector<Mutant> mutants_of(const std::string& requirement) {
  const nlohmann::json document = embedded_json("manifest.json");
  std::vector<Mutant> mutants;
  if (!document.is_object()) return mutants;
  for (const JsonReader& entry : JsonReader{document, "manifest.json"}.at("mutants").items())
    if (std::ranges::count(entry.at("must_fail").items(), requirement, &JsonReader::text) != 0)
      mutants.push_back({entry.text_at("id"), entry.text_or("bug", ""), entry.text_at("fault")});
  return mutants;
}

std::vector<RealBug> bugs_behind(const std::vector<Mutant>& mutants) {
  const nlohmann::json document = embedded_json("bugs.json");
  std::vector<RealBug> bugs;
  for (const JsonReader& entry : JsonReader{document, "bugs.json"}.items()) {
    RealBug bug{entry.text_at("id"), entry.text_at("library"), entry.text_at("reference"),
                entry.text_at("symptom"), entry.text_at("mechanism")};
    if (std::ranges::find(mutants, bug.id, &Mutant::bug) != mutants.end())
      bugs.push_back(std::move(bug));
  }
  return bugs;
}

void field(std::string_view name, std::string_view value) {
  if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
}

void print_rule(const Requirement& requirement) {
  fmt::print("{}\n", requirement.id);
  field("feature", requirement.feature);
  field("level", to_text(requirement.level));
  if (requirement.without_array_api)
    field("", fmt::format("{} for a library that does not claim the array API",
                          to_text(*requirement.without_array_api)));
  field("role", requirement.role);
  field("since", requirement.since);
  field("until", requirement.until);
  std::string_view name = "rules";
  for (const std::string& line : history_lines(requirement))
    field(std::exchange(name, ""), line);
  field("rule", requirement.statement);
  field("source", requirement.source);
  for (const std::string& line : basis_lines(requirement.basis))
    field("", line);
  field("ambiguity", requirement.ambiguity);
  field("test", requirement.how_to_test);
  if (requirement.c_level != "yes") field("not tested", requirement.c_level);
  if (!requirement.excused.empty()) field("not tested", requirement.excused);
}

void print_policy(const Policy& policy) {
  fmt::print("policy {}: {}\n", policy.name, policy.question);
  for (const auto& [value, meaning] : policy.values)
    fmt::print("  {:<12} {}{}\n", value, meaning,
               value == policy.default_value ? " (the default)" : "");
}

void print_bugs(const std::vector<RealBug>& bugs) {
  if (bugs.empty()) return;
  fmt::print("\nbugs of real libraries\n");
  for (const RealBug& bug : bugs)
    fmt::print("  {}: {} ({})\n    {}\n    {}\n", bug.id, bug.library, bug.reference, bug.symptom,
               bug.mechanism);
}

void print_checks(const Options& options, const std::string& requirement) {
  fmt::print("\nchecks\n");
  std::size_t count = 0;
  for (const CheckInfo& check : require_inventory(find_worker(options), options).checks) {
    if (check.requirement != requirement) continue;
    fmt::print("  {} ({}{})\n", check.sentence, to_text(check.role),
               check.rows > 0 ? fmt::format(", {} rows", check.rows) : "");
    ++count;
  }
  if (count == 0) fmt::print("  none\n");
}

void print_mutants(const std::vector<Mutant>& mutants) {
  if (mutants.empty()) return;
  fmt::print("\nplanted faults that make this requirement fail\n");
  for (const Mutant& mutant : mutants)
    fmt::print("  {}: {}\n", mutant.id, mutant.fault);
}

void explain_requirement(const Options& options, const Register& known,
                         const Requirement& requirement) {
  const std::vector<Mutant> mutants = mutants_of(requirement.id);
  print_rule(requirement);
  if (const Policy* const policy = known.find_policy(requirement.policy)) {
    fmt::print("\n");
    print_policy(*policy);
  }
  print_bugs(bugs_behind(mutants));
  print_checks(options, requirement.id);
  print_mutants(mutants);
}

void print_sets(const Policy& policy) {
  fmt::print("\nvalues in the policy sets\n");
  for (const std::string& set : known_policy_sets()) {
    const auto found = policy.sets.find(set);
    const std::string bug = found == policy.sets.end() ? "" : found->second.bug;
    fmt::print("  {:<12} {}{}\n", set, policy.value_in(set),
               bug.empty() ? "" : fmt::format(" (because of the bug {})", bug));
  }
}

void explain_policy(const Register& known, const Policy& policy) {
  print_policy(policy);
  print_sets(policy);
  fmt::print("\nrequirements that the policy decides\n");
  for (const Requirement& requirement : known.requirements())
    if (requirement.policy == policy.name)
      fmt::print("  {} ({})\n", requirement.id, to_text(requirement.level));
}

// "create, describe, and one of export_managed, export_capsule"
std::string claim_text(const Claim& claim) {
  std::string all = fmt::format("{}", fmt::join(names_of(claim.all), ", "));
  if (claim.any == 0) return all;
  const std::vector<std::string_view> any = names_of(claim.any);
  return fmt::format("{}{}{}{}", all, all.empty() ? "" : ", and ", any.size() > 1 ? "one of " : "",
                     fmt::join(any, ", "));
}

// What is said of a requirement beside its level.
std::string_view remark_on(const Register& known, const Feature& feature,
                           const Requirement& requirement) {
  if (requirement.c_level != "yes") return ", not tested";
  const bool optional = std::ranges::all_of(feature.roles, [&](Role role) {
    return !binds(requirement, role) || is_optional(known, requirement, role);
  });
  return optional && requirement.level != Level::may ? ", optional" : "";
}

void explain_feature(const Register& known, const Feature& feature) {
  fmt::print("feature {}: {}\n  {}\n", feature.id, feature.title, feature.meaning);
  if (feature.core)
    fmt::print(
        "  core: if too little of this feature was tested for a role, the role is not certified\n");
  if (!feature.counted_in.empty())
    fmt::print("  part of {}\n", fmt::join(feature.counted_in, ", "));
  if (!feature.claimed_with.empty()) fmt::print("  claimed with {}\n", feature.claimed_with);
  if (!feature.claims.empty()) fmt::print("\nwhat an adapter must have\n");
  for (const auto& [role, claim] : feature.claims)
    fmt::print("  {:<12} {}\n", to_text(role), claim_text(claim));
  if (!feature.specs.empty()) fmt::print("\ntensors\n");
  for (const std::string& kind : feature.specs)
    fmt::print("  {:<12} {}\n", kind, known.spec_kinds().at(kind));
  fmt::print("\nrequirements\n");
  for (const Requirement& requirement : known.requirements())
    if (is_part_of(known, requirement, feature.id))
      fmt::print("  {} ({}{})\n", requirement.id, to_text(requirement.level),
                 remark_on(known, feature, requirement));
}

// What one argument names: requirements, a policy and a feature.
struct Named {
  std::vector<const Requirement*> requirements;
  const Policy* policy = nullptr;
  const Feature* feature = nullptr;
};

[[noreturn]] void refuse_name(std::string_view what, std::string_view name,
                              const std::string& nearest) {
  throw std::invalid_argument{fmt::format("unknown {} '{}'{}", what, name, did_you_mean(nearest))};
}

Named named_by(const Register& known, const std::string& argument) {
  constexpr std::string_view policy = "policy:", feature = "feature:";
  Named named;
  if (argument.starts_with(policy)) {
    const std::string name = argument.substr(policy.size());
    named.policy = known.find_policy(name);
    if (named.policy == nullptr)
      refuse_name("policy", name, nearest_name(name, known.policy_names()));
    return named;
  }
  if (argument.starts_with(feature)) {
    const std::string id = argument.substr(feature.size());
    named.feature = known.find_feature(id);
    if (named.feature == nullptr) refuse_name("feature", id, nearest_name(id, known.feature_ids()));
    return named;
  }
  for (const Requirement& requirement : known.requirements())
    if (names(argument, requirement.id)) named.requirements.push_back(&requirement);
  named.policy = known.find_policy(argument);
  named.feature = known.find_feature(argument);
  if (named.requirements.empty() && named.policy == nullptr && named.feature == nullptr &&
      !is_glob(argument))
    refuse_name("requirement, policy or feature", argument, known.nearest_of_all(argument));
  return named;
}

// Of requirements, policies and features that are called alike the first are explained, and the
// others told.
class Explanation {
 public:
  Explanation(const Options& options, const Register& known) : options_{options}, known_{known} {}

  void add(const std::string& argument);
  bool empty() const { return first_; }

 private:
  void separate() {
    if (!std::exchange(first_, false)) fmt::print("\n");
  }

  const Options& options_;
  const Register& known_;
  bool first_ = true;
};

void Explanation::add(const std::string& argument) {
  const Named named = named_by(known_, argument);
  for (const Requirement* const requirement : named.requirements) {
    separate();
    explain_requirement(options_, known_, *requirement);
  }
  if (named.policy != nullptr) {
    separate();
    if (named.requirements.empty())
      explain_policy(known_, *named.policy);
    else
      fmt::print("also a policy: dlcert explain policy:{}\n", argument);
  }
  if (named.feature != nullptr) {
    separate();
    if (named.requirements.empty() && named.policy == nullptr)
      explain_feature(known_, *named.feature);
    else
      fmt::print("also a feature: dlcert explain feature:{}\n", argument);
  }
}

}  // namespace

int explain(const Options& options) {
  Explanation explanation{options, Register::embedded()};
  for (const std::string& argument : options.ids)
    explanation.add(argument);
  if (explanation.empty()) throw CommandError{exit_vacuous, "nothing was selected"};
  return exit_certified;
}

}  // namespace dlcert
