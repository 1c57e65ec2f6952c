// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/certification.hpp"
#include "cli/session.hpp"
#include "register/text.hpp"
#include "report/input_file.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

// Why results that are there are not those of this run's own certification; empty when they are.
std::string not_believed(const Results& results, const Options& options,
                         const LocatedAdapters& adapters) {
  const std::string caller = invoker();
  if (!results.complete) return "the results are incomplete";
  if (caller.empty() || results.invoker != caller) return "the results are from another CTest run";
  if (!results.identity) return "the results do not name the files that were tested";
  if (!options.waivers.empty() && !results.started.starts_with(date_text(today())))
    return "the results are from another day, and waivers expire by date";
  // Of a selection by ID, what it holds counts.
  Identity recorded = *results.identity;
  const bool selected = recorded.options.erase("ID") != 0;
  if (selected && options.ids.empty()) return "the results cover only some requirements";
  const auto is_judged = [&](const std::string& id) {
    return std::ranges::find(results.results, id, &RequirementResult::requirement) !=
           results.results.end();
  };
  if (selected && !std::ranges::all_of(options.ids, is_judged))
    return "the results cover other requirements";
  Identity wanted = identity_of(options, adapters);
  wanted.options.erase("ID");
  return difference(recorded, wanted);
}

// The results that the certification of the same CTest invocation has written, if there are any.
std::optional<Results> recorded(const Options& options, const LocatedAdapters& adapters) {
  if (options.results.empty() || !fs::exists(options.results)) return std::nullopt;
  std::string why_not;
  try {
    Results results = results_from_json(read_input(options.results, most_results));
    why_not = not_believed(results, options, adapters);
    if (why_not.empty()) return results;
  } catch (const CommandError&) {
    throw;
  } catch (const std::runtime_error& error) {
    why_not = error.what();
  }
  fmt::print(stderr, "dlcert: '{}' is not usable, so dlcert runs {} itself: {}\n", options.results,
             options.ids.empty()       ? "the certification"
             : options.ids.size() == 1 ? "the requirement"
                                       : "the requirements",
             one_line(why_not));
  return std::nullopt;
}

Results run_alone(const Options& options, const Register& known, const LocatedAdapters& adapters) {
  Certification certification{options, known, adapters};
  certification.prepare();
  certification.run({});
  return certification.results();
}

}  // namespace

bool tell_deaths(const Recorded& recorded) {
  const bool told_there = !recorded.saved.empty() && !recorded.results.filtered;
  if (told_there) return false;
  for (const Death& death : recorded.results.deaths)
    fmt::print("{}\n", death_text(death));
  return !recorded.results.deaths.empty();
}

Recorded recorded_or_run(const Options& options, const Register& known) {
  const LocatedAdapters adapters = find_adapters(options);
  std::optional<Results> earlier = recorded(options, adapters);
  const Recorded found = earlier
                             ? Recorded{*std::move(earlier), options.results + ".counterexamples"}
                             : Recorded{run_alone(options, known, adapters), {}};
  if (found.results.adapter_fault) throw fault_error(*found.results.adapter_fault);
  return found;
}

}  // namespace dlcert
