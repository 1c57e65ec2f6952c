// SPDX-License-Identifier: Apache-2.0
#include "report/counterexample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "register/profile.hpp"
#include "report/atomic_file.hpp"
#include "report/policies.hpp"
#include "standalone/standalone.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

std::string file_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  return name;
}

const AdapterInfo* find_adapter(const Results& results, const std::string& name) {
  const auto found = std::ranges::find(results.adapters, name, &AdapterInfo::name);
  return found == results.adapters.end() ? nullptr : &*found;
}

// The results of one check alone.
Results excerpt(const Results& results, const RequirementResult& result, const CheckResult& check) {
  Results one = results;
  one.filtered = true;
  one.waiver_problems.clear();
  one.waiver_warnings.clear();
  std::erase_if(one.adapters, [&](const AdapterInfo& adapter) {
    return adapter.name != result.producer && adapter.name != result.consumer;
  });
  one.results = {result};
  one.results.front().checks = {check};
  return one;
}

std::string program_of(const Results& results, const RequirementResult& result,
                       const CheckResult& check) {
  const AdapterInfo* const adapter = find_adapter(results, tested_party(result));
  StandaloneProgram program;
  program.requirement = result.requirement;
  program.sentence = check.sentence;
  program.library = tested_party(result);
  program.message = check.record.message;
  program.adapter = adapter == nullptr ? std::string_view{} : adapter->path;
  program.statements = check.record.counterexample->program;
  return to_source(program);
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/=+:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string counterexample_name(const RequirementResult& result, const CheckResult& check) {
  std::size_t number = 1;
  for (const CheckResult& earlier : result.checks) {
    if (&earlier == &check) break;
    if (earlier.record.counterexample) ++number;
  }
  const std::string name = fmt::format("{}-{}-{}", file_name(result.requirement),
                                       file_name(result.producer), file_name(result.consumer));
  return number == 1 ? name : fmt::format("{}-{}", name, number);
}

void save_counterexamples(const Results& results, const fs::path& directory) {
  for (const RequirementResult& result : results.results) {
    for (const CheckResult& check : result.checks) {
      if (!check.record.counterexample) continue;
      std::error_code error;
      fs::create_directories(directory, error);
      const fs::path stem = directory / counterexample_name(result, check);
      write_file(stem.string() + ".json", to_json(excerpt(results, result, check)));
      write_file(stem.string() + ".c", program_of(results, result, check));
    }
  }
}

void clear_counterexamples(const fs::path& directory) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator{directory, error})
    if (entry.path().extension() == ".json" || entry.path().extension() == ".c")
      fs::remove(entry.path(), error);
  fs::remove(directory, error);  // unless something else lies in it
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
  std::string command = "dlcert run " + result.requirement;
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
  for (const AdapterInfo& adapter : results.adapters)
    if (adapter.name == result.producer || adapter.name == result.consumer)
      option("--adapter", adapter.path);
  option("--seed", std::to_string(results.seed));
  option("--cases", std::to_string(results.cases));
  if (results.repeat > 1) option("--repeat", std::to_string(results.repeat));

  const Settings defaults = default_settings(known);
  if (to_text(results.settings.spec) != to_text(defaults.spec))
    option("--spec", to_text(results.settings.spec));
  if (results.settings.array_api != defaults.array_api)
    option("--array-api", results.settings.array_api);
  if (results.settings.runtime != defaults.runtime) option("--runtime", results.settings.runtime);
  if (results.settings.driver != defaults.driver) option("--driver", results.settings.driver);
  if (results.policy_set != standard_policies) option("--policy-set", results.policy_set);
  for (const std::string& policy : single_policies(results, known))
    option("--policy", policy);
  if (results.strict) command += " --strict";
  return command;
}

}  // namespace dlcert
