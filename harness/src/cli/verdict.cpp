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
#include "register/names.hpp"
#include "register/profile.hpp"
#include "report/failure.hpp"
#include "report/input_file.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// Why results that are there are not those of this run's own certification; empty when they are.
std::string not_believed(const Results& results, const Options& options) {
  const std::string caller = invoker();
  if (!results.complete) return "they are incomplete";
  if (caller.empty() || results.invoker != caller) return "they are of another invocation";
  if (!results.identity) return "they do not say what was tested";
  if (!options.waivers.empty() && !results.started.starts_with(date_text(today())))
    return "they are of another day, on which other waivers had expired";
  // Of a selection by ID, what it holds counts.
  Identity recorded = *results.identity;
  const bool selected = recorded.options.erase("ID") != 0;
  if (selected && std::ranges::find(results.results, options.ids.front(),
                                    &RequirementResult::requirement) == results.results.end())
    return "they are of other requirements";
  Identity wanted = identity_of(options);
  wanted.options.erase("ID");
  return difference(recorded, wanted);
}

// The results that the certification of the same CTest invocation has written, if there are any.
std::optional<Results> recorded(const Options& options) {
  if (options.results.empty() || !fs::exists(options.results)) return std::nullopt;
  std::string why_not;
  try {
    Results results = results_from_json(read_input(options.results, most_results));
    why_not = not_believed(results, options);
    if (why_not.empty()) return results;
  } catch (const CommandError&) {
    throw;
  } catch (const std::runtime_error& error) {
    why_not = error.what();
  }
  fmt::print(stderr, "dlcert: '{}' does not count, the requirement is run alone: {}\n",
             options.results, one_line(why_not));
  return std::nullopt;
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
