// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "register/embedded.hpp"
#include "register/json_reader.hpp"
#include "register/profile.hpp"
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
  field("level", to_text(requirement.level));
  field("role", requirement.role);
  field("since", requirement.since);
  field("until", requirement.until);
  field("rule", requirement.statement);
  field("source", requirement.source);
  field("ambiguity", requirement.ambiguity);
  field("test", requirement.how_to_test);
  if (requirement.c_level != "yes") field("not tested", requirement.c_level);
  if (!requirement.excused.empty()) field("not tested", requirement.excused);
}

void print_policy(const Policy& policy) {
  fmt::print("\npolicy {}: {}\n", policy.name, policy.question);
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
  for (const CheckInfo& check :
       require_inventory(find_worker(options), {}, options.load_seconds, options.driver).checks) {
    if (check.requirement != requirement) continue;
    fmt::print("  {} ({}{})\n", check.sentence, to_text(check.role),
               check.rows > 0 ? fmt::format(", {} rows", check.rows) : "");
    ++count;
  }
  if (count == 0) fmt::print("  none\n");
}

void print_mutants(const std::vector<Mutant>& mutants) {
  if (mutants.empty()) return;
  fmt::print("\nplanted faults that make it fail\n");
  for (const Mutant& mutant : mutants)
    fmt::print("  {}: {}\n", mutant.id, mutant.fault);
}

}  // namespace

int explain(const Options& options) {
  const Register& known = Register::embedded();
  const std::vector<const Requirement*> selected = select(known, selection_of(options));
  if (selected.empty()) throw CommandError{exit_vacuous, "nothing was selected"};
  bool first = true;
  for (const Requirement* const requirement : selected) {
    if (!std::exchange(first, false)) fmt::print("\n");
    const std::vector<Mutant> mutants = mutants_of(requirement->id);
    print_rule(*requirement);
    if (const Policy* const policy = known.find_policy(requirement->policy)) print_policy(*policy);
    print_bugs(bugs_behind(mutants));
    print_checks(options, requirement->id);
    print_mutants(mutants);
  }
  return exit_certified;
}

}  // namespace dlcert
