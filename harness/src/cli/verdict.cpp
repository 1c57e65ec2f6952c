// SPDX-License-Identifier: Apache-2.0
//
// `dlcert verdict`: one requirement's verdict, for CTest, from the results of this invocation's
// certification, or by a run of its own.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/certification.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "register/profile.hpp"
#include "report/atomic_file.hpp"
#include "report/failure.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

bool same_adapters(const Results& results, const Options& options) {
  const std::vector<std::string> adapters = find_adapters(options);
  return std::ranges::equal(results.adapters, adapters, {}, &AdapterInfo::path);
}

// The results that the certification of the same CTest invocation has written, if there are any.
std::optional<Results> recorded(const Options& options) {
  if (options.results.empty() || !fs::exists(options.results)) return std::nullopt;
  Results results = results_from_json(read_file(options.results));
  if (!results.complete || results.invoker != invoker() || !same_adapters(results, options))
    return std::nullopt;
  return results;
}

Results run_alone(const Options& options, const Register& known) {
  Certification certification{options, known};
  certification.prepare();
  certification.run({});
  return certification.results();
}

// A requirement that the certification left out has no result.
void print_absence(const Results& results, const Requirement& requirement) {
  for (const AdapterInfo& adapter : results.adapters) {
    const std::string reason = outside_profile(
        requirement, results.settings, effective_runtime(results.settings, adapter.runtime));
    fmt::print("{}  not applicable  {}  {}\n", requirement.id, adapter.name,
               reason.empty() ? "not selected" : reason);
  }
}

void print(const Results& results, const RequirementResult& result, const Register& known,
           const fs::path& saved) {
  switch (result.verdict) {
    case Verdict::pass:
    case Verdict::waived:
    case Verdict::not_judged:
    case Verdict::not_applicable:
      fmt::print("{}  {}  {} as {}  {}\n", result.requirement, to_text(result.verdict),
                 tested_party(result), to_text(tested_role(result)), result.reason);
      break;
    default:
      fmt::print("{}", describe_failure(results, result, known, saved));
  }
}

}  // namespace

int verdict(const Options& options) {
  const Register& known = Register::embedded();
  const std::string& id = options.ids.front();
  select(known, selection_of(options));  // refuses what it does not know
  if (known.find(id) == nullptr)
    throw CommandError{exit_usage, fmt::format("expected one requirement but found '{}'", id)};
  const std::optional<Results> earlier = recorded(options);
  const Results results = earlier ? *earlier : run_alone(options, known);
  const fs::path saved = earlier ? fs::path{options.results + ".counterexamples"} : fs::path{};

  bool found = false, passed = false, warned = false, failed = false;
  for (const RequirementResult& result : results.results) {
    if (result.requirement != id) continue;
    found = true;
    print(results, result, known, saved);
    const bool kept = result.verdict == Verdict::pass || result.verdict == Verdict::waived;
    passed |= kept;
    failed |= counts(result);
    warned |= !kept && result.verdict != Verdict::not_applicable;
  }
  if (!found) print_absence(results, *known.find(id));
  for (const WaiverNote& problem : results.waiver_problems) {
    if (problem.requirement != id) continue;
    fmt::print("{}\n", problem.text);
    failed = true;
  }
  if (failed) return exit_failed;
  return passed && !warned ? exit_certified : exit_not_applicable;
}

}  // namespace dlcert
