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
#include "module_run.hpp"
#include "report/run_verdict.hpp"

namespace dlcert {
namespace {

using designs::Catalogue;
using designs::Design;
using designs::Sibling;

struct Options {
  std::string module, worker, design;
  std::size_t siblings = 0;  // as many as the design has at least
  std::uint64_t cases = 1000, seed = 1;
};

bool finds(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout;
}

Results run(const Options& options, const std::string& library,
            const std::vector<std::string>& requirements) {
  ModuleRun run{options.module,
                "DLCERT_DESIGN",
                library,
                options.worker,
                default_settings(Register::embedded()),
                options.cases};
  run.seed = options.seed;
  return run_module(run, requirements);
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

// Why a sibling is not found as it should be; empty where it is.
std::string escape(const Options& options, const Sibling& sibling) {
  if (sibling.fault.must_fail.empty()) {
    if (sibling.fault.survives.empty()) return "names no requirement, and no reason";
    const RunVerdict verdict = judge(run(options, sibling.id, {}));
    return verdict.exit_code == 0 ? "" : "is said to survive, but " + verdict.reasons.front();
  }
  const Results results = run(options, sibling.id, sibling.fault.must_fail);
  for (const std::string& id : sibling.fault.must_fail) {
    const auto result = std::ranges::find_if(results.results, [&](const RequirementResult& one) {
      return one.requirement == id && finds(one.verdict);
    });
    if (result == results.results.end()) return fmt::format("{} does not fail", id);
  }
  return {};
}

int run(const Options& options) {
  Catalogue catalogue;
  reinterpret_cast<designs::ReadCatalogue*>(
      function_of(options.module, "dlcert_designs_catalogue"))(&catalogue);
  const auto design = std::ranges::find(catalogue.designs, options.design, &Design::id);
  if (design == catalogue.designs.end()) {
    fmt::print(stderr, "dlcert-designs: {} has no design '{}'\n", options.module, options.design);
    return 2;
  }
  // All requirements are judged: what accuses a right library does so often.
  Options fewer = options;
  fewer.cases = options.cases / 3;
  const std::vector<std::string> accused = accusations(*design, run(fewer, design->id, {}));
  fmt::print("{} {}: {}\n", accused.empty() ? "certified" : "ACCUSED  ", design->id,
             design->facts.design);
  for (const std::string& line : accused)
    fmt::print("  {}\n", line);
  std::size_t siblings = 0, escaped = 0;
  for (const Sibling& sibling : catalogue.siblings) {
    if (!sibling.id.starts_with(design->id + ".")) continue;
    ++siblings;
    const std::string why = escape(options, sibling);
    if (!why.empty()) ++escaped;
    fmt::print("{} {}: {}{}{}\n",
               !why.empty()                      ? "ESCAPED  "
               : sibling.fault.must_fail.empty() ? "survives "
                                                 : "found    ",
               sibling.id, sibling.fault.fault, why.empty() ? "" : ": ", why);
    std::fflush(stdout);
  }
  if (siblings < options.siblings)
    fmt::print("expected {} wrong siblings but found {}\n", options.siblings, siblings);
  return accused.empty() && escaped == 0 && siblings >= options.siblings ? 0 : 1;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"certifies a design, and finds its wrong siblings"};
  app.add_option("--module", options.module)->required();
  app.add_option("--worker", options.worker)->required();
  app.add_option("--siblings", options.siblings, "how many it has at least");
  app.add_option("--cases", options.cases);
  app.add_option("--seed", options.seed);
  app.add_option("design", options.design)->required();
  CLI11_PARSE(app, argc, argv);
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
