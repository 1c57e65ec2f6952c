// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "cli/certification.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "report/atomic_file.hpp"
#include "report/counterexample.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class Outputs {
 public:
  explicit Outputs(const Options& options) : options_{options} {
    if (!options.results.empty()) counterexamples_ = options.results + ".counterexamples";
  }

  // Throws CommandError or std::runtime_error now, before the run, if a file cannot be written.
  void require_writable() const;
  // Removes the files of an earlier run, which must not be taken for this one's.
  void clear() const;
  void write_incomplete(const Results& results) const;
  WrittenFiles write(const Certification& certification, const Register& known) const;

 private:
  std::vector<std::string> reports() const;
  const Options& options_;
  fs::path counterexamples_;
};

std::vector<std::string> Outputs::reports() const {
  std::vector<std::string> paths{options_.results, options_.junit, options_.markdown};
  std::erase(paths, std::string{});
  return paths;
}

void Outputs::require_writable() const {
  std::vector<std::string> paths = reports();
  if (!options_.write_waivers.empty()) paths.push_back(options_.write_waivers);
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    if (!seen.insert(fs::absolute(path).lexically_normal()).second)
      throw CommandError{exit_usage, fmt::format("two outputs go to '{}'", path)};
    dlcert::require_writable(path);
  }
}

void Outputs::clear() const {
  for (const std::string& path : reports())
    fs::remove(path);
  if (!counterexamples_.empty()) clear_counterexamples(counterexamples_);
}

void Outputs::write_incomplete(const Results& results) const {
  if (!options_.results.empty()) write_file(options_.results, to_json(results));
}

WrittenFiles Outputs::write(const Certification& certification, const Register& known) const {
  // Every other format is made from the document, in which all text is fit to be shown.
  const std::string document = to_json(certification.results());
  const Results results = results_from_json(document);
  if (!counterexamples_.empty()) save_counterexamples(results, counterexamples_);
  WrittenFiles written;
  const auto add = [&written](const std::string& path, const std::string& text) {
    if (path.empty()) return;
    write_file(path, text);
    written.files.emplace_back(path);
  };
  add(options_.junit, to_junit(results, known));
  add(options_.markdown, to_markdown(results, certification.verdict(), known));
  if (!options_.write_waivers.empty())
    add(options_.write_waivers, write_waivers(results, certification.waivers(), today()));
  // Last: once the results say that they are complete, the other files are there.
  add(options_.results, document);
  if (fs::is_directory(counterexamples_)) written.counterexamples = counterexamples_;
  return written;
}

// The exit code of --fixture: a failure only where no test behind CTest's fixture could report it.
int fixture_exit_code(const Results& results) {
  if (hollow(results)) return exit_vacuous;
  const auto has_result = [&](const WaiverNote& problem) {
    return std::ranges::find(results.results, problem.requirement,
                             &RequirementResult::requirement) != results.results.end();
  };
  return std::ranges::all_of(results.waiver_problems, has_result) ? exit_certified : exit_waivers;
}

void require_unfiltered(const Options& options) {
  const bool filtered = !selection_of(options).is_whole() || !options.replay.empty();
  if (filtered && !options.write_waivers.empty())
    throw CommandError{exit_usage,
                       "--write-waivers needs the whole certification but found a selection"};
}

}  // namespace

int certify(const Options& options) {
  require_unfiltered(options);
  const Register& known = Register::embedded();
  Certification certification{options, known};
  const Outputs outputs{options};
  outputs.require_writable();
  outputs.clear();
  certification.prepare();
  outputs.write_incomplete(certification.blank());
  {
    ProgressBar bar;
    RunObserver observer;
    observer.progress = [&](const Progress& progress) { bar.show(progress); };
    observer.checkpoint = [&](const Results& so_far) { outputs.write_incomplete(so_far); };
    certification.run(observer);
  }
  const WrittenFiles written = outputs.write(certification, known);
  fmt::print("{}", report_text(certification.results(), certification.verdict(), known, written));
  if (options.fixture) return fixture_exit_code(certification.results());
  return certification.verdict().exit_code;
}

}  // namespace dlcert
