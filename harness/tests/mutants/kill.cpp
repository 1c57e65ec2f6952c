// SPDX-License-Identifier: Apache-2.0
#include "kill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "module_run.hpp"
#include "register/profile.hpp"
#include "side_by_side.hpp"

namespace dlcert {
namespace {

// They find most faults, and show that a fault does not break everything.
constexpr std::uint64_t few_cases = 100;

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

bool is_found(const Results& results, const std::string& id) {
  const RequirementResult* const result = result_of(results, id);
  return result != nullptr && finds(result->verdict);
}

bool is_passed(const Results& results, const std::string& id) {
  const RequirementResult* const result = result_of(results, id);
  return result != nullptr && result->verdict == Verdict::pass;
}

Kill judge(const Mutant& mutant, const std::vector<std::string>& must_pass,
           const Results& results) {
  Kill kill{&mutant, !mutant.facts.must_fail.empty(), {}, {}, 0};
  for (const std::string& id : mutant.facts.must_fail) {
    const RequirementResult* const result = result_of(results, id);
    kill.killed &= is_found(results, id);
    kill.found += (kill.found.empty() ? "" : ", ") + verdict_of(result);
    if (kill.message.empty()) kill.message = message_of(result);
  }
  for (const std::string& id : must_pass) {
    if (is_passed(results, id)) continue;
    const RequirementResult* const result = result_of(results, id);
    kill.killed = false;
    kill.found +=
        fmt::format("; {} should pass but has {}: {}", id, verdict_of(result), message_of(result));
  }
  return kill;
}

// The requirements whose results are not as they should be.
std::vector<std::string> in_doubt(const Mutant& mutant, const std::vector<std::string>& must_pass,
                                  const Results& results) {
  std::vector<std::string> ids;
  for (const std::string& id : mutant.facts.must_fail)
    if (!is_found(results, id)) ids.push_back(id);
  for (const std::string& id : must_pass)
    if (!is_passed(results, id)) ids.push_back(id);
  return ids;
}

// What a few cases leave in doubt is judged by all of them, as a certification judges.
Results results_of(const Mutant& mutant, const std::vector<std::string>& must_pass,
                   const KillOptions& options) {
  std::vector<std::string> requirements = must_pass;
  requirements.insert(requirements.end(), mutant.facts.must_fail.begin(),
                      mutant.facts.must_fail.end());
  if (options.thorough) return run_mutant(mutant, requirements, options);
  KillOptions few = options;
  few.cases = std::min(options.cases, few_cases);
  few.explain = false;
  Results results = run_mutant(mutant, requirements, few);
  const std::vector<std::string> again = in_doubt(mutant, must_pass, results);
  if (again.empty()) return results;
  std::erase_if(results.results, [&](const RequirementResult& result) {
    return std::ranges::find(again, result.requirement) != again.end();
  });
  std::ranges::move(run_mutant(mutant, again, options).results,
                    std::back_inserter(results.results));
  return results;
}

Kill try_to_kill(const Mutant& mutant, const std::vector<std::string>& must_pass,
                 const KillOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Kill kill = judge(mutant, must_pass, results_of(mutant, must_pass, options));
  kill.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return kill;
}

// As it comes from the process that has judged the mutant.
std::string to_json(const Kill& kill) {
  return nlohmann::json{kill.killed, kill.found, kill.message, kill.seconds}.dump();
}
Kill kill_from_json(const Mutant& mutant, const std::string& text) {
  const nlohmann::json told = nlohmann::json::parse(text);
  return {&mutant, told.at(0), told.at(1), told.at(2), told.at(3)};
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
                options.seed,
                options.explain,
                1};
  if (!mutant.facts.spec.empty()) run.settings.spec = mutant.facts.spec;
  for (const auto& [name, value] : mutant.facts.policies)
    run.settings.policies[name] = value;
  return run_module(run, requirements);
}

std::vector<const Mutant*> chosen_of(const Manifest& manifest, const KillOptions& options) {
  std::vector<const Mutant*> of_area;
  for (const Mutant& mutant : manifest.mutants)
    if (mutant.area == options.area) of_area.push_back(&mutant);
  if (options.only.empty()) return of_area;
  for (const std::string& id : options.only)
    if (std::ranges::find(of_area, id, &Mutant::id) == of_area.end())
      throw std::runtime_error{fmt::format("area {} has no mutant '{}'", options.area, id)};
  std::erase_if(of_area, [&](const Mutant* mutant) {
    return std::ranges::find(options.only, mutant->id) == options.only.end();
  });
  return of_area;
}

std::vector<Kill> kill_all(const Manifest& manifest, const KillOptions& options) {
  const std::vector<const Mutant*> chosen = chosen_of(manifest, options);
  std::vector<Kill> kills(chosen.size());
  side_by_side(
      chosen.size(),
      [&](std::size_t index) {
        const Mutant& mutant = *chosen[index];
        return to_json(try_to_kill(mutant, manifest.must_pass_of(mutant), options));
      },
      [&](std::size_t index, const std::string& told) {
        const Kill& kill = kills[index] = kill_from_json(*chosen[index], told);
        fmt::print("{:8} {} by {} ({})\n", kill.killed ? "killed" : "SURVIVED", kill.mutant->id,
                   requirements_of(kill), kill.found);
        std::fflush(stdout);
      });
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
