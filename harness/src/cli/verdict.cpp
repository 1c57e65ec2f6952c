// SPDX-License-Identifier: Apache-2.0
//
// `dlcert verdict ID...`: the verdicts of one or more requirements, for CTest.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/recorded.hpp"
#include "cli/session.hpp"
#include "register/rules.hpp"
#include "report/failure.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// A requirement that the certification left out has no result.
void print_absence(const Results& results, const Requirement& requirement) {
  for (const AdapterInfo& adapter : results.adapters) {
    const std::string reason = left_out(
        requirement, standards_of(results.settings, adapter.declared), rules_of(results.rules));
    fmt::print("{}  not applicable  {}  {}\n", requirement.id, adapter.name,
               reason.empty() ? "not selected" : reason);
  }
}

void print(const Results& results, const RequirementResult& result, const Register& known,
           const fs::path& saved) {
  switch (result.verdict) {
    case Verdict::pass:
    case Verdict::waived:
    case Verdict::consequence:
    case Verdict::not_judged:
    case Verdict::not_applicable:
      fmt::print("{}  {}  {} as {}  {}\n", result.requirement, to_text(result.verdict),
                 tested_party(result), to_text(tested_role(result)), result.reason);
      break;
    default:
      if (warns(result))
        fmt::print("warning: {} is a {} that this library does not follow\n", result.requirement,
                   to_text(result.level));
      fmt::print("{}", describe_failure(results, result, known, saved));
  }
}

// What the verdicts on requirements come to for a test of CTest.
struct Tally {
  bool failed = false, passed = false, unknown = false;

  Tally& operator+=(const Tally& other) {
    failed |= other.failed;
    passed |= other.passed;
    unknown |= other.unknown;
    return *this;
  }
};

// Prints each verdict on one requirement, and what is wrong with its waivers.
Tally report(const Recorded& recorded, const Requirement& requirement, const Register& known) {
  const Results& results = recorded.results;
  Tally tally;
  bool found = false;
  for (const RequirementResult& result : results.results) {
    if (result.requirement != requirement.id) continue;
    found = true;
    print(results, result, known, recorded.saved);
    tally.failed |= counts(result);
    if (result.verdict == Verdict::pass || result.verdict == Verdict::waived || warns(result))
      tally.passed = true;
    else
      tally.unknown |= result.verdict != Verdict::not_applicable;
  }
  if (!found) print_absence(results, requirement);
  for (const WaiverNote& problem : results.waiver_problems) {
    if (problem.requirement != requirement.id) continue;
    fmt::print("{}\n", problem.text);
    tally.failed = true;
  }
  return tally;
}

}  // namespace

int verdict(const Options& options) {
  const Register& known = Register::embedded();
  if (options.ids.empty()) return verdict_on_features(options, known);
  select(known, selection_of(options));  // refuses what it does not know
  for (const std::string& id : options.ids)
    if (known.find(id) == nullptr)
      throw CommandError{exit_usage, fmt::format("expected a requirement but found '{}'", id)};
  const Recorded recorded = recorded_or_run(options, known);

  Tally all;
  for (const std::string& id : options.ids)
    all += report(recorded, *known.find(id), known);
  all.failed |= tell_deaths(recorded);
  if (all.failed) return exit_failed;
  const bool kept = options.ids.size() == 1 ? all.passed && !all.unknown : all.passed;
  return kept ? exit_certified : exit_not_applicable;
}

}  // namespace dlcert
