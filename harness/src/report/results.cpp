// SPDX-License-Identifier: Apache-2.0
#include "report/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace dlcert {
namespace {

struct NamedProperty {
  std::uint32_t bit;
  std::string_view name;
};
constexpr std::array named_properties{
    NamedProperty{DLCERT_FAITHFUL_ERRORS, "faithful errors"},
    NamedProperty{DLCERT_THREAD_SAFE, "thread safe"},
    NamedProperty{DLCERT_FAILED_IMPORT_CONSUMES, "failed import consumes"},
    NamedProperty{DLCERT_KNOWS_READ_ONLY, "knows read-only"},
    NamedProperty{DLCERT_PASSES_CODES_THROUGH, "passes codes through"},
    NamedProperty{DLCERT_ENDS_WITHOUT_EXIT, "ends without exit"},
    NamedProperty{DLCERT_CUDA_ALONE, "CUDA alone"},
    NamedProperty{DLCERT_ROCM_ALONE, "ROCm alone"},
};

}  // namespace

std::vector<std::string> property_names(std::uint32_t properties) {
  std::vector<std::string> names;
  for (const NamedProperty& property : named_properties)
    if ((properties & property.bit) != 0) names.emplace_back(property.name);
  return names;
}

std::uint32_t property_from_name(std::string_view name) {
  const auto found = std::ranges::find(named_properties, name, &NamedProperty::name);
  if (found == named_properties.end())
    throw std::runtime_error{fmt::format("expected a property but found '{}'", name)};
  return found->bit;
}

const std::string& tested_party(const RequirementResult& result) {
  return tested_role(result) == Role::consumer ? result.consumer : result.producer;
}

Role tested_role(const RequirementResult& result) {
  if (result.consumer.empty()) return Role::runtime;
  return result.producer == own_name ? Role::consumer : Role::producer;
}

std::string failure_text(const CheckResult& check) {
  const std::string& text = check.record.message.empty() ? check.reason : check.record.message;
  return text.substr(0, text.find('\n'));
}

std::string share_text(const CheckResult& check) {
  const bool ran = check.verdict != Verdict::not_applicable && check.verdict != Verdict::not_run;
  if (check.whole == 0 || !ran) return {};
  return fmt::format("{} of {} cases, because each case runs in its own process",
                     check.record.requested, check.whole);
}

std::map<std::string, std::vector<std::string>> shares_of(const Results& results) {
  std::map<std::string, std::vector<std::string>> shares;
  for (const RequirementResult& result : results.results)
    for (const CheckResult& check : result.checks) {
      const std::string share = share_text(check);
      if (share.empty()) continue;
      std::vector<std::string>& ids = shares[share];
      if (ids.empty() || ids.back() != result.requirement) ids.push_back(result.requirement);
    }
  return shares;
}

std::string death_text(const Death& death) {
  return fmt::format("the library's process failed outside of checks ({}): {}{}{}", death.when,
                     death.how, death.times == 1 ? "" : fmt::format(", {} times", death.times),
                     death.repeated ? "" : "; flaky: a new process that did the same went well");
}

std::vector<std::string> notes_of(const RequirementResult& result) {
  std::vector<std::string> notes;
  for (const CheckResult& check : result.checks)
    if ((check.verdict == Verdict::pass || check.verdict == Verdict::not_judged) &&
        !check.record.message.empty())
      notes.push_back(failure_text(check));
  return notes;
}

std::vector<Judged> judged_checks(const std::vector<CheckResult>& checks) {
  std::vector<Judged> judged;
  judged.reserve(checks.size());
  for (const CheckResult& check : checks)
    judged.push_back({check.verdict, check.record.met, asked_cases(check.record), check.one_in});
  return judged;
}

Verdict worst(const std::vector<CheckResult>& checks) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(checks.size());
  for (const CheckResult& check : checks)
    verdicts.push_back(check.verdict);
  return worst(verdicts);
}

void decide_by_checks(RequirementResult& result) {
  result.verdict = decide_requirement(true, judged_checks(result.checks), Waiving::none);
  const auto decided = std::ranges::find(result.checks, result.verdict, &CheckResult::verdict);
  result.reason = decided == result.checks.end() ? std::string{} : decided->reason;
}

}  // namespace dlcert
