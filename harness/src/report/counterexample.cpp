// SPDX-License-Identifier: Apache-2.0
#include "report/counterexample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/atomic_file.hpp"
#include "report/faults.hpp"
#include "report/issue.hpp"
#include "report/policies.hpp"
#include "standalone/python_program.hpp"
#include "standalone/recorded.hpp"
#include "standalone/standalone.hpp"
#include "standalone/together_program.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_name = ".dlcert";
constexpr std::string_view manifest_heading =
    "# dlcert wrote these files, and removes them when the next run begins:\n";

// A party's name as part of a file's name; two parties never have the same.
std::string file_name(std::string_view text) {
  constexpr std::size_t longest = 60;
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  if (text.size() <= longest && text.find_first_not_of(plain) == std::string_view::npos)
    return std::string{text};
  std::string name{text.substr(0, longest)};
  for (char& c : name)
    if (plain.find(c) == std::string_view::npos) c = '_';
  return fmt::format("{}~{}", name, sha256(text).substr(0, 8));
}

std::string manifest_text(const std::set<std::string>& names) {
  return fmt::format("{}{}{}", manifest_heading, fmt::join(names, "\n"), names.empty() ? "" : "\n");
}

std::set<std::string> names_in(const fs::path& manifest) {
  std::set<std::string> names;
  std::istringstream lines{read_file(manifest)};
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.find_first_of("/#") == std::string::npos) names.insert(line);
  return names;
}

const AdapterInfo* find_adapter(const Results& results, const std::string& name) {
  const auto found = std::ranges::find(results.adapters, name, &AdapterInfo::name);
  return found == results.adapters.end() ? nullptr : &*found;
}

bool is_tested_in_python(const Results& results, const RequirementResult& result) {
  const AdapterInfo* const adapter = find_adapter(results, tested_party(result));
  return adapter != nullptr && is_in_python(adapter->path);
}

// The results of one check alone.
Results excerpt(const Results& results, const RequirementResult& result, const CheckResult& check) {
  Results one = results;
  one.filtered = true;
  one.identity.reset();
  one.matrix.reset();
  one.waiver_problems.clear();
  one.waiver_warnings.clear();
  one.work.clear();
  std::erase_if(one.adapters, [&](const AdapterInfo& adapter) {
    return adapter.name != result.producer && adapter.name != result.consumer;
  });
  if (std::ranges::none_of(one.adapters, is_in_python, &AdapterInfo::path)) one.python.reset();
  one.results = {result};
  one.results.front().checks = {check};
  return one;
}

bool ends_process(const CheckResult& check) {
  return check.verdict == Verdict::crash || check.verdict == Verdict::timeout;
}

std::string with_version(const Results& results, const std::string& name) {
  const AdapterInfo* const adapter = find_adapter(results, name);
  return fmt::format("{} {}", name, adapter == nullptr ? std::string{} : adapter->version);
}

// "numpy 2.4.6"; of a pair "numpy 2.4.6 to torch 2.15.0".
std::string libraries_of(const Results& results, const RequirementResult& result) {
  if (!is_pair(result)) return with_version(results, tested_party(result));
  return fmt::format("{} to {}", with_version(results, result.producer),
                     with_version(results, result.consumer));
}

std::string_view source_of(const RequirementResult& result) {
  const Requirement* const rule = Register::embedded().find(result.requirement);
  return rule == nullptr ? std::string_view{} : rule->source;
}

std::string python_program_of(const Results& results, const RequirementResult& result,
                              const CheckResult& check,
                              CalledLibrary called = CalledLibrary::tested) {
  const std::string library = libraries_of(results, result);
  PythonProgram program;
  program.requirement = result.requirement;
  program.sentence = check.sentence;
  program.library = library;
  program.message = check.record.message;
  program.source = source_of(result);
  program.steps = check.record.counterexample->program;
  program.ends_process = ends_process(check);
  program.on_devices = check.platform != Platform::any;
  program.on_rocm = check.platform == Platform::rocm;
  return to_source(program, called);
}

std::string program_of(const Results& results, const RequirementResult& result,
                       const CheckResult& check) {
  const AdapterInfo* const adapter = find_adapter(results, tested_party(result));
  if (is_tested_in_python(results, result)) return python_program_of(results, result, check);
  const std::string library = libraries_of(results, result);
  StandaloneProgram program;
  program.requirement = result.requirement;
  program.sentence = check.sentence;
  program.library = library;
  program.message = check.record.message;
  program.source = source_of(result);
  program.adapter = adapter == nullptr ? std::string_view{} : adapter->path;
  program.steps = check.record.counterexample->program;
  program.ends_process = ends_process(check);
  return to_source(program);
}

std::string recorded_program_of(const Results& results, const RequirementResult& result,
                                const CheckResult& check) {
  const std::string beside = program_file(results, result, check);
  const std::string library = libraries_of(results, result);
  RecordedProgram program;
  program.requirement = result.requirement;
  program.sentence = check.sentence;
  program.library = library;
  program.message = check.record.message;
  program.source = source_of(result);
  program.program = beside;
  program.trace = check.record.counterexample->trace;
  program.statements = check.record.counterexample->recording;
  return to_source(program);
}

LibraryToLoad library_to_load(const Results& results, const std::string& name,
                              const std::string& file, const std::string& imports) {
  const AdapterInfo* const adapter = find_adapter(results, name);
  return {name, adapter == nullptr ? std::string_view{} : adapter->version, file, imports};
}

std::string clash_script(const Results& results, const Clash& clash) {
  const std::string found = clash_text(clash);
  TogetherProgram program;
  program.one = library_to_load(results, clash.first, clash.files.at(0), clash.imports.at(0));
  program.other = library_to_load(results, clash.second, clash.files.at(1), clash.imports.at(1));
  program.found = found;
  program.seconds = clash.load_seconds;
  return to_source(program);
}

// `text` as one word of a shell. What a terminal cannot show safely becomes an escape of $'...'.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  const bool fit = one_line(text, text.npos) == text;
  std::string quoted = fit ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (fit)
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    else if (c == '\'' || c == '\\' || byte < 0x20 || byte >= 0x7f)
      quoted += fmt::format("\\{:03o}", byte);
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace

static std::string base_name(const RequirementResult& result) {
  return fmt::format("{}-{}-{}", result.requirement, file_name(result.producer),
                     file_name(result.consumer));
}

std::string counterexample_name(const RequirementResult& result, const CheckResult& check) {
  std::size_t number = 1;
  for (const CheckResult& earlier : result.checks) {
    if (&earlier == &check) break;
    if (earlier.record.counterexample) ++number;
  }
  return number == 1 ? base_name(result) : fmt::format("{}-{}", base_name(result), number);
}

// Two libraries stand in one program where both are in Python.
static bool has_program_of_pair(const Results& results, const RequirementResult& result) {
  const auto in_python = [&](const std::string& name) {
    const AdapterInfo* const adapter = find_adapter(results, name);
    return adapter != nullptr && is_in_python(adapter->path);
  };
  return !is_pair(result) || (in_python(result.producer) && in_python(result.consumer));
}

std::string program_file(const Results& results, const RequirementResult& result,
                         const CheckResult& check) {
  const auto& example = check.record.counterexample;
  if (!example || example->program.empty() || !has_program_of_pair(results, result)) return {};
  if (!why_no_program(results, result, check).empty()) return {};
  return counterexample_name(result, check) + (is_tested_in_python(results, result) ? ".py" : ".c");
}

std::string why_no_program(const Results& results, const RequirementResult& result,
                           const CheckResult& check) {
  const auto& example = check.record.counterexample;
  if (!example) return {};
  if (!has_program_of_pair(results, result))
    return "a pair has a program only if both libraries are in Python";
  if (example->program.empty())
    return example->trace.empty() ? "the case makes no call" : "a step is too long for a program";
  if (!is_tested_in_python(results, result))
    return why_not_in_c(example->program, ends_process(check));
  return why_not_in_python(example->program, ends_process(check));
}

std::string program_of_reference(const Results& results, const RequirementResult& result,
                                 const CheckResult& check) {
  return python_program_of(results, result, check, CalledLibrary::reference);
}

std::string recorded_file(const RequirementResult& result, const CheckResult& check) {
  const auto& example = check.record.counterexample;
  return !example || example->recording.empty()
             ? std::string{}
             : counterexample_name(result, check) + ".recorded.c";
}

std::string issue_file(const RequirementResult& result) {
  if (!broken(result.verdict) || !result.consequence_of.empty()) return {};
  const CheckResult* const check = fault_check(result);
  return (check == nullptr ? base_name(result) : counterexample_name(result, *check)) + ".md";
}

std::string clash_file(const Clash& clash) {
  const bool in_python = std::ranges::any_of(
      clash.imports, [](const std::string& imports) { return !imports.empty(); });
  return fmt::format("together-{}-{}{}", file_name(clash.first), file_name(clash.second),
                     in_python ? ".py" : ".c");
}

void prepare_counterexamples(const fs::path& directory) {
  clear_counterexamples(directory);
  std::error_code error;
  fs::create_directories(directory, error);
  write_file(directory / manifest_name, manifest_text({}));
}

bool save_counterexamples(const Results& results, const fs::path& directory) {
  std::map<std::string, std::function<std::string()>> files;
  for (const RequirementResult& result : results.results) {
    for (const CheckResult& check : result.checks) {
      if (!check.record.counterexample) continue;
      const std::string name = counterexample_name(result, check);
      files[name + ".json"] = [&] { return to_json(excerpt(results, result, check)); };
      if (const std::string file = program_file(results, result, check); !file.empty()) {
        files[file] = [&] { return program_of(results, result, check); };
        if (file.ends_with(".c")) files[std::string{standalone_header_name}] = standalone_header;
      }
      if (const std::string file = recorded_file(result, check); !file.empty()) {
        files[file] = [&] { return recorded_program_of(results, result, check); };
        files[std::string{recorded_header_name}] = recorded_header;
      }
    }
  }
  if (results.matrix)
    for (const Clash& clash : results.matrix->clashes)
      files[clash_file(clash)] = [&] { return clash_script(results, clash); };
  prepare_counterexamples(directory);
  if (files.empty()) {
    clear_counterexamples(directory);
    return false;
  }
  // First, so that nothing is there which it does not name.
  std::set<std::string> names;
  std::ranges::transform(files, std::inserter(names, names.end()),
                         [](const auto& file) { return file.first; });
  write_file(directory / manifest_name, manifest_text(names));
  for (const auto& [name, text] : files)
    write_file(directory / name, text());
  return true;
}

bool save_issues(const Results& results, const Register& known, const fs::path& directory) {
  const std::vector<Fault> faults = faults_of(results);
  if (faults.empty()) return false;
  if (!fs::exists(directory / manifest_name)) prepare_counterexamples(directory);
  std::set<std::string> names = names_in(directory / manifest_name);
  for (const Fault& fault : faults)
    names.insert(issue_file(*fault.broken));
  write_file(directory / manifest_name, manifest_text(names));
  for (const Fault& fault : faults) {
    const CheckResult* const check = fault_check(*fault.broken);
    IssueProgram program;
    if (check != nullptr) program.file = program_file(results, *fault.broken, *check);
    if (!program.file.empty()) program.text = program_of(results, *fault.broken, *check);
    write_file(directory / issue_file(*fault.broken), issue_text(results, fault, known, program));
  }
  return true;
}

void clear_counterexamples(const fs::path& directory) {
  if (!fs::exists(directory)) return;
  const fs::path manifest = directory / manifest_name;
  if (!fs::is_directory(directory) || (!fs::exists(manifest) && !fs::is_empty(directory)))
    throw std::runtime_error{
        fmt::format("'{}' contains files that dlcert did not write: move them away, or choose "
                    "another results file",
                    directory.string())};
  std::error_code error;
  if (fs::exists(manifest))
    for (const std::string& name : names_in(manifest))
      fs::remove(directory / name, error);
  const auto others = std::ranges::count_if(
      fs::directory_iterator{directory},
      [&](const fs::directory_entry& entry) { return entry.path().filename() != manifest_name; });
  if (others > 0) return write_file(manifest, manifest_text({}));
  fs::remove(manifest, error);
  if (!fs::is_symlink(directory)) fs::remove(directory, error);
}

Results read_counterexample(std::string_view text) {
  Results results = results_from_json(text);
  if (results.results.size() != 1 || results.results.front().checks.size() != 1 ||
      !results.results.front().checks.front().record.counterexample)
    throw std::runtime_error{"expected one check with a counterexample but found other results"};
  return results;
}

std::string reproduce_command(const Results& results, const RequirementResult& result,
                              const Register& known) {
  std::string command = (is_pair(result) ? "dlcert matrix " : "dlcert run ") + result.requirement;
  const auto option = [&command](std::string_view name, const std::string& value) {
    command += fmt::format(" {} {}", name, shell_word(value));
  };
  // What must run before it, in the same worker.
  constexpr std::string_view after = "after ";
  for (const CheckResult& check : result.checks) {
    if (!check.after.starts_with(after)) continue;
    std::string earlier = check.after.substr(after.size());
    std::erase(earlier, ',');
    command += " " + earlier + " -j 1";
    break;
  }
  for (const AdapterInfo& adapter : results.adapters) {
    if (adapter.name != result.producer && adapter.name != result.consumer) continue;
    option("--adapter", adapter.path);
    if (results.python && is_in_python(adapter.path)) option("--python", results.python->path);
  }
  option("--seed", std::to_string(results.seed));
  option("--cases", std::to_string(results.cases));
  if (results.repeat > 1) option("--repeat", std::to_string(results.repeat));

  const Settings defaults = default_settings(known);
  if (results.settings.spec != defaults.spec) option("--spec", results.settings.spec);
  if (results.settings.array_api != defaults.array_api)
    option("--array-api", results.settings.array_api);
  if (results.settings.runtime != defaults.runtime) option("--runtime", results.settings.runtime);
  if (results.settings.driver != defaults.driver) option("--driver", results.settings.driver);
  if (results.policy_set != standard_policies) option("--policy-set", results.policy_set);
  for (const std::string& policy : single_policies(results, known))
    option("--policy", policy);
  if (!results.rules.empty()) option("--rules", results.rules);
  if (results.strict) command += " --strict";
  return command;
}

}  // namespace dlcert
