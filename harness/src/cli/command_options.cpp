// SPDX-License-Identifier: Apache-2.0
#include "cli/command_options.hpp"

#include <fmt/format.h>

#include "cli/option_values.hpp"
#include "register/rules.hpp"

namespace dlcert {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& text) { return refusal_of_whole_number(text, least, most); },
          fmt::format("{} to {}", least, most)};
}

namespace {

CLI::Validator seconds() {
  return {[](const std::string& text) { return refusal_of_seconds(text); }, "0.001 to 1000000"};
}

CLI::Validator rules_version() {
  return {[](const std::string& text) { return refusal_of_rules(text); },
          fmt::format("{}", fmt::join(known_rules(), ", "))};
}

}  // namespace

void add_selection_options(CLI::App& command, Options& options) {
  command.add_option("--area", options.areas, "only requirements of this area; repeatable")
      ->group(option_group::filters);
  command
      .add_option("--feature", options.features,
                  "only requirements of this feature (see dlcert list); repeatable")
      ->group(option_group::filters);
  command.add_option("--level", options.levels, "only requirements of this level; repeatable")
      ->transform(CLI::IsMember({"MUST", "SHOULD", "MAY"}, CLI::ignore_case))
      ->group(option_group::filters);
  command.add_option("--role", options.role, "only requirements for this role")
      ->check(CLI::IsMember({"producer", "consumer", "runtime"}))
      ->group(option_group::filters);
}

void add_python_option(CLI::App& command, Options& options) {
  command.add_option(
      "--python", options.python,
      "interpreter for python:... adapters, a path or a name on PATH (default: that of "
      "the active virtual environment, else python3)");
}

void add_adapter_options(CLI::App& command, Options& options) {
  command.add_option("--adapter", options.adapters,
                     "path of an adapter module, or python:NAME, python:./FILE.py, "
                     "python:PACKAGE.MODULE; repeatable");
  add_python_option(command, options);
  command.add_option("--worker", options.worker, "path of dlcert-worker");
  command.add_option("--load-seconds", options.load_seconds, "time limit for loading the adapters")
      ->transform(seconds())
      ->capture_default_str();
}

void add_profile_options(CLI::App& command, Options& options) {
  command
      .add_option("--spec", options.spec,
                  "version of DLPack (default: declared, by exports and requests)")
      ->check(CLI::IsMember(known_specs()))
      ->group(option_group::profile);
  command
      .add_option("--array-api", options.array_api,
                  "version of the array API (default: declared, by the adapter)")
      ->check(CLI::IsMember(known_array_apis()))
      ->group(option_group::profile);
  command
      .add_option("--runtime", options.runtime,
                  "runtime whose rules apply (default: declared, by the adapter)")
      ->check(CLI::IsMember(known_runtimes()))
      ->group(option_group::profile);
  command
      .add_option("--rules", options.rules,
                  "version of dlcert whose requirements and levels apply in full (default: this "
                  "version, but what is new in it only warns)")
      ->check(rules_version())
      ->group(option_group::profile);
  command
      .add_option("--driver", options.driver,
                  "devices: simulated ones, or real ones by cuda or hip")
      ->check(CLI::IsMember(known_drivers()))
      ->envname("DLCERT_DRIVER")
      ->group(option_group::profile);
  command
      .add_option("--policy-set", options.policy_set,
                  "values of the policies: standard (the defaults), interop (from bugs of real "
                  "libraries) or strict")
      ->check(CLI::IsMember(known_policy_sets()))
      ->group(option_group::profile);
  command
      .add_option("--policy", options.policies,
                  "NAME=VALUE of one policy, in addition to the set; its requirements count like "
                  "a MUST; repeatable")
      ->group(option_group::profile);
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_option("--seed", options.seed, "seed of the run")
      ->transform(whole_number(0, UINT64_MAX))
      ->capture_default_str()
      ->group(option_group::execution);
  command
      .add_option("--cases", options.cases,
                  "cases for each property; a tenth or fewer if each case needs a process")
      ->transform(whole_number(1, most_cases))
      ->capture_default_str()
      ->group(option_group::execution);
  command.add_option("--repeat", options.repeat, "number of runs, with seeds derived from --seed")
      ->transform(whole_number(1, 1'000'000))
      ->capture_default_str()
      ->group(option_group::execution);
  command
      .add_option("-j,--jobs", options.jobs,
                  "number of worker processes (default: number of cores)")
      ->transform(whole_number(1, 64))
      ->group(option_group::execution);
  command
      .add_option("--case-seconds", options.case_seconds,
                  "a case that takes longer is slow; after five times that it has hung")
      ->transform(seconds())
      ->capture_default_str()
      ->group(option_group::execution);
  command
      .add_option("--memory", options.memory_mebibytes,
                  "MiB by which a worker may grow after loading; by four times that during loading")
      ->transform(whole_number(1, std::uint64_t{1} << 30))
      ->capture_default_str()
      ->group(option_group::execution);
  command.add_flag("--strict", options.strict, "count a SHOULD like a MUST")
      ->group(option_group::execution);
  command.add_option("--waivers", options.waivers, "TOML file of accepted failures")
      ->group(option_group::execution);
  command
      .add_option("--require", options.required,
                  "feature that must be full (see dlcert list); repeatable")
      ->group(option_group::execution);
  command
      .add_option("--baseline", options.baseline,
                  "earlier results; fail if less is claimed or tested now")
      ->group(option_group::execution);
}

void add_preflight_option(CLI::App& command, Options& options) {
  command
      .add_flag("--no-preflight", options.no_preflight,
                "do not try the claims of the adapters first")
      ->group(option_group::execution);
}

void add_output_options(CLI::App& command, Options& options) {
  command
      .add_option("--results", options.results,
                  "write results as JSON, and counterexamples to FILE.counterexamples/")
      ->group(option_group::output);
  command.add_option("--junit", options.junit, "write results as JUnit XML")
      ->group(option_group::output);
  command.add_option("--markdown", options.markdown, "write results as a Markdown page")
      ->group(option_group::output);
  command.add_flag("--brief", options.brief, "print one line for each failure")
      ->group(option_group::output);
  command
      .add_option("--programs", options.programs,
                  "number of counterexample programs to run at the end")
      ->transform(whole_number(0, 10'000))
      ->capture_default_str()
      ->group(option_group::output);
  command
      .add_option("--write-waivers", options.write_waivers,
                  "write waivers for all failures; not for a selection")
      ->group(option_group::output);
}

std::map<std::string, std::string> given_options(const CLI::App& command) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* const option : command.get_options()) {
    const bool changes_nothing = option->get_group() == option_group::output ||
                                 option->get_group() == option_group::hidden ||
                                 option->get_name() == "--jobs";
    if (option->count() > 0 && !changes_nothing)
      given[option->get_name()] = fmt::format("{}", fmt::join(option->results(), " "));
  }
  return given;
}

}  // namespace dlcert
