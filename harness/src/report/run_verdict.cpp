// SPDX-License-Identifier: Apache-2.0
#include "report/run_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "records/decide.hpp"
#include "register/profile.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

bool is_vacuous(const CheckResult& check) {
  return check.verdict == Verdict::inconclusive && ran_no_case(check.record);
}

// Counts at any level, unless the rule is too new to bind.
bool is_vacuous(const RequirementResult& result) {
  return result.grace.empty() && std::ranges::any_of(result.checks, [](const CheckResult& check) {
           return is_vacuous(check);
         });
}

// A check that judges more than what a header says has tested something of the role.
bool tests_role(const RequirementResult& result) {
  return tested(result) &&
         std::ranges::any_of(result.checks, [](const CheckResult& check) { return !check.fact; });
}

// Of a selection no evidence is asked, but that it tested something of each role that it is about:
// warnings and their consequences alone are not enough where a MUST was selected, since a library
// that refuses whatever it is asked earns one.
bool is_hollow_selection(const Results& results, const RoleScope& role) {
  bool selects = false;
  bool selects_must = false;
  bool only_warns = false;
  for (const RequirementResult& result : results.results) {
    if (tested_party(result) != role.adapter || tested_role(result) != role.role) continue;
    const bool follows = result.verdict == Verdict::consequence;
    if (tests_role(result) && !warns(result) && !follows) return false;
    selects = true;
    selects_must = selects_must || result.level == Level::must;
    only_warns = only_warns || tests_role(result);
  }
  return selects && (selects_must || !only_warns);
}

bool is_hollow(const Results& results, const RoleScope& role) {
  return results.filtered ? is_hollow_selection(results, role) : !role.has_evidence();
}

// What a role lacks, with what is to be done about it.
std::string hollow_text(const Results& results, const RoleScope& role) {
  const std::string who = fmt::format("{} as {}", role.adapter, to_text(role.role));
  if (results.filtered)
    return fmt::format("this selection tested nothing of {}, except for warnings", who);
  const EvidenceCounts& shown = role.evidence;
  if (role.role == Role::runtime)
    return fmt::format("no evidence of {}: the library answered no question in a case that passed",
                       who);
  if (role.role == Role::consumer)
    return fmt::format(
        "no evidence of {}: the cases that passed imported {} tensors, but compared the values of "
        "none; `dlcert smoke` shows what the library refuses",
        who, shown.handed_over);
  return fmt::format(
      "no evidence of {}: the cases that passed made {} tensors and handed over {}, but compared "
      "the values of none; `dlcert smoke` shows what the library refuses",
      who, shown.made, shown.handed_over);
}

// What was tested of a role that gave evidence, and too little of it, with what is to be done.
std::string too_little_text(const RoleScope& role) {
  return fmt::format(
      "too little tested: {} as {}: {}, but at least half must be tested{}", role.adapter,
      to_text(role.role), core_text(*role.core),
      role.role == Role::runtime
          ? ""
          : "; let `can` of the adapter claim more (`dlcert smoke` shows what it claims)");
}

class Judge {
 public:
  explicit Judge(const Results& results) : results_{results} {}

  RunVerdict judge();
  RunVerdict judge_beside_requirements();

 private:
  bool judge_adapter();
  RunVerdict judge_matrix();
  void judge_cells();
  void add_cells(int code, std::string_view what, const std::vector<const Cell*>& cells);
  template <typename Predicate>
  std::vector<const Cell*> cells(const Predicate& predicate) const;
  void judge_deaths();
  void judge_flaky_deaths();
  void judge_failures();
  void judge_problems();
  bool judge_tested();
  void judge_substance();
  void judge_evidence();
  void judge_core();
  void judge_required();
  void judge_baseline();
  template <typename Predicate>
  void judge_waivers(const Predicate& predicate);
  void judge_flaky();

  template <typename Predicate>
  std::vector<std::string> requirements(const Predicate& predicate) const;
  void add(int code, std::string_view what, const std::vector<std::string>& requirements);
  void add(int code, std::string reason);

  const Results& results_;
  RunVerdict verdict_;
};

// The distinct IDs among the results that count and satisfy the predicate.
template <typename Predicate>
std::vector<std::string> Judge::requirements(const Predicate& predicate) const {
  std::vector<std::string> ids;
  for (const RequirementResult& result : results_.results)
    if (predicate(result) && std::ranges::find(ids, result.requirement) == ids.end())
      ids.push_back(result.requirement);
  return ids;
}

void Judge::add(int code, std::string reason) {
  if (verdict_.reasons.empty()) verdict_.exit_code = code;
  verdict_.reasons.push_back(std::move(reason));
}

void Judge::add(int code, std::string_view what, const std::vector<std::string>& requirements) {
  constexpr std::size_t shown = 3;
  if (requirements.empty()) return;
  const auto last =
      requirements.begin() + static_cast<std::ptrdiff_t>(std::min(shown, requirements.size()));
  add(code, fmt::format("{} {} {}: {}{}", requirements.size(),
                        requirements.size() == 1 ? "requirement" : "requirements", what,
                        fmt::join(requirements.begin(), last, ", "),
                        requirements.size() > shown ? ", ..." : ""));
}

void Judge::add_cells(int code, std::string_view what, const std::vector<const Cell*>& cells) {
  constexpr std::size_t shown = 3;
  if (cells.empty()) return;
  std::vector<std::string> pairs;
  pairs.reserve(cells.size());
  for (const Cell* const cell : cells)
    pairs.push_back(fmt::format("{} to {}", cell->producer, cell->consumer));
  const std::size_t named = std::min(shown, pairs.size());
  add(code, fmt::format(
                "{} {} {}: {}{}", pairs.size(), pairs.size() == 1 ? "pair" : "pairs", what,
                fmt::join(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(named), ", "),
                named < pairs.size() ? ", ..." : ""));
}

template <typename Predicate>
std::vector<const Cell*> Judge::cells(const Predicate& predicate) const {
  std::vector<const Cell*> found;
  for (const Cell& cell : results_.matrix->cells)
    if (predicate(cell)) found.push_back(&cell);
  return found;
}

// Of a matrix no evidence is asked of a library, but that each pair that was required is full, and
// that something was exchanged.
void Judge::judge_cells() {
  if (results_.matrix->cells.empty() ||
      cells([](const Cell& cell) { return cell.found != 0; }).empty())
    add(exit_vacuous, "no two libraries exchanged anything");
  add_cells(
      exit_vacuous, cannot_be_loaded_together, cells([this](const Cell& cell) {
        return cell.state == CellState::apart &&
               find_clash(results_.matrix->clashes, cell.producer, cell.consumer)->waiver.empty();
      }));
  add_cells(exit_vacuous, "required but not full", cells([this](const Cell& cell) {
              const std::string pair = fmt::format("{}:{}", cell.producer, cell.consumer);
              return cell.state != CellState::full &&
                     std::ranges::find(results_.matrix->required, pair) !=
                         results_.matrix->required.end();
            }));
}

RunVerdict Judge::judge_matrix() {
  if (!judge_adapter()) return std::move(verdict_);
  judge_deaths();
  add_cells(exit_failed, "broken",
            cells([](const Cell& cell) { return cell.state == CellState::broken; }));
  judge_failures();
  judge_problems();
  judge_cells();
  judge_substance();
  judge_waivers([](const WaiverNote&) { return true; });
  judge_flaky();
  return std::move(verdict_);
}

RunVerdict Judge::judge() {
  if (results_.matrix) return judge_matrix();
  if (!judge_adapter()) return std::move(verdict_);
  judge_deaths();
  judge_failures();
  judge_problems();
  judge_substance();
  judge_evidence();
  judge_core();
  judge_required();
  judge_baseline();
  judge_waivers([](const WaiverNote&) { return true; });
  judge_flaky();
  return std::move(verdict_);
}

RunVerdict Judge::judge_beside_requirements() {
  if (!judge_adapter()) return std::move(verdict_);
  judge_deaths();
  judge_problems();
  judge_tested();
  judge_evidence();
  judge_core();
  judge_required();
  judge_baseline();
  judge_waivers([this](const WaiverNote& problem) {
    return std::ranges::find(results_.results, problem.requirement,
                             &RequirementResult::requirement) == results_.results.end();
  });
  judge_flaky_deaths();
  return std::move(verdict_);
}

// Returns whether the adapter was right, so that anything was judged.
bool Judge::judge_adapter() {
  if (results_.adapter_fault) add(exit_usage, results_.adapter_fault->what);
  return !results_.adapter_fault;
}

void Judge::judge_deaths() {
  for (const Death& death : results_.deaths)
    if (death.repeated) add(exit_failed, death_text(death));
}

void Judge::judge_flaky_deaths() {
  for (const Death& death : results_.deaths)
    if (!death.repeated) add(exit_flaky, death_text(death));
}

void Judge::judge_problems() {
  for (const std::string& problem : results_.problems)
    add(exit_vacuous, problem);
}

void Judge::judge_failures() {
  for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout}) {
    const auto ids = requirements([&](const RequirementResult& result) {
      // A failure with another message than its waiver accepts is a problem of the waiver.
      return result.verdict == verdict && result.binding && result.waiver.empty();
    });
    add(exit_failed, verdict == Verdict::fail ? "failed" : to_text(verdict), ids);
  }
}

// Returns whether anything was tested.
bool Judge::judge_tested() {
  if (std::ranges::any_of(results_.results, tested)) return true;
  add(exit_vacuous, results_.results.empty() ? "nothing was selected" : "nothing was tested");
  return false;
}

void Judge::judge_substance() {
  if (!judge_tested()) return;
  add(exit_vacuous, "with a check that ran no case",
      requirements([](const RequirementResult& result) {
        return is_vacuous(result);  // whatever a waiver says
      }));
  for (const Verdict verdict : {Verdict::inconclusive, Verdict::not_run}) {
    add(exit_vacuous, to_text(verdict), requirements([&](const RequirementResult& result) {
          return result.verdict == verdict && result.binding && result.waiver.empty() &&
                 !is_apart(results_, result) && !is_vacuous(result);
        }));
  }
}

void Judge::judge_evidence() {
  const std::vector<RoleScope> roles = evidence_of(results_);
  if (roles.empty() && !judges_runtimes(results_))
    add(exit_vacuous, "no role can be judged: a runtime needs simulated devices");
  for (const RoleScope& role : roles)
    if (is_hollow(results_, role)) add(exit_vacuous, hollow_text(results_, role));
}

void Judge::judge_core() {
  for (const RoleScope& role : results_.scope.roles)
    if (role.core && role.core->is_too_little() && !is_hollow(results_, role))
      add(exit_vacuous, too_little_text(role));
}

void Judge::judge_required() {
  for (const std::string& required : results_.required) {
    const auto is_required = [&](const FeatureScope& scope) { return scope.feature == required; };
    if (std::ranges::none_of(results_.scope.features, is_required))
      add(exit_vacuous,
          fmt::format("{} is required, but no role of the adapters has this feature", required));
    for (const FeatureScope& scope : results_.scope.features) {
      if (!is_required(scope) || scope.coverage == Coverage::full) continue;
      add(exit_vacuous, fmt::format("{} is required of {} as {}, but it is {}", required,
                                    scope.adapter, to_text(scope.role), coverage_text(scope, 3)));
    }
  }
}

void Judge::judge_baseline() {
  if (!results_.baseline || results_.baseline->lost.empty()) return;
  const Baseline& baseline = *results_.baseline;
  add(exit_vacuous, fmt::format("{} {} compared with {}: {}{}", baseline.lost.size(),
                                baseline.lost.size() == 1 ? "loss" : "losses", baseline.file,
                                baseline.lost.front(), baseline.lost.size() > 1 ? ", ..." : ""));
}

template <typename Predicate>
void Judge::judge_waivers(const Predicate& predicate) {
  for (const WaiverNote& problem : results_.waiver_problems)
    if (predicate(problem)) add(exit_waivers, problem.text);
}

void Judge::judge_flaky() {
  judge_flaky_deaths();
  add(exit_flaky, "flaky", requirements([](const RequirementResult& result) {
        return result.verdict == Verdict::flaky && result.grace.empty();
      }));
}

}  // namespace

bool counts(const RequirementResult& result) {
  switch (result.verdict) {
    case Verdict::pass:
    case Verdict::waived:
    case Verdict::not_judged:
    case Verdict::not_applicable:
      return false;
    case Verdict::consequence:
      return is_vacuous(result);
    case Verdict::flaky:
      return result.grace.empty();
    case Verdict::unexpected_pass:
      return true;
    case Verdict::fail:
    case Verdict::crash:
    case Verdict::timeout:
    case Verdict::inconclusive:
    case Verdict::not_run:
      break;
  }
  return result.binding || is_vacuous(result);
}

bool warns(const RequirementResult& result) {
  return broken(result.verdict) && !counts(result);
}

RunVerdict judge(const Results& results) {
  return Judge{results}.judge();
}

RunVerdict judge_beside_requirements(const Results& results) {
  return Judge{results}.judge_beside_requirements();
}

}  // namespace dlcert
