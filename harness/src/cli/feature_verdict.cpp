// SPDX-License-Identifier: Apache-2.0
//
// `dlcert verdict --feature F...`: whether a library claims the features that it is to claim, and
// keeps what has no test because it is part of none of them. For CTest.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/recorded.hpp"
#include "cli/session.hpp"
#include "register/features.hpp"
#include "report/failure.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

constexpr std::size_t shown_missing = 5;

// Prints what each role claims of the feature; whether any claims it.
bool tell_claims(const Results& results, const std::string& feature) {
  bool claimed = false;
  for (const FeatureScope& scope : results.scope.features) {
    if (scope.feature != feature) continue;
    fmt::print("{}  {} as {}: {}\n", feature, scope.adapter, to_text(scope.role),
               coverage_text(scope, shown_missing));
    claimed |= scope.coverage != Coverage::not_claimed;
  }
  return claimed;
}

bool is_named(const std::vector<std::string>& features, const std::string& feature) {
  return std::ranges::find(features, feature) != features.end();
}

}  // namespace

int verdict_on_features(const Options& options, const Register& known) {
  if (options.features.empty())
    throw CommandError{exit_usage, "expected a requirement, or a feature with --feature"};
  select(known, {.features = options.features});  // refuses what it does not know
  Options whole = options;
  whole.features.clear();
  whole.given.erase("--feature");
  const Recorded recorded = recorded_or_run(whole, known);

  bool failed = tell_deaths(recorded);
  for (const std::string& feature : options.features) {
    if (tell_claims(recorded.results, feature)) continue;
    fmt::print("{}  is not claimed, but must be claimed\n", feature);
    failed = true;
  }
  for (const FeatureScope& scope : recorded.results.scope.features)
    if (scope.coverage != Coverage::not_claimed && !is_named(options.features, scope.feature) &&
        known.find_feature(scope.feature)->kind == FeatureKind::claimable)
      fmt::print("also claimed: {}  {} as {}: {}\n", scope.feature, scope.adapter,
                 to_text(scope.role), coverage_text(scope, shown_missing));
  for (const RequirementResult& result : recorded.results.results) {
    const Requirement* const requirement = known.find(result.requirement);
    const bool has_test = requirement == nullptr || requirement->feature == "header" ||
                          std::ranges::any_of(options.features, [&](const std::string& feature) {
                            return is_part_of(known, *requirement, feature);
                          });
    if (has_test || !counts(result)) continue;
    fmt::print("{}", describe_failure(recorded.results, result, known, recorded.saved));
    failed = true;
  }
  return failed ? exit_failed : exit_certified;
}

}  // namespace dlcert
