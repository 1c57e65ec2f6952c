// SPDX-License-Identifier: Apache-2.0
#include "kill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "module_run.hpp"
#include "register/profile.hpp"

namespace dlcert {
namespace {

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

std::string verdict_of(const RequirementResult* result) {
  return std::string{result == nullptr ? "no result" : to_text(result->verdict)};
}

std::string message_of(const RequirementResult* result) {
  if (result == nullptr) return {};
  for (const CheckResult& check : result->checks)
    if (finds(check.verdict)) return check.record.message;
  return result->reason;
}

Kill judge(const Mutant& mutant, const std::vector<std::string>& must_pass,
           const Results& results) {
  Kill kill{&mutant, !mutant.facts.must_fail.empty(), {}, {}, 0};
  for (const std::string& id : mutant.facts.must_fail) {
    const RequirementResult* const result = result_of(results, id);
    kill.killed &= result != nullptr && finds(result->verdict);
    kill.found += (kill.found.empty() ? "" : ", ") + verdict_of(result);
    if (kill.message.empty()) kill.message = message_of(result);
  }
  for (const std::string& id : must_pass) {
    const RequirementResult* const result = result_of(results, id);
    if (result != nullptr && result->verdict == Verdict::pass) continue;
    kill.killed = false;
    kill.found +=
        fmt::format("; {} should pass but has {}: {}", id, verdict_of(result), message_of(result));
  }
  return kill;
}

Kill try_to_kill(const Mutant& mutant, const std::vector<std::string>& must_pass,
                 const KillOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> requirements = must_pass;
  requirements.insert(requirements.end(), mutant.facts.must_fail.begin(),
                      mutant.facts.must_fail.end());
  Kill kill = judge(mutant, must_pass, run_mutant(mutant, requirements, options));
  kill.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return kill;
}

std::string requirements_of(const Kill& kill) {
  return fmt::format("{}", fmt::join(kill.mutant->facts.must_fail, ", "));
}

}  // namespace

Results run_mutant(const Mutant& mutant, const std::vector<std::string>& requirements,
                   const KillOptions& options) {
  ModuleRun run{options.module,
                "DLCERT_MUTANT",
                mutant.id,
                options.worker,
                default_settings(Register::embedded()),
                options.cases,
                options.seed};
  if (!mutant.facts.spec.empty()) run.settings.spec = version_from_text(mutant.facts.spec);
  for (const auto& [name, value] : mutant.facts.policies)
    run.settings.policies[name] = value;
  return run_module(run, requirements);
}

std::vector<Kill> kill_all(const Manifest& manifest, const KillOptions& options) {
  std::vector<Kill> kills;
  for (const Mutant& mutant : manifest.mutants) {
    if (mutant.area != options.area || (!options.only.empty() && mutant.id != options.only))
      continue;
    const Kill& kill =
        kills.emplace_back(try_to_kill(mutant, manifest.must_pass_of(mutant), options));
    fmt::print("{:8} {} by {} ({})\n", kill.killed ? "killed" : "SURVIVED", mutant.id,
               requirements_of(kill), kill.found);
    std::fflush(stdout);
  }
  return kills;
}

std::string to_table(const std::vector<Kill>& kills) {
  std::string text =
      "| mutant | requirement | verdict | what the check said | s |\n| --- | --- | --- | --- | --- "
      "|\n";
  for (const Kill& kill : kills) {
    std::string message = kill.message.substr(0, kill.message.find('\n'));
    std::ranges::replace(message, '|', '/');
    text +=
        fmt::format("| {} | {} | {} | {} | {:.2f} |\n", kill.mutant->id, requirements_of(kill),
                    kill.killed ? kill.found : "**SURVIVED** " + kill.found, message, kill.seconds);
  }
  return text;
}

}  // namespace dlcert
