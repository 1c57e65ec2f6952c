// SPDX-License-Identifier: Apache-2.0
#include "cli/certification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/preflight.hpp"
#include "cli/session.hpp"
#include "register/profile.hpp"
#include "report/baseline.hpp"
#include "report/counterexample.hpp"
#include "report/faults.hpp"
#include "report/input_file.hpp"
#include "report/side_findings.hpp"
#include "runner/work_done.hpp"

namespace dlcert {
namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024;

RunOptions run_options_of(const Options& options, const Register& known) {
  RunOptions run;
  run.settings = settings_of(options, known);
  run.seed = options.seed;
  run.cases = options.cases;
  run.repeat = options.repeat;
  run.jobs = options.jobs;
  run.most_programs = options.programs;
  run.case_seconds = options.case_seconds;
  run.load_seconds = options.load_seconds;
  run.memory_bytes = options.memory_mebibytes * mebibyte;
  return run;
}

std::string unknown_feature(const Register& known, const std::string& feature) {
  const std::string near = known.nearest_of_all(feature);
  return fmt::format("--require: expected a feature but found '{}'{}", feature,
                     known.find_feature(near) == nullptr
                         ? " (dlcert list prints the features)"
                         : fmt::format(" (did you mean '{}'?)", near));
}

// Each names two adapters, "numpy:torch".
void require_pairs(const Inventory& inventory, const std::vector<std::string>& pairs) {
  for (const std::string& pair : pairs) {
    const std::size_t colon = pair.find(':');
    const auto is_known = [&](std::string_view name) {
      return std::ranges::any_of(inventory.adapters,
                                 [&](const AdapterInfo& adapter) { return adapter.name == name; });
    };
    if (colon == std::string::npos || !is_known(pair.substr(0, colon)) ||
        !is_known(pair.substr(colon + 1))) {
      std::vector<std::string> names;
      for (const AdapterInfo& adapter : inventory.adapters)
        names.push_back(adapter.name);
      throw CommandError{
          exit_usage, fmt::format("--require-pair: expected PRODUCER:CONSUMER of {} but found '{}'",
                                  fmt::join(names, ", "), pair)};
    }
  }
}

}  // namespace

Date today() {
  return Date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
}

Certification::Certification(const Options& options, const Register& known,
                             std::optional<LocatedAdapters> adapters)
    : options_{options},
      known_{known},
      selection_{selection_of(options)},
      run_options_{run_options_of(options, known)},
      policies_{policies_of(options, known)},
      strictness_{options.strict, policies_.chosen, rules_of(options.rules)} {
  select(known, selection_);  // refuses what it does not know
  if (!options.waivers.empty())
    waivers_ = parse_waivers(read_input(options.waivers, most_waivers), options.waivers, known);
  if (!options.replay.empty()) read_replay(options.replay);
  if (!options.baseline.empty()) read_baseline(options.baseline);
  for (const std::string& feature : options.required)
    if (known.find_feature(feature) == nullptr)
      throw CommandError{exit_usage, unknown_feature(known, feature)};
  run_options_.worker = find_worker(options);
  if (!adapters) adapters = adapters_of_options();
  run_options_.adapters = adapters->sources;
  if (options.matrix && (!options.required.empty() || !options.baseline.empty()))
    throw CommandError{exit_usage, "matrix takes --require-pair, not --require or --baseline"};
  // One of them has a pair with itself, which is asked for to be repeated.
  if (options.matrix && adapters->sources.size() < 2 && options.ids.empty())
    throw CommandError{exit_usage, "matrix: expected --adapter at least twice"};
  interpreter_ = adapters->interpreter;
  what_runs_ = identity_of(options, *adapters);
  invoker_ = invoker();
}

LocatedAdapters Certification::adapters_of_options() const {
  Options options = options_;
  if (options.adapters.empty() && replay_) {
    for (const AdapterInfo& adapter : replay_->adapters)
      options.adapters.push_back(adapter.path);
    if (options.python.empty() && replay_->python) options.python = replay_->python->path;
  }
  return find_adapters(options);
}

void Certification::read_replay(const std::string& path) {
  const std::string text = read_input(path, most_counterexample);
  try {
    replay_ = read_counterexample(text);
    complete_settings(replay_->settings, known_);
    if (replay_->cases < 1 || replay_->cases > most_cases)
      throw std::runtime_error{
          fmt::format("cases: expected 1 to {} but found {}", most_cases, replay_->cases)};
  } catch (const std::exception& error) {  // what it says, or asks for
    throw CommandError{exit_usage, fmt::format("{}: {}", path, error.what())};
  }
  run_options_.settings = replay_->settings;
  policies_ = {replay_->policy_set, replay_->settings.policies, replay_->chosen};
  strictness_.chosen = policies_.chosen;
  strictness_.rules = rules_of(replay_->rules);
  run_options_.seed = replay_->seed;
  run_options_.cases = replay_->cases;
}

void Certification::read_baseline(const std::string& path) {
  try {
    baseline_ = results_from_json(read_input(path, most_results));
  } catch (const std::runtime_error& error) {
    throw CommandError{exit_usage, fmt::format("{}: {}", path, error.what())};
  }
  if (const std::string problem = no_baseline(*baseline_); !problem.empty())
    throw CommandError{exit_usage, fmt::format("{}: cannot be a baseline: {}", path, problem)};
}

void Certification::prepare_matrix() {
  require_distinct_names(inventory_.adapters);
  require_pairs(inventory_, options_.required_pairs);
  run_options_.repeat_together = true;
  matrix_.emplace(known_, selection_, run_options_, strictness_, inventory_);
  matrix_->prepare(!options_.no_preflight);
}

void Certification::prepare() {
  inventory_ = require_inventory(run_options_);
  if (options_.matrix)
    prepare_matrix();
  else if (!options_.no_preflight)
    require_preflight(inventory_, run_options_);
  for (const std::string& module : inventory_.modules)
    if (std::ranges::find(what_runs_.files, module, &FileIdentity::path) == what_runs_.files.end())
      what_runs_.files.push_back(identify("module", module));
  if (matrix_) {
    plan_ = matrix_->plan();
  } else if (replay_) {
    plan_ = replay_plan(*replay_, known_, inventory_, options_.strict);
  } else {
    plan_ = make_plan(known_, inventory_, selection_, run_options_.settings, strictness_);
  }
  if (plan_.requirements.empty())
    throw CommandError{exit_vacuous,
                       "nothing was selected: no requirement of this profile "
                       "matches the filters"};
}

void Certification::label(Results& results) const {
  results.policy_set = policies_.set;
  results.chosen = policies_.chosen;
  results.strict = options_.strict || (replay_ && replay_->strict);
  if (strictness_.rules.chosen) results.rules = strictness_.rules.version;
  results.repeat = options_.repeat;
  results.invoker = invoker_;
  results.identity = identity_;
  results.required = options_.required;
  results.work = work_done();
  if (interpreter_) results.python = PythonFacts{interpreter_->program, interpreter_->version};
}

void Certification::run_programs(const std::filesystem::path& saved) {
  run_options_.over_simulated_devices = {program_file().string(), "with-simulated-gpu", "--devices",
                                         "2"};
  const PythonParts parts = PythonParts::of(program_file());
  run_options_.reference = parts.reference;
  run_options_.reference_adapter = parts.reference_adapter;
  dlcert::run_programs(results_, saved, run_options_);
}

Results Certification::blank() const {
  Results results;
  results.dlcert_version = DLCERT_VERSION;
  results.seed = run_options_.seed;
  results.cases = run_options_.cases;
  results.settings = run_options_.settings;
  results.filtered = plan_.filtered;
  results.adapters = inventory_.adapters;
  label(results);
  return results;
}

void Certification::run(const RunObserver& observer) {
  RunObserver labelling = observer;
  if (observer.checkpoint)
    labelling.checkpoint = [&](const Results& so_far) {
      Results labelled = so_far;
      label(labelled);
      observer.checkpoint(labelled);
    };
  if (matrix_) {
    results_ = matrix_->run(labelling);
    results_.matrix->required = options_.required_pairs;
  } else {
    results_ = execute(plan_, inventory_, run_options_, labelling);
  }
  add_early_deaths(results_, inventory_.deaths);
  judge_values(results_, inventory_.wrong_values);
  if (const std::string other = replaced(identity_.value_or(what_runs_)); !other.empty())
    throw CommandError{exit_usage, other};
  label(results_);
  apply_waivers(results_, waivers_, today());
  apply_consequences(results_, known_);
  if (results_.matrix)
    find_cells(results_);
  else
    results_.scope = scope_of(results_, known_);
  if (baseline_) results_.baseline = compare_with(*baseline_, results_, options_.baseline);
  verdict_ = judge(results_);
  results_.exit_code = verdict_.exit_code;
  results_.reasons = verdict_.reasons;
}

}  // namespace dlcert
