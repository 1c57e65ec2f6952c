// SPDX-License-Identifier: Apache-2.0
//
// dlcert-designs: a design is certified without a warning that it does not announce, and each of
// its wrong siblings is found by the requirements that it names.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "catalogue.hpp"
#include "first_faults.hpp"
#include "module_run.hpp"
#include "report/run_verdict.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

using designs::Catalogue;
using designs::Design;
using designs::Sibling;

// They find most faults.
constexpr std::uint64_t few_cases = 100;

struct Options {
  std::string module, worker, design;
  std::size_t siblings = 0;  // as many as the design has at least
  bool alone = false;        // its siblings are not run
  std::uint64_t cases = 1000, seed = 1;
  std::uint64_t right_cases = 30;  // for each property of the design, of which all are judged
  double faults_at_least = 0;      // per cent: how often the first fault must be right
};

bool finds(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout;
}

ModuleRun run_of(const Options& options, const std::string& library) {
  return {options.module,
          "DLCERT_DESIGN",
          library,
          options.worker,
          default_settings(Register::embedded()),
          options.cases,
          options.seed,
          true,
          1};
}

std::string message_of(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    if (finds(check.verdict)) return failure_text(check);
  return result.reason;
}

// What is said of a design beyond that it is right; nothing where it is certified as it should be.
std::vector<std::string> accusations(const Design& design, const Results& results) {
  std::vector<std::string> found = judge(results).reasons;
  std::vector<std::string> unheard = design.facts.warns;
  for (const RequirementResult& result : results.results) {
    if (!broken(result.verdict) && result.verdict != Verdict::not_judged) continue;
    std::erase(unheard, result.requirement);
    if (std::ranges::count(design.facts.warns, result.requirement) == 0)
      found.push_back(fmt::format("{}: {}: {}", result.requirement, to_text(result.verdict),
                                  message_of(result)));
  }
  for (const std::string& requirement : unheard)
    found.push_back(fmt::format("{}: does not warn, as the design says", requirement));
  return found;
}

// What is said of a design that should be certified.
std::vector<std::string> accusations(const Options& options, const Design& design) {
  ModuleRun run = run_of(options, design.id);
  run.cases = options.right_cases;
  run.explain = false;
  if (accusations(design, run_module(run, {})).empty()) return {};
  run.explain = true;
  return accusations(design, run_module(run, {}));
}

// The first requirement of these that does not find the fault; empty where each does.
std::string blind(const ModuleRun& run, const std::vector<std::string>& requirements) {
  const Results results = run_module(run, requirements);
  for (const std::string& id : requirements) {
    const auto result = std::ranges::find_if(results.results, [&](const RequirementResult& one) {
      return one.requirement == id && finds(one.verdict);
    });
    if (result == results.results.end()) return id;
  }
  return {};
}

// Why a sibling is not found as it should be; empty where it is.
std::string escape(const Options& options, const Sibling& sibling) {
  ModuleRun run = run_of(options, sibling.id);
  if (sibling.fault.must_fail.empty()) {
    if (sibling.fault.survives.empty()) return "names no requirement, and no reason";
    const RunVerdict verdict = judge(run_module(run, {}));
    return verdict.exit_code == 0 ? "" : "is said to survive, but " + verdict.reasons.front();
  }
  ModuleRun few = run;
  few.cases = std::min(options.cases, few_cases);
  few.explain = false;
  if (blind(few, sibling.fault.must_fail).empty()) return {};
  const std::string id = blind(run, sibling.fault.must_fail);
  return id.empty() ? "" : fmt::format("{} does not fail", id);
}

void tell(const Design& design, const std::string& accused) {
  fmt::print("{} {}: {}\n", accused.empty() ? "certified" : "ACCUSED  ", design.id,
             design.facts.design);
  if (!accused.empty()) fmt::print("  {}\n", accused);
}

void tell(const Sibling& sibling, const std::string& why) {
  fmt::print("{} {}: {}{}{}\n",
             !why.empty()                      ? "ESCAPED  "
             : sibling.fault.must_fail.empty() ? "survives "
                                               : "found    ",
             sibling.id, sibling.fault.fault, why.empty() ? "" : ": ", why);
}

int run(const Options& options) {
  Catalogue catalogue;
  reinterpret_cast<designs::ReadCatalogue*>(
      function_of(options.module, "dlcert_designs_catalogue"))(&catalogue);
  if (options.design.empty()) {
    ModuleRun run = run_of(options, {});
    run.cases = options.right_cases;
    return measure_first_faults(catalogue.siblings, run) >= options.faults_at_least ? 0 : 1;
  }
  const auto design = std::ranges::find(catalogue.designs, options.design, &Design::id);
  if (design == catalogue.designs.end()) {
    fmt::print(stderr, "dlcert-designs: {} has no design '{}'\n", options.module, options.design);
    return 2;
  }
  std::vector<const Sibling*> siblings;
  for (const Sibling& sibling : catalogue.siblings)
    if (sibling.id.starts_with(design->id + ".")) siblings.push_back(&sibling);
  bool right = siblings.size() >= options.siblings;
  if (!right)
    fmt::print("expected {} wrong siblings but found {}\n", options.siblings, siblings.size());
  if (options.alone) siblings.clear();
  side_by_side(
      siblings.size() + 1,
      [&](std::size_t index) {
        return index == 0 ? fmt::format("{}", fmt::join(accusations(options, *design), "\n  "))
                          : escape(options, *siblings[index - 1]);
      },
      [&](std::size_t index, const std::string& wrong) {
        right &= wrong.empty();
        if (index == 0)
          tell(*design, wrong);
        else
          tell(*siblings[index - 1], wrong);
        std::fflush(stdout);
      });
  return right ? 0 : 1;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"certifies a design, and finds its wrong siblings"};
  app.add_option("--module", options.module)->required();
  app.add_option("--worker", options.worker)->required();
  app.add_option("--siblings", options.siblings, "how many it has at least");
  app.add_flag("--alone", options.alone, "certify the design, and leave its siblings out");
  app.add_option("--cases", options.cases, "by which a wrong sibling is found at the latest");
  app.add_option("--right-cases", options.right_cases, "by which the design is certified");
  app.add_option("--seed", options.seed);
  CLI::Option* const least =
      app.add_option("--faults-at-least", options.faults_at_least,
                     "in the place of a design: per cent of all wrong siblings of which the report "
                     "names the planted fault first");
  CLI::Option* const design = app.add_option("design", options.design);
  design->excludes(least);
  CLI11_PARSE(app, argc, argv);
  if (options.design.empty() && least->count() == 0) {
    fmt::print(stderr, "dlcert-designs: expected a design, or --faults-at-least\n");
    return 2;
  }
  return run(options);
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  try {
    return dlcert::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dlcert-designs: {}\n", error.what());
    return 2;
  }
}
