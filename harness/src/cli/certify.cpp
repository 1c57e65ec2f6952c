// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

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

// The files of a run, each held against other runs from the first moment.
class Outputs {
 public:
  // Throws std::runtime_error when another run writes one of them, or what is there is no file.
  explicit Outputs(const Options& options);

  // Throws CommandError or std::runtime_error now, before the run, if a file cannot be written.
  void require_writable() const;
  // Removes the files of an earlier run, which must not be taken for this one's.
  void clear() const;
  void write_incomplete(const Results& results) const;
  // Where the counterexamples are saved now; empty: there are none, or they were not asked for.
  fs::path save(const Results& results) const;
  WrittenFiles write(const Certification& certification, const Register& known) const;

 private:
  struct Place {
    std::string given;
    fs::path path;  // behind links; empty: not asked for
  };
  void take(const std::string& given, Place& place);
  std::vector<fs::path> reports() const;

  Place results_, junit_, markdown_, waivers_;
  fs::path counterexamples_;
  std::set<fs::path> taken_;
  std::vector<FileLock> locks_;
};

Outputs::Outputs(const Options& options) {
  try {
    take(options.results, results_);
    if (!options.results.empty()) counterexamples_ = options.results + ".counterexamples";
    take(options.junit, junit_);
    take(options.markdown, markdown_);
    take(options.write_waivers, waivers_);
  } catch (...) {
    clear();
    throw;
  }
}

bool is_open_as(int descriptor, const fs::path& path) {
  struct stat open {};
  struct stat file {};
  return fstat(descriptor, &open) == 0 && stat(path.c_str(), &file) == 0 &&
         open.st_dev == file.st_dev && open.st_ino == file.st_ino;
}

void Outputs::take(const std::string& given, Place& place) {
  if (given.empty()) return;
  const fs::path path = fs::absolute(behind_links(given)).lexically_normal();
  if (!taken_.insert(path).second || is_open_as(STDOUT_FILENO, path) ||
      is_open_as(STDERR_FILENO, path))
    throw CommandError{exit_usage, fmt::format("two outputs go to '{}'", given)};
  locks_.emplace_back(path);
  place = {given, path};
}

std::vector<fs::path> Outputs::reports() const {
  std::vector<fs::path> paths{results_.path, junit_.path, markdown_.path};
  std::erase(paths, fs::path{});
  return paths;
}

void Outputs::require_writable() const {
  for (const fs::path& path : taken_)
    dlcert::require_writable(path);
  if (!counterexamples_.empty()) prepare_counterexamples(counterexamples_);
}

void Outputs::clear() const {
  for (const fs::path& path : reports())
    fs::remove(path);
  if (!counterexamples_.empty()) clear_counterexamples(counterexamples_);
}

void Outputs::write_incomplete(const Results& results) const {
  if (!results_.path.empty()) write_file(results_.path, to_json(results));
}

// Every other format is made from the document, in which all text is fit to be shown.

fs::path Outputs::save(const Results& results) const {
  const bool saved = !counterexamples_.empty() &&
                     save_counterexamples(results_from_json(to_json(results)), counterexamples_);
  return saved ? counterexamples_ : fs::path{};
}

WrittenFiles Outputs::write(const Certification& certification, const Register& known) const {
  const std::string document = to_json(certification.results());
  const Results results = results_from_json(document);
  WrittenFiles written;
  const auto add = [&written](const Place& place, const std::string& text) {
    if (place.path.empty()) return;
    write_file(place.path, text);
    written.files.emplace_back(place.given);
  };
  add(junit_, to_junit(results, known));
  add(markdown_, to_markdown(results, certification.verdict(), known));
  if (!waivers_.path.empty())
    add(waivers_, write_waivers(results, certification.waivers(), today()));
  if (!counterexamples_.empty() && save_issues(results, known, counterexamples_))
    written.counterexamples = counterexamples_;
  // Last: once the results say that they are complete, the other files are there.
  add(results_, document);
  return written;
}

void require_unfiltered(const Options& options) {
  if (selection_of(options).is_whole() && options.replay.empty()) return;
  for (const auto& [option, given] : {std::pair{"--write-waivers", !options.write_waivers.empty()},
                                      std::pair{"--require", !options.required.empty()}})
    if (given)
      throw CommandError{
          exit_usage,
          fmt::format("{}: expected a certification of all requirements but found a selection",
                      option)};
}

// That CTest has a test for each requirement, as --registered lists them ("<ID> <level>"): a test
// that is missing fails nothing.
void require_registered(const Options& options, const Register& known) {
  const bool in_python = std::ranges::any_of(options.adapters, is_in_python);
  std::set<std::string> expected, found;
  for (const Requirement& requirement : known.requirements())
    if (requirement.c_level == "yes" || (in_python && requirement.c_level == "python-only"))
      expected.insert(fmt::format("{} {}", requirement.id, to_text(requirement.level)));
  std::istringstream lines{read_file(options.registered)};
  for (std::string line; std::getline(lines, line);)
    found.insert(line);
  std::vector<std::string> other;
  std::ranges::set_symmetric_difference(expected, found, std::back_inserter(other));
  if (other.empty()) return;
  throw CommandError{
      exit_vacuous,
      fmt::format("expected tests of {} requirements but found {}, which differ in '{}': configure "
                  "the project again with this dlcert",
                  expected.size(), found.size(), other.front())};
}

// What the run is to be, from options and files that are as they should be: else nothing that an
// earlier run wrote stays.
std::unique_ptr<Certification> prepared(const Options& options, const Outputs& outputs,
                                        const Register& known) try {
  require_unfiltered(options);
  if (!options.registered.empty()) require_registered(options, known);
  auto certification = std::make_unique<Certification>(options, known);
  outputs.clear();
  outputs.require_writable();
  return certification;
} catch (...) {
  outputs.clear();
  throw;
}

}  // namespace

int certify(const Options& options) {
  const Register& known = Register::embedded();
  const Outputs outputs{options};
  const std::unique_ptr<Certification> certification = prepared(options, outputs, known);
  certification->prepare();
  if (!options.results.empty()) certification->take_digests();
  outputs.write_incomplete(certification->blank());
  {
    ProgressBar bar;
    RunObserver observer;
    observer.progress = [&](const Progress& progress) { bar.show(progress); };
    observer.checkpoint = [&](const Results& so_far) { outputs.write_incomplete(so_far); };
    certification->run(observer);
  }
  const fs::path saved = outputs.save(certification->results());
  if (!saved.empty()) certification->run_programs(saved);
  WrittenFiles written = outputs.write(*certification, known);
  if (!saved.empty()) written.counterexamples = saved;
  if (const auto& fault = certification->results().adapter_fault) throw fault_error(*fault);
  const auto report = options.brief ? brief_text : report_text;
  fmt::print("{}", report(certification->results(), certification->verdict(), known, written));
  // Behind CTest's fixture there is a test for each requirement, and none for the rest.
  if (options.fixture) return judge_beside_requirements(certification->results()).exit_code;
  return certification->verdict().exit_code;
}

void forget_results(const Options& options) {
  Outputs{options}.clear();
}

}  // namespace dlcert
