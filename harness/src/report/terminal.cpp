// SPDX-License-Identifier: Apache-2.0
#include "report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/failure.hpp"
#include "report/faults.hpp"
#include "report/matrix.hpp"
#include "report/policies.hpp"
#include "report/reservations.hpp"
#include "report/standards.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

std::string heading(const Results& results, const Register& known) {
  const Settings& settings = results.settings;
  return fmt::format("dlcert {}  driver {}, {}{}{}, {} {}, seed {}{}\n", results.dlcert_version,
                     settings.driver, python_text(results), policies_text(results, known),
                     rules_text(results, known), results.cases,
                     results.cases == 1 ? "case" : "cases", results.seed,
                     results.filtered ? ", a selection" : "");
}

// The features of a role with this coverage, "  full: a, b"; empty where there is none.
std::string features_line(const Results& results, const RoleSummary& role, Coverage coverage) {
  constexpr std::size_t shown_missing = 2;
  std::vector<std::string> features;
  for (const FeatureScope& scope : results.scope.features)
    if (scope.adapter == role.adapter->name && scope.role == role.role &&
        scope.coverage == coverage)
      features.push_back(feature_text(scope, shown_missing));
  if (features.empty()) return {};
  return fmt::format("  {}: {}\n", to_text(coverage),
                     fmt::join(features, coverage == Coverage::partial ? "\n           " : ", "));
}

std::string conditions_text(const Results& results) {
  std::string text;
  for (const std::string& condition : results.conditions)
    text += fmt::format("environment: {:?}\n", condition);
  if (!judges_runtimes(results) && std::ranges::any_of(results.adapters, &AdapterInfo::enumerates))
    text += "not judged: the role runtime, which needs --driver simulated\n";
  return text;
}

// Deaths outside of checks, and notes on checks that passed.
std::string notes_text(const Results& results) {
  std::string text;
  for (const Death& death : results.deaths)
    text += "\n" + describe_death(death);
  for (const RequirementResult& result : results.results)
    for (const std::string& note : notes_of(result))
      text += fmt::format("\nnote: {}: {}\n", result.requirement, note);
  constexpr std::size_t shown_ids = 3;
  for (const auto& [share, ids] : shares_of(results)) {
    const std::size_t shown = std::min(ids.size(), shown_ids);
    text += fmt::format("\nnote: {} ({}{})\n", share, fmt::join(std::span{ids}.first(shown), ", "),
                        shown < ids.size() ? fmt::format(" and {} more", ids.size() - shown) : "");
  }
  return text;
}

std::string role_line(const RoleSummary& role) {
  return fmt::format("{} {}  {}  {} {}, {} tested, {} untested\n", role.adapter->name,
                     role.adapter->version, to_text(role.role), role.selected,
                     role.selected == 1 ? "requirement" : "requirements", role.tested,
                     role.untested());
}

std::string roles_text(const Results& results, const Register& known) {
  std::string text;
  for (const AdapterInfo& adapter : results.adapters)
    text += one_line(standards_text(results, adapter, known)) + "\n";
  for (const RoleSummary& role : summarise_roles(results)) {
    text += role_line(role);
    for (const Coverage coverage : {Coverage::full, Coverage::partial, Coverage::not_claimed})
      text += features_line(results, role, coverage);
  }
  return text;
}

// Every fault in a line, above all else.
std::string faults_text(const Results& results) {
  const std::vector<Fault> faults = faults_of(results);
  if (faults.empty()) return {};
  std::string text = count_text(faults) + "\n";
  for (const Fault& fault : faults)
    text += "  " + fault_line(results, fault);
  return text + "\n";
}

std::string baseline_text(const Results& results) {
  if (!results.baseline) return {};
  std::string text = fmt::format("compared with {}\n", results.baseline->file);
  for (const std::string& condition : results.baseline->differs)
    text += fmt::format("  differs  {}\n", condition);
  for (const std::string& lost : results.baseline->lost)
    text += fmt::format("  lost     {}\n", lost);
  return text;
}

bool worth_telling(const RequirementResult& result) {
  return result.verdict != Verdict::pass && result.verdict != Verdict::not_applicable &&
         result.verdict != Verdict::not_judged && result.verdict != Verdict::waived &&
         result.verdict != Verdict::consequence;
}

// The consequences of what is waived, which its waiver accepts too.
std::string followers_text(const Results& results, const RequirementResult& waived) {
  std::string text;
  for (const RequirementResult* const result : consequences_of(results, waived))
    text += fmt::format("  {}  {}  {}\n", result->requirement, to_text(result->verdict),
                        proof_text(*result));
  return text;
}

std::string failures_text(const Results& results, const Register& known,
                          const std::filesystem::path& saved) {
  std::string text;
  for (const Fault& fault : faults_of(results))
    text += "\n" + describe_failure(results, *fault.broken, known, saved);
  for (const RequirementResult& result : results.results)
    if (worth_telling(result) && !broken(result.verdict) && !is_apart(results, result))
      text += "\n" + describe_failure(results, result, known, saved);
  for (const RequirementResult& result : results.results)
    if (result.verdict == Verdict::not_judged)
      text += fmt::format("\n{}  not judged: {}\n", result.requirement, result.reason);
  for (const RequirementResult& result : results.results)
    if (result.verdict == Verdict::waived && !is_apart(results, result))
      text += fmt::format("\n{}  waived by {}  {}\n{}", result.requirement, result.waiver,
                          result.reason, followers_text(results, result));
  return text;
}

// Verdicts that nothing got are left out, pass and fail aside.
std::vector<Verdict> shown_verdicts(const AreaSummary& all) {
  std::vector<Verdict> shown;
  for (std::size_t i = 0; i < verdict_count; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (all.of(verdict) > 0 || verdict == Verdict::pass || verdict == Verdict::fail)
      shown.push_back(verdict);
  }
  return shown;
}

std::string table(const Results& results, const Register& known) {
  const std::vector<AreaSummary> areas = summarise_areas(results, known);
  const std::vector<Verdict> verdicts = shown_verdicts(areas.back());
  std::string text = fmt::format("{:<12} {:>12}", "area", "results");
  for (const Verdict verdict : verdicts)
    text += fmt::format("  {}", to_text(verdict));
  text += "\n";
  for (const AreaSummary& area : areas) {
    text += fmt::format("{:<12} {:>12}", area.area, area.total());
    for (const Verdict verdict : verdicts)
      text += fmt::format("  {:>{}}", area.of(verdict), to_text(verdict).size());
    text += "\n";
  }
  return text;
}

std::string warnings_text(const Results& results) {
  std::string text;
  for (const WaiverNote& warning : results.waiver_warnings)
    text += fmt::format("warning: {}\n", warning.text);
  return text;
}

// What a certificate holds in spite of: " (1 not judged, 2 of 240 MUSTs waived, 1 warning)".
std::string reservations(const Results& results) {
  const Reservations held = reservations_of(results);
  std::vector<std::string> notes;
  if (held.not_judged != 0) notes.push_back(fmt::format("{} not judged", held.not_judged));
  if (held.waived_musts != 0) notes.push_back(waived_text(held));
  if (held.waived_others != 0)
    notes.push_back(
        fmt::format("{} {}waived", held.waived_others, held.waived_musts != 0 ? "more " : ""));
  if (held.warnings != 0)
    notes.push_back(
        fmt::format("{} {}", held.warnings, held.warnings == 1 ? "warning" : "warnings"));
  return notes.empty() ? std::string{} : fmt::format(" ({})", fmt::join(notes, ", "));
}

std::string verdict_line(const Results& results, const RunVerdict& verdict) {
  if (verdict.exit_code != exit_certified)
    return fmt::format("{} (exit code {}):{}{}\n", title_of(results, verdict.exit_code),
                       verdict.exit_code, verdict.reasons.size() == 1 ? " " : "\n  ",
                       fmt::join(verdict.reasons, "\n  "));
  std::vector<std::string> names;
  for (const AdapterInfo& adapter : results.adapters)
    names.push_back(fmt::format("{} {}", adapter.name, adapter.version));
  return fmt::format("{}: {}{}\n", title_of(results, verdict.exit_code), fmt::join(names, ", "),
                     reservations(results));
}

std::string files_text(const WrittenFiles& written) {
  std::string text;
  for (const std::filesystem::path& file : written.files)
    text += fmt::format("wrote {}\n", one_line(file.string()));
  if (!written.counterexamples.empty())
    text += fmt::format("wrote {}\n", one_line((written.counterexamples / "").string()));
  return text;
}

}  // namespace

std::string report_text(const Results& results, const RunVerdict& verdict, const Register& known,
                        const WrittenFiles& written) {
  if (results.matrix)
    return heading(results, known) + conditions_text(results) + "\n" + faults_text(results) +
           matrix_text(results) + failures_text(results, known, written.counterexamples) +
           notes_text(results) + "\n" + warnings_text(results) + files_text(written) +
           verdict_line(results, verdict);
  return heading(results, known) + conditions_text(results) + faults_text(results) +
         roles_text(results, known) + failures_text(results, known, written.counterexamples) +
         notes_text(results) + "\n" + table(results, known) + "\n" + baseline_text(results) +
         warnings_text(results) + files_text(written) + verdict_line(results, verdict);
}

std::string brief_text(const Results& results, const RunVerdict& verdict, const Register& known,
                       const WrittenFiles& written) {
  std::string text = heading(results, known) + conditions_text(results);
  if (results.matrix) text += matrix_text(results);
  for (const RoleSummary& role : summarise_roles(results))
    text += role_line(role);
  for (const Fault& fault : faults_of(results))
    text += fault_line(results, fault);
  for (const RequirementResult& result : results.results)
    if (worth_telling(result) && !broken(result.verdict) && !is_apart(results, result))
      text += failure_line(results, result);
  for (const Death& death : results.deaths)
    text += death_text(death) + "\n";
  return text + warnings_text(results) + files_text(written) + verdict_line(results, verdict);
}

}  // namespace dlcert
