// SPDX-License-Identifier: Apache-2.0
#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "register/basis.hpp"
#include "register/text.hpp"
#include "report/counterexample.hpp"
#include "report/failure.hpp"
#include "report/reservations.hpp"
#include "report/run_verdict.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

enum class Outcome { passed, skipped, failed, errored };

// What says nothing of the library, or is accepted, is skipped, with its reason: neither red nor
// green. A warning passes, and tells itself by a property and its output.
Outcome outcome_of(const RequirementResult& result) {
  if (result.verdict == Verdict::pass || warns(result)) return Outcome::passed;
  if (!counts(result)) return Outcome::skipped;
  const bool rule_broken =
      result.verdict == Verdict::fail || result.verdict == Verdict::unexpected_pass;
  return rule_broken ? Outcome::failed : Outcome::errored;
}

std::string message_of(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    if (check.verdict == worst(result.checks) && !failure_text(check).empty())
      return failure_text(check);
  return result.reason;
}

std::string details_of(const Results& results, const RequirementResult& result,
                       const Register& known) {
  std::string details;
  for (const CheckResult& check : result.checks) {
    if (check.verdict == Verdict::pass || check.verdict == Verdict::not_applicable) continue;
    details +=
        fmt::format("{}: {}\n  {}\n", check.sentence, to_text(check.verdict), failure_text(check));
    if (!check.record.counterexample) continue;
    for (const std::string& line : check.record.counterexample->trace)
      details += "  " + line + "\n";
    if (check.program_run) details += fmt::format("  program: {}\n", to_text(*check.program_run));
  }
  if (const Requirement* const rule = known.find(result.requirement)) {
    details += fmt::format("{}: {}\n{}\n", to_text(result.level), rule->statement, rule->source);
    for (const std::string& line : basis_lines(rule->basis))
      details += line + "\n";
  }
  return details + reproduce_command(results, result, known) + "\n";
}

double seconds_of(const RequirementResult& result) {
  std::uint64_t nanoseconds = 0;
  for (const CheckResult& check : result.checks)
    nanoseconds += check.record.nanoseconds;
  return static_cast<double>(nanoseconds) * 1e-9;
}

// XML escapes its markup, and has no characters for what cleaning takes away.
void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(one_line(value, value.npos).c_str());
}

void set_text(pugi::xml_node node, const std::string& value) {
  node.text().set(clean_lines(value, value.npos).c_str());
}

void add_property(pugi::xml_node properties, const std::string& name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

class SuiteNode {
 public:
  SuiteNode(pugi::xml_node suites, const Results& results, const Register& known,
            const std::string& producer, const std::string& consumer)
      : results_{results}, known_{known}, node_{suites.append_child("testsuite")} {
    set(node_, "name", fmt::format("dlcert {} to {}", producer, consumer));
    set(node_, "timestamp", results.started.substr(0, results.started.find('Z')));
    set(node_, "hostname", "localhost");
    properties_ = node_.append_child("properties");
    if (results.python) add_property("dlcert.python", results.python->version);
    add_property("dlcert.policy-set", results.policy_set);
    if (!results.rules.empty()) add_property("dlcert.rules", results.rules);
    for (const std::string& name : results.chosen)
      add_property("dlcert.policy." + name, std::string{results.settings.policy(name)});
    add_scope(producer, consumer);
    if (results.matrix) add_cell(producer, consumer);
  }

  void add(const RequirementResult& result);
  void finish();

 private:
  void add_property(const std::string& name, const std::string& value) {
    dlcert::add_property(properties_, name, value);
  }
  void add_scope(const std::string& producer, const std::string& consumer);
  void add_cell(const std::string& producer, const std::string& consumer);
  void add_problem(pugi::xml_node test, const RequirementResult& result, Outcome outcome) const;

  const Results& results_;
  const Register& known_;
  pugi::xml_node node_;
  pugi::xml_node properties_;
  std::array<std::size_t, 4> counts_{};
  std::size_t tests_ = 0;
  double seconds_ = 0;
};

// What the results of the tested party cover, as properties: its evidence, its core and its
// features.
void SuiteNode::add_scope(const std::string& producer, const std::string& consumer) {
  const std::string& party = producer == own_name ? consumer : producer;
  const auto judges = [&](const std::string& adapter, Role role) {
    return adapter == party && (role == Role::consumer) == (producer == own_name);
  };
  for (const RoleScope& role : results_.scope.roles) {
    if (!judges(role.adapter, role.role)) continue;
    add_property(fmt::format("dlcert.evidence.{}", to_text(role.role)),
                 fmt::format("{} {} found", role.evidence.found,
                             role.evidence.found == 1 ? "value" : "values"));
    if (role.core)
      add_property(
          fmt::format("dlcert.core.{}", to_text(role.role)),
          (role.core->is_too_little() ? "too little tested: " : "") + core_text(*role.core));
  }
  for (const FeatureScope& scope : results_.scope.features)
    if (judges(scope.adapter, scope.role))
      add_property(fmt::format("dlcert.feature.{}.{}", to_text(scope.role), scope.feature),
                   coverage_text(scope, scope.missing.size()));
}

// The state of a pair's cell, and of a clash its script.
void SuiteNode::add_cell(const std::string& producer, const std::string& consumer) {
  for (const Cell& cell : results_.matrix->cells) {
    if (cell.producer != producer || cell.consumer != consumer) continue;
    add_property("dlcert.cell", std::string{to_text(cell.state)});
    add_property("dlcert.cell.found", std::to_string(cell.found));
    add_property("dlcert.cell.lost", std::to_string(cell.refused + cell.failed));
  }
  const Clash* const clash = find_clash(results_.matrix->clashes, producer, consumer);
  if (clash != nullptr && clash->program_run)
    add_property("dlcert.program", to_text(*clash->program_run));
}

void SuiteNode::add(const RequirementResult& result) {
  const Outcome outcome = outcome_of(result);
  ++tests_;
  ++counts_.at(static_cast<std::size_t>(outcome));
  seconds_ += seconds_of(result);

  pugi::xml_node test = node_.append_child("testcase");
  set(test, "classname",
      fmt::format("dlcert.{}-{}.{}", result.producer, result.consumer, area_of(result, known_)));
  set(test, "name", result.requirement);
  set(test, "time", fmt::format("{:.6f}", seconds_of(result)));
  std::vector<std::string> told = notes_of(result);
  for (const CheckResult& check : result.checks)
    if (!share_text(check).empty())
      told.push_back(fmt::format("{}: {}", check.sentence, share_text(check)));
  pugi::xml_node properties;
  const bool has_program_run = std::ranges::any_of(
      result.checks, [](const CheckResult& check) { return check.program_run.has_value(); });
  if (warns(result) || !result.consequence_of.empty() || has_program_run)
    properties = test.append_child("properties");
  if (!result.consequence_of.empty())
    dlcert::add_property(properties, "dlcert.consequence-of", result.consequence_of);
  for (const CheckResult& check : result.checks)
    if (check.program_run)
      dlcert::add_property(properties, "dlcert.program", to_text(*check.program_run));
  if (warns(result)) {
    const std::string text = fmt::format("{} {}: {}", to_text(result.level),
                                         to_text(result.verdict), message_of(result));
    dlcert::add_property(properties, "warning", text);
    told.push_back(details_of(results_, result, known_));
  }
  if (outcome != Outcome::passed) add_problem(test, result, outcome);
  if (!told.empty())
    set_text(test.append_child("system-out"), fmt::format("{}", fmt::join(told, "\n")));
}

void SuiteNode::add_problem(pugi::xml_node test, const RequirementResult& result,
                            Outcome outcome) const {
  constexpr std::array<const char*, 4> elements{"", "skipped", "failure", "error"};
  pugi::xml_node child = test.append_child(elements.at(static_cast<std::size_t>(outcome)));
  const std::string verdict{to_text(result.verdict)};
  if (outcome == Outcome::skipped) {
    const std::string& reason = result.reason.empty() ? message_of(result) : result.reason;
    set(child, "message",
        result.verdict == Verdict::consequence
            ? reason
            : fmt::format("{} {}: {}", to_text(result.level), verdict, reason));
  } else {
    set(child, "message", message_of(result));
    set(child, "type", verdict);
    set_text(child, details_of(results_, result, known_));
  }
}

void SuiteNode::finish() {
  set(node_, "tests", std::to_string(tests_));
  set(node_, "failures", std::to_string(counts_[static_cast<std::size_t>(Outcome::failed)]));
  set(node_, "errors", std::to_string(counts_[static_cast<std::size_t>(Outcome::errored)]));
  set(node_, "skipped", std::to_string(counts_[static_cast<std::size_t>(Outcome::skipped)]));
  set(node_, "time", fmt::format("{:.6f}", seconds_));
}

void add_error(pugi::xml_node suite, const std::string& name, const char* type,
               const std::string& message, const std::string& text) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", "dlcert.process");
  set(test, "name", name);
  set(test, "time", "0.000000");
  pugi::xml_node error = test.append_child("error");
  set(error, "message", message);
  set(error, "type", type);
  set_text(error, text);
}

// A suite of their own, with an error for each: no test case of a requirement tells of deaths, or
// of a fault of the adapter.
void add_what_is_beside(pugi::xml_node suites, const Results& results) {
  const std::size_t errors = results.deaths.size() + (results.adapter_fault ? 1 : 0);
  if (errors == 0) return;
  pugi::xml_node suite = suites.append_child("testsuite");
  const std::string count = std::to_string(errors);
  set(suite, "name", "dlcert outside of checks");
  set(suite, "timestamp", results.started.substr(0, results.started.find('Z')));
  set(suite, "hostname", "localhost");
  if (const auto& fault = results.adapter_fault)
    add_error(suite, "adapter", "adapter fault", fault->what, fault->output);
  for (const Death& death : results.deaths)
    add_error(suite, fmt::format("{}: {}", death.when, death.how), "death", death_text(death),
              describe_death(death));
  set(suite, "tests", count);
  set(suite, "failures", "0");
  set(suite, "errors", count);
  set(suite, "skipped", "0");
  set(suite, "time", "0.000000");
}

}  // namespace

std::string to_junit(const Results& results, const Register& known) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  const std::string waived = waived_text(reservations_of(results));
  const std::string title = title_of(results, results.exit_code);
  set(suites, "name", waived.empty() ? "dlcert" : fmt::format("dlcert: {}: {}", title, waived));

  using Pair = std::pair<std::string, std::string>;
  std::vector<Pair> pairs;
  for (const RequirementResult& result : results.results)
    if (const Pair pair{result.producer, result.consumer};
        std::ranges::find(pairs, pair) == pairs.end())
      pairs.push_back(pair);
  for (const auto& [producer, consumer] : pairs) {
    SuiteNode suite{suites, results, known, producer, consumer};
    for (const RequirementResult& result : results.results)
      if (result.producer == producer && result.consumer == consumer) suite.add(result);
    suite.finish();
  }
  add_what_is_beside(suites, results);
  std::ostringstream out;
  document.save(out, "  ");
  return std::move(out).str();
}

}  // namespace dlcert
