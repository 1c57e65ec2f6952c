// SPDX-License-Identifier: Apache-2.0
#include "runner/unraisable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlcert {
namespace {

constexpr std::string_view owner_of_unraisable = "lifetime.no-unraisable-errors";

// The first error that a check of the requirement has met, and where; empty: none.
std::string first_error(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    for (const std::string& warning : check.record.warnings)
      if (warning.starts_with(unraisable_prefix))
        return fmt::format("{}, while dlcert tested {} ({})", warning, result.requirement,
                           check.name);
  return {};
}

}  // namespace

void judge_unraisable(std::vector<RequirementResult>& results) {
  for (const RequirementResult& result : results) {
    std::string error = first_error(result);
    if (error.empty()) continue;
    const auto judged = std::ranges::find_if(results, [&](const RequirementResult& one) {
      return one.requirement == owner_of_unraisable && one.producer == result.producer &&
             one.consumer == result.consumer && !one.checks.empty();
    });
    if (judged == results.end() || judged->checks.front().verdict != Verdict::pass) continue;
    CheckResult& check = judged->checks.front();
    check.verdict = Verdict::fail;
    check.record.failed = true;
    check.record.message = std::move(error);
  }
}

}  // namespace dlcert
