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

bool is_hollow(const RoleSummary& role) {
  return role.tested_musts == 0;
}

class Judge {
 public:
  explicit Judge(const Results& results) : results_{results} {}

  RunVerdict judge();

 private:
  void judge_failures();
  void judge_substance();
  void judge_roles();
  void judge_waivers();
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

RunVerdict Judge::judge() {
  judge_failures();
  judge_substance();
  judge_roles();
  judge_waivers();
  judge_flaky();
  return std::move(verdict_);
}

void Judge::judge_failures() {
  for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout}) {
    const auto ids = requirements([&](const RequirementResult& result) {
      // A failure with another message than its waiver accepts is a problem of the waiver.
      return result.verdict == verdict && binding(result.level, results_.strict) &&
             result.waiver.empty();
    });
    add(exit_failed, verdict == Verdict::fail ? "failed" : to_text(verdict), ids);
  }
}

void Judge::judge_substance() {
  if (std::ranges::none_of(results_.results, tested)) {
    add(exit_vacuous, results_.results.empty() ? "nothing was selected" : "nothing was tested");
    return;
  }
  add(exit_vacuous, "with a check that ran no case",
      requirements([](const RequirementResult& result) {
        return result.waiver.empty() && std::ranges::any_of(result.checks, is_vacuous);
      }));
  for (const Verdict verdict : {Verdict::inconclusive, Verdict::not_run}) {
    add(exit_vacuous, to_text(verdict), requirements([&](const RequirementResult& result) {
          return result.verdict == verdict && binding(result.level, results_.strict) &&
                 result.waiver.empty() && std::ranges::none_of(result.checks, is_vacuous);
        }));
  }
}

void Judge::judge_roles() {
  if (results_.filtered) return;
  for (const RoleSummary& role : summarise_roles(results_))
    if (is_hollow(role))
      add(exit_vacuous,
          fmt::format("no MUST of {} as {} was tested", role.adapter->name, to_text(role.role)));
}

void Judge::judge_waivers() {
  for (const WaiverNote& problem : results_.waiver_problems)
    add(exit_waivers, problem.text);
}

void Judge::judge_flaky() {
  add(exit_flaky, "flaky", requirements([](const RequirementResult& result) {
        return result.verdict == Verdict::flaky;
      }));
}

}  // namespace

bool binding(Level level, bool strict) {
  return level == Level::must || (strict && level == Level::should);
}

bool hollow(const Results& results) {
  if (std::ranges::none_of(results.results, tested)) return true;
  return !results.filtered && std::ranges::any_of(summarise_roles(results), is_hollow);
}

bool counts(const RequirementResult& result, bool strict) {
  switch (result.verdict) {
    case Verdict::pass:
    case Verdict::waived:
    case Verdict::not_judged:
    case Verdict::not_applicable:
      return false;
    case Verdict::flaky:
    case Verdict::unexpected_pass:
      return true;
    case Verdict::fail:
    case Verdict::crash:
    case Verdict::timeout:
    case Verdict::inconclusive:
    case Verdict::not_run:
      break;
  }
  return binding(result.level, strict) || std::ranges::any_of(result.checks, is_vacuous);
}

RunVerdict judge(const Results& results) {
  return Judge{results}.judge();
}

}  // namespace dlcert
