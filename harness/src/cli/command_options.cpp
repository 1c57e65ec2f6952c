// SPDX-License-Identifier: Apache-2.0
#include "cli/command_options.hpp"

#include <fmt/format.h>

#include "cli/option_values.hpp"
#include "register/profile.hpp"

namespace dlcert {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& text) { return refusal_of_whole_number(text, least, most); },
          fmt::format("{} to {}", least, most)};
}

namespace {

CLI::Validator seconds() {
  return {[](const std::string& text) { return refusal_of_seconds(text); }, "0.001 to 1000000"};
}

}  // namespace

void add_selection_options(CLI::App& command, Options& options) {
  command.add_option("--area", options.areas, "only this area; repeatable")
      ->group(option_group::filters);
  command
      .add_option("--feature", options.features,
                  "only this feature, as dlcert list shows it; repeatable")
      ->group(option_group::filters);
  command.add_option("--level", options.levels, "only this level: MUST, SHOULD or MAY; repeatable")
      ->transform(CLI::IsMember({"MUST", "SHOULD", "MAY"}, CLI::ignore_case))
      ->group(option_group::filters);
  command
      .add_option("--role", options.role, "only rules for this role: producer, consumer or runtime")
      ->check(CLI::IsMember({"producer", "consumer", "runtime"}))
      ->group(option_group::filters);
}

void add_python_option(CLI::App& command, Options& options) {
  command.add_option("--python", options.python,
                     "the interpreter of adapters python:..., a path or a name on PATH (default: "
                     "that of the active virtual environment, else python3)");
}

void add_adapter_options(CLI::App& command, Options& options) {
  command.add_option("--adapter", options.adapters,
                     "path of an adapter module; or python:NAME, python:./FILE.py or "
                     "python:PACKAGE.MODULE; repeatable");
  add_python_option(command, options);
  command.add_option("--worker", options.worker, "path of the worker executable");
  command.add_option("--load-seconds", options.load_seconds, "time limit for loading the adapters")
      ->transform(seconds())
      ->capture_default_str();
}

void add_profile_options(CLI::App& command, Options& options) {
  command.add_option("--spec", options.spec, "version of DLPack (default: 1.3)")
      ->check(CLI::IsMember(known_specs()))
      ->group(option_group::profile);
  command
      .add_option("--array-api", options.array_api, "version of the array API (default: 2025.12)")
      ->check(CLI::IsMember(known_array_apis()))
      ->group(option_group::profile);
  command
      .add_option("--runtime", options.runtime,
                  "whose runtime rules bind: none, torch-2.4, driver, or what the adapter declares "
                  "(default: declared)")
      ->check(CLI::IsMember(known_runtimes()))
      ->group(option_group::profile);
  command
      .add_option("--driver", options.driver,
                  "of the devices: simulated, cuda or hip; also the variable DLCERT_DRIVER")
      ->check(CLI::IsMember(known_drivers()))
      ->envname("DLCERT_DRIVER")
      ->group(option_group::profile);
  command
      .add_option(
          "--policy-set", options.policy_set,
          "values for points that the standard leaves open: standard (the defaults), interop "
          "(what bugs of real libraries taught) or strict")
      ->check(CLI::IsMember(known_policy_sets()))
      ->group(option_group::profile);
  command
      .add_option("--policy", options.policies,
                  "NAME=VALUE for one such point, on top of the set; repeatable. A value that was "
                  "chosen binds whatever the level of what it decides")
      ->group(option_group::profile);
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_option("--seed", options.seed, "seed of the run")
      ->transform(whole_number(0, UINT64_MAX))
      ->capture_default_str()
      ->group(option_group::execution);
  command
      .add_option("--cases", options.cases,
                  "cases per property; a tenth, or fewer, where each needs a process of its own")
      ->transform(whole_number(1, most_cases))
      ->capture_default_str()
      ->group(option_group::execution);
  command.add_option("--repeat", options.repeat, "repeat the run with other derived seeds")
      ->transform(whole_number(1, 1'000'000))
      ->capture_default_str()
      ->group(option_group::execution);
  command.add_option("-j,--jobs", options.jobs, "parallel workers (default: the number of cores)")
      ->transform(whole_number(1, 64))
      ->group(option_group::execution);
  command
      .add_option("--case-seconds", options.case_seconds,
                  "after which a case is slow; after five times that it has hung")
      ->transform(seconds())
      ->capture_default_str()
      ->group(option_group::execution);
  command
      .add_option("--memory", options.memory_mebibytes,
                  "memory limit of a worker above what loading takes, in MiB; loading may take "
                  "four times as much")
      ->transform(whole_number(1, std::uint64_t{1} << 30))
      ->capture_default_str()
      ->group(option_group::execution);
  command.add_flag("--strict", options.strict, "a SHOULD counts like a MUST")
      ->group(option_group::execution);
  command.add_option("--waivers", options.waivers, "file of accepted failures (TOML)")
      ->group(option_group::execution);
  command
      .add_option("--require", options.required,
                  "a feature that must be full, as dlcert list shows it; repeatable")
      ->group(option_group::execution);
  command
      .add_option("--baseline", options.baseline,
                  "earlier results: what was claimed or tested there must still be")
      ->group(option_group::execution);
}

void add_preflight_option(CLI::App& command, Options& options) {
  command
      .add_flag(
          "--no-preflight", options.no_preflight,
          "judge at once: do not try what the adapters claim before, nor end with 2 where one "
          "misreads tensors")
      ->group(option_group::execution);
}

void add_output_options(CLI::App& command, Options& options) {
  command
      .add_option("--results", options.results,
                  "results as JSON; counterexamples are saved beside it, in FILE.counterexamples/")
      ->group(option_group::output);
  command.add_option("--junit", options.junit, "results as JUnit XML")->group(option_group::output);
  command.add_option("--markdown", options.markdown, "results as a Markdown page")
      ->group(option_group::output);
  command.add_flag("--brief", options.brief, "one line for each failure on the terminal")
      ->group(option_group::output);
  command
      .add_option("--programs", options.programs,
                  "how many programs of counterexamples are run at the end")
      ->transform(whole_number(0, 10'000))
      ->capture_default_str()
      ->group(option_group::output);
  command
      .add_option("--write-waivers", options.write_waivers,
                  "waivers for whatever fails; not for a selection")
      ->group(option_group::output);
}

std::map<std::string, std::string> given_options(const CLI::App& command) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* const option : command.get_options()) {
    const bool changes_nothing = option->get_group() == option_group::output ||
                                 option->get_group() == option_group::for_ctest ||
                                 option->get_name() == "--jobs";
    if (option->count() > 0 && !changes_nothing)
      given[option->get_name()] = fmt::format("{}", fmt::join(option->results(), " "));
  }
  return given;
}

}  // namespace dlcert
