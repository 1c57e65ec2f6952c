// SPDX-License-Identifier: Apache-2.0
//
// Runs the mutants: each must be found by its named requirement, and must pass what its fault does
// not touch.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <CLI/CLI.hpp>

#include "manifest.hpp"
#include "register/profile.hpp"
#include "runner/runner.hpp"

namespace dlcert {
namespace {

struct Options {
  std::string manifest, bugs, sources, area, module, worker, table, only;
  std::uint64_t cases = 1000;
};

struct Kill {
  const Mutant* mutant = nullptr;
  bool killed = false;
  std::string found;    // the verdict of the named requirement, or why there is none
  std::string message;  // what the check said
  double seconds = 0;
};

bool finds(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::crash || verdict == Verdict::timeout;
}

// The result of a requirement between the mutant and the spy that finds a fault, else any.
const RequirementResult* result_of(const Results& results, const std::string& id) {
  const RequirementResult* found = nullptr;
  for (const RequirementResult& result : results.results)
    if (result.requirement == id && (found == nullptr || finds(result.verdict))) found = &result;
  return found;
}

std::string first_message(const RequirementResult& result) {
  for (const CheckResult& check : result.checks)
    if (finds(check.verdict)) return check.record.message;
  return result.reason;
}

Results run(const Mutant& mutant, const Options& options) {
  setenv("DLCERT_MUTANT", mutant.id.c_str(), 1);
  RunOptions run;
  run.worker = options.worker;
  run.adapters = {std::filesystem::absolute(options.module).string()};
  run.settings = default_settings(Register::embedded());
  run.settings.spec = version_from_text(mutant.spec);
  for (const auto& [name, value] : mutant.policies)
    run.settings.policies[name] = value;
  run.cases = options.cases;
  run.case_seconds = 2;
  run.shrink_crashes = false;
  const Inventory inventory = take_inventory(run.worker, run.adapters, run.load_seconds);
  if (!inventory.adapters.at(0).error.empty())
    throw std::runtime_error{inventory.adapters[0].error};
  Selection selection;
  selection.ids = mutant.must_pass;
  selection.ids.push_back(mutant.must_fail);
  const Plan plan = make_plan(Register::embedded(), inventory, selection, run.settings);
  return execute(plan, inventory, run, {});
}

Kill try_to_kill(const Mutant& mutant, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Kill kill{&mutant, false, {}, {}, 0};
  const Results results = run(mutant, options);
  const RequirementResult* named = result_of(results, mutant.must_fail);
  kill.killed = named != nullptr && finds(named->verdict);
  kill.found = named == nullptr ? "no result" : std::string{to_text(named->verdict)};
  if (named != nullptr) kill.message = first_message(*named);
  for (const std::string& id : mutant.must_pass) {
    const RequirementResult* other = result_of(results, id);
    if (other != nullptr && other->verdict == Verdict::pass) continue;
    kill.killed = false;
    kill.found += fmt::format("; {} should pass but has {}", id,
                              other == nullptr ? "no result" : to_text(other->verdict));
    if (other != nullptr) kill.found += ": " + first_message(*other);
  }
  kill.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return kill;
}

std::string table(const std::vector<Kill>& kills) {
  std::string text =
      "| mutant | requirement | verdict | what the check said | s |\n| --- | --- | --- | --- | --- "
      "|\n";
  for (const Kill& kill : kills) {
    std::string message = kill.message.substr(0, kill.message.find('\n'));
    std::ranges::replace(message, '|', '/');
    text +=
        fmt::format("| {} | {} | {} | {} | {:.2f} |\n", kill.mutant->id, kill.mutant->must_fail,
                    kill.killed ? kill.found : "**SURVIVED** " + kill.found, message, kill.seconds);
  }
  return text;
}

int kill_all(const Options& options) {
  const Manifest manifest = read_manifest(options.manifest);
  std::vector<Kill> kills;
  for (const Mutant& mutant : manifest.mutants) {
    if (mutant.area != options.area || (!options.only.empty() && mutant.id != options.only))
      continue;
    kills.push_back(try_to_kill(mutant, options));
    const Kill& kill = kills.back();
    fmt::print("{:8} {} by {} ({})\n", kill.killed ? "killed" : "SURVIVED", mutant.id,
               mutant.must_fail, kill.found);
    std::fflush(stdout);
  }
  const auto killed = std::ranges::count_if(kills, &Kill::killed);
  fmt::print("{} of {} mutants of area {} killed\n", killed, kills.size(), options.area);
  if (!options.table.empty()) {
    std::filesystem::create_directories(std::filesystem::path{options.table}.parent_path());
    std::ofstream{options.table} << table(kills);
  }
  return !kills.empty() && static_cast<std::size_t>(killed) == kills.size() ? 0 : 1;
}

int check(const Options& options) {
  const std::vector<std::string> found =
      problems(read_manifest(options.manifest), options.bugs, options.sources);
  for (const std::string& problem : found)
    fmt::print("{}\n", problem);
  fmt::print("{} problems\n", found.size());
  return found.empty() ? 0 : 1;
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  dlcert::Options options;
  CLI::App app{"runs dlcert's mutants"};
  app.require_subcommand(1);
  CLI::App* kill = app.add_subcommand("kill", "run the mutants of an area");
  kill->add_option("--area", options.area)->required();
  kill->add_option("--module", options.module, "the module with the area's mutants")->required();
  kill->add_option("--worker", options.worker)->required();
  kill->add_option("--table", options.table, "write the kill table to this file");
  kill->add_option("--mutant", options.only, "run this one only");
  kill->add_option("--cases", options.cases);
  CLI::App* check = app.add_subcommand("check", "check the manifest");
  check->add_option("--bugs", options.bugs)->required();
  check->add_option("--sources", options.sources)->required();
  for (CLI::App* command : {kill, check})
    command->add_option("--manifest", options.manifest)->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return kill->parsed() ? dlcert::kill_all(options) : dlcert::check(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dlcert-mutants: {}\n", error.what());
    return 2;
  }
}
