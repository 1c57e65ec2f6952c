// SPDX-License-Identifier: Apache-2.0
//
// dlcert-mutants: runs the mutants, makes their manifest, and checks both.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "audit.hpp"
#include "bugs.hpp"
#include "fault_figures.hpp"
#include "kill.hpp"
#include "manifest.hpp"
#include "modules.hpp"
#include "pair_figures.hpp"
#include "preflight.hpp"

namespace dlcert {
namespace {

struct Options {
  std::string manifest, bugs, sources, table, remake;
  std::string results;
  std::vector<std::string> modules;
  KillOptions kill;
  double at_least = 0;
  std::size_t count = 40;
  bool check = false;
  bool others = false;
};

void write(const std::string& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  if (!file.flush()) throw std::runtime_error{fmt::format("{}: cannot be written", path)};
}

int kill(const Options& options) {
  const Manifest manifest = read_manifest(options.manifest);
  const std::vector<Kill> kills = kill_all(manifest, options.kill);
  const auto killed = std::ranges::count_if(kills, &Kill::killed);
  fmt::print("{} of {} mutants of area {} killed\n", killed, kills.size(), options.kill.area);
  if (!options.table.empty()) {
    std::filesystem::create_directories(std::filesystem::path{options.table}.parent_path());
    write(options.table, to_table(kills));
  }
  return !kills.empty() && static_cast<std::size_t>(killed) == kills.size() ? 0 : 1;
}

int preflight(const Options& options) {
  std::size_t checked = 0;
  const std::string stopped =
      stopped_by_preflight(read_manifest(options.manifest), options.kill, checked);
  fmt::print("{}the preflight of {} mutants of area {} finds {} faults\n", stopped, checked,
             options.kill.area, std::ranges::count(stopped, '\n'));
  return checked != 0 && stopped.empty() ? 0 : 1;
}

int record(const Options& options) {
  const Manifest manifest = read_manifest(options.manifest);
  const std::size_t recorded = record_all(manifest, options.kill, options.results, options.others);
  fmt::print("{} mutants of area {} recorded\n", recorded, options.kill.area);
  return recorded == 0 ? 1 : 0;
}

int faults(const Options& options) {
  const FaultFigures figures =
      measure_faults(read_recorded(read_manifest(options.manifest), options.results));
  fmt::print("{}", to_text(figures));
  const bool measured = figures.others.whole != 0;
  return measured && figures.others.percent() >= options.at_least ? 0 : 1;
}

int pairs(const Options& options) {
  const PairFigures figures = measure_pairs(options.modules, options.count, options.kill);
  fmt::print("{} pairs: both named {} ({:.1f} %), one hides the other {}, neither {}\n",
             figures.pairs, figures.both, figures.percent(), figures.hidden, figures.neither);
  return figures.pairs == options.count && figures.percent() >= options.at_least ? 0 : 1;
}

int audit(const Options& options) {
  const std::vector<std::string> found =
      problems(read_manifest(options.manifest), read_bugs(options.bugs), options.sources);
  for (const std::string& problem : found)
    fmt::print("{}\n", problem);
  fmt::print("{} problems\n", found.size());
  return found.empty() ? 0 : 1;
}

// The first line in which two texts differ, of the one and of the other.
std::pair<std::string, std::string> first_difference(const std::string& one,
                                                     const std::string& other) {
  const auto length = static_cast<std::ptrdiff_t>(std::min(one.size(), other.size()));
  const auto at = std::mismatch(one.begin(), one.begin() + length, other.begin()).first;
  const auto start = static_cast<std::size_t>(at - one.begin());
  const std::size_t line = one.rfind('\n', start == 0 ? 0 : start - 1) + 1;
  return {one.substr(line, one.find('\n', start) - line),
          other.substr(line, other.find('\n', start) - line)};
}

int manifest(const Options& options) {
  const std::string made = to_text(manifest_of(options.modules, read_bugs(options.bugs)));
  if (!options.check) {
    write(options.manifest, made);
    return 0;
  }
  const std::string committed = read_text(options.manifest);
  if (committed == made) return 0;
  const auto [expected, found] = first_difference(made, committed);
  fmt::print("{}: not what the mutants say\nexpected {}\nbut found {}\nremake it: {}\n",
             options.manifest, expected, found, options.remake);
  return 1;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"runs dlcert's mutants"};
  app.require_subcommand(1);
  CLI::App* const killing = app.add_subcommand("kill", "run the mutants of an area");
  CLI::App* const trying = app.add_subcommand(
      "preflight", "fail if the preflight blames the adapter for a mutant of an area");
  killing->add_option("--table", options.table, "write the kill table to this file");
  CLI::App* const recording =
      app.add_subcommand("record", "write down the whole certification of the mutants of an area");
  recording->add_flag("--others", options.others,
                      "only the quarter that nobody looked at while owners were written");
  CLI::App* const explaining = app.add_subcommand(
      "faults", "of recorded mutants, how many have their requirement as the first fault");
  explaining->add_option("--at-least", options.at_least, "per cent; fewer are a failure");
  CLI::App* const pairing =
      app.add_subcommand("pairs", "two mutants at once: how often a report names both");
  pairing->add_option("--at-least", options.at_least, "per cent; fewer are a failure");
  pairing->add_option("--count", options.count);
  pairing->add_option("--worker", options.kill.worker)->required();
  pairing->add_option("modules", options.modules)->required();
  for (CLI::App* const command : {killing, trying, recording}) {
    command->add_option("--mutant", options.kill.only, "only this one; repeatable");
    command->add_option("--area", options.kill.area)->required();
    command->add_option("--module", options.kill.module, "the module with the area's mutants")
        ->required();
    command->add_option("--worker", options.kill.worker)->required();
  }
  for (CLI::App* const command : {killing, recording, pairing})
    command->add_option("--cases", options.kill.cases);
  killing->add_option("--seed", options.kill.seed);
  killing->add_flag("--thorough", options.kill.thorough,
                    "judge by all cases, and repeat each failure, where less would do");
  for (CLI::App* const command : {recording, explaining})
    command->add_option("--results", options.results, "the folder of the records")->required();
  CLI::App* const auditing =
      app.add_subcommand("audit", "check that mutants, bugs and requirements fit together");
  auditing->add_option("--sources", options.sources, "the folder of the mutants")->required();
  CLI::App* const making = app.add_subcommand("manifest", "make the manifest from the modules");
  making->add_flag("--check", options.check, "write nothing: fail unless the manifest is this");
  making->add_option("--remake", options.remake, "the command to name when it is not");
  making->add_option("modules", options.modules)->required();
  for (CLI::App* const command : {auditing, making})
    command->add_option("--bugs", options.bugs)->required();
  for (CLI::App* const command : {killing, trying, recording, explaining, auditing, making})
    command->add_option("--manifest", options.manifest)->required();
  CLI11_PARSE(app, argc, argv);
  if (killing->parsed()) return kill(options);
  if (trying->parsed()) return preflight(options);
  if (recording->parsed()) return record(options);
  if (explaining->parsed()) return faults(options);
  if (pairing->parsed()) return pairs(options);
  return auditing->parsed() ? audit(options) : manifest(options);
}

}  // namespace
}  // namespace dlcert

int main(int argc, char** argv) {
  try {
    return dlcert::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dlcert-mutants: {}\n", error.what());
    return 2;
  }
}
