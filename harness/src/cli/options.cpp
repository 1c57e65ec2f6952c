// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include "report/profile.hpp"

namespace dlcert {
namespace {

constexpr const char* filters = "Which requirements";
constexpr const char* profile = "Against what";
constexpr const char* execution = "How";
constexpr const char* output = "What is written";

}  // namespace

void add_selection_options(CLI::App& command, Options& options) {
  command.add_option("--area", options.areas, "only this area; repeatable")->group(filters);
  command.add_option("--level", options.levels, "only this level: MUST, SHOULD or MAY; repeatable")
      ->transform(CLI::IsMember({"MUST", "SHOULD", "MAY"}, CLI::ignore_case))
      ->group(filters);
  command.add_option("--role", options.role, "only rules for this role: producer or consumer")
      ->check(CLI::IsMember({"producer", "consumer"}))
      ->group(filters);
}

void add_adapter_options(CLI::App& command, Options& options) {
  command.add_option("--adapter", options.adapters, "path of an adapter module; repeatable");
  command.add_option("--worker", options.worker, "path of the worker executable");
  command.add_option("--load-seconds", options.load_seconds, "time limit for loading the adapters")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_profile_options(CLI::App& command, Options& options) {
  command.add_option("--spec", options.spec, "version of DLPack (default: 1.3)")
      ->check(CLI::IsMember(known_specs()))
      ->group(profile);
  command
      .add_option("--array-api", options.array_api, "version of the array API (default: 2025.12)")
      ->check(CLI::IsMember(known_array_apis()))
      ->group(profile);
  command
      .add_option("--runtime", options.runtime,
                  "whose runtime rules bind: none, torch-2.4, driver, or what the adapter declares "
                  "(default: declared)")
      ->check(CLI::IsMember(known_runtimes()))
      ->group(profile);
  command
      .add_option("--policy", options.policies,
                  "NAME=VALUE for a point that the standard leaves open; repeatable")
      ->group(profile);
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_option("--seed", options.seed, "seed of the run")
      ->capture_default_str()
      ->group(execution);
  command.add_option("--cases", options.cases, "cases per property")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str()
      ->group(execution);
  command.add_option("--repeat", options.repeat, "repeat the run with other derived seeds")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str()
      ->group(execution);
  command.add_option("-j,--jobs", options.jobs, "parallel workers (default: the number of cores)")
      ->check(CLI::Range(1u, 64u))
      ->group(execution);
  command.add_option("--case-seconds", options.case_seconds, "time limit of a case")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(execution);
  command
      .add_option("--memory", options.memory_mebibytes,
                  "memory limit of a worker above what loading takes, in MiB")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
      ->capture_default_str()
      ->group(execution);
  command.add_flag("--strict", options.strict, "a SHOULD counts like a MUST")->group(execution);
  command.add_option("--waivers", options.waivers, "file of accepted failures (TOML)")
      ->group(execution);
}

void add_output_options(CLI::App& command, Options& options) {
  command
      .add_option("--results", options.results,
                  "results as JSON; counterexamples are saved beside it, in FILE.counterexamples/")
      ->group(output);
  command.add_option("--junit", options.junit, "results as JUnit XML")->group(output);
  command.add_option("--markdown", options.markdown, "results as a Markdown page")->group(output);
  command
      .add_option("--write-waivers", options.write_waivers,
                  "waivers for whatever fails; not for a selection")
      ->group(output);
}

Selection selection_of(const Options& options) {
  Selection selection;
  selection.ids = options.ids;
  selection.areas = options.areas;
  for (const std::string& level : options.levels)
    selection.levels.push_back(level_from_text(level));
  if (!options.role.empty()) selection.role = role_from_text(options.role);
  return selection;
}

Settings settings_of(const Options& options, const Register& known) {
  Settings settings = default_settings(known);
  if (!options.spec.empty()) settings.spec = version_from_text(options.spec);
  if (!options.array_api.empty()) settings.array_api = options.array_api;
  if (!options.runtime.empty()) settings.runtime = options.runtime;
  settings.policies = resolve_policies(known, options.policies);
  return settings;
}

}  // namespace dlcert
