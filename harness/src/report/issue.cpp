// SPDX-License-Identifier: Apache-2.0
#include "report/issue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "register/text.hpp"
#include "report/markdown.hpp"
#include "report/summary.hpp"
#include "standalone/python_program.hpp"

namespace dlcert {
namespace {

constexpr std::size_t longest_program = 50'000;  // bytes; trackers refuse longer texts
constexpr std::size_t shown_calls = 60;

std::string library_of(const Results& results, const std::string& name) {
  const auto adapter = std::ranges::find(results.adapters, name, &AdapterInfo::name);
  return adapter == results.adapters.end() ? name : fmt::format("{} {}", name, adapter->version);
}

// What the library did when it broke the rule.
std::string_view subject_of(const RequirementResult& result) {
  if (is_pair(result)) return "DLPack exchange";
  switch (tested_role(result)) {
    case Role::producer:
      return "DLPack export";
    case Role::consumer:
      return "DLPack import";
    default:
      return "Devices";
  }
}

// The sentence of the check; the rule, where the sentence says no more than that dlcert looks.
std::string title_of(const RequirementResult& result, const CheckResult* check,
                     const Requirement* rule) {
  const bool expects = check != nullptr && !check->sentence.ends_with(" is recorded");
  if (expects) return fmt::format("{}: expected that {}", subject_of(result), check->sentence);
  const std::string_view rule_text = rule == nullptr ? result.requirement : rule->statement;
  return fmt::format("{}: not kept: {}", subject_of(result),
                     rule_text.substr(0, rule_text.find(". ")));
}

std::string what_happened(const RequirementResult& result, const CheckResult* check) {
  const std::string text = check == nullptr ? result.reason : failure_text(*check);
  std::string out = fmt::format("{}\n", escaped_markdown(text.empty() ? result.reason : text));
  if (check != nullptr && check->verdict == Verdict::crash && !check->record.signature.empty())
    out += fmt::format("\nCrash: {} ({})\n", escaped_markdown(check->record.signature),
                       escaped_markdown(check->record.frames));
  return out;
}

std::string calls_of(const CheckResult& check) {
  const auto& example = check.record.counterexample;
  if (!example || example->trace.empty()) return {};
  const std::size_t shown = std::min(shown_calls, example->trace.size());
  std::string calls = fmt::format("{}\n", fmt::join(std::span{example->trace}.first(shown), "\n"));
  if (shown < example->trace.size())
    calls += fmt::format("... {} more lines\n", example->trace.size() - shown);
  return "The calls, in their order (`offer` makes a managed tensor on the other side):\n\n" +
         code_block_markdown(calls, "text");
}

// A program that needs devices also runs on simulated ones, which show the fault each time.
std::string without_a_gpu(const CheckResult& check, const IssueProgram& program) {
  const bool over_devices = check.platform != Platform::any ||
                            (check.program_run && check.program_run->reason == over_devices_reason);
  if (!over_devices || !program.file.ends_with(".py")) return {};
  const std::string command = simulated_command(program.file, check.platform == Platform::rocm);
  return fmt::format("\n{}\n", where_it_shows(fmt::format("`{}`", command), program.text));
}

std::string how_to_show(const CheckResult* check, const IssueProgram& program) {
  if (check == nullptr) return {};
  const bool shows =
      !program.file.empty() &&
      (!check->program_run || check->program_run->state != ProgramRun::State::not_confirmed);
  if (!shows) return calls_of(*check);
  const bool was_run =
      check->program_run && check->program_run->state == ProgramRun::State::confirmed;
  const std::string_view before =
      was_run ? "This program shows it:" : "This program is to show it; it was not run:";
  if (program.text.size() > longest_program)
    return fmt::format("{} `{}` (attached, it is long)\n{}", before, program.file,
                       without_a_gpu(*check, program));
  const std::string_view language = program.file.ends_with(".py") ? "python" : "c";
  return fmt::format("{} `{}`\n{}\n{}", before, program.file, without_a_gpu(*check, program),
                     code_block_markdown(program.text, language));
}

std::string standard(const RequirementResult& result, const Requirement& rule) {
  std::string out =
      fmt::format("{} ({})\n", escaped_markdown(rule.statement), to_text(result.level));
  for (const Quote& quote : rule.basis.quotes)
    out += fmt::format("\n> {}\n>\n> {}\n", escaped_markdown(quote.text), quote.link);
  for (const CodePlace& place : rule.basis.code)
    out += fmt::format("\nCode: `{}`, {}\n", place.function, place.link);
  for (const std::string& cited : rule.basis.cited)
    out += fmt::format("\nSource: {}\n", escaped_markdown(cited));
  if (out.find("http") == out.npos && rule.basis.cited.empty())
    out += fmt::format("\nSource: {}\n", escaped_markdown(rule.source));
  if (!rule.basis.follows.empty())
    out += fmt::format("\nThe rule follows: {}\n", escaped_markdown(rule.basis.follows));
  return out;
}

std::string also_affected(const Fault& fault, const Register& known) {
  std::string out;
  for (const RequirementResult* const result : fault.consequences) {
    const Requirement* const rule = known.find(result->requirement);
    out += fmt::format("- {} (`{}`)\n",
                       escaped_markdown(rule == nullptr ? result->reason : rule->statement),
                       result->requirement);
  }
  return out.empty() ? out : "\n## Other rules that fail by this fault\n\n" + out;
}

std::string versions(const Results& results, const RequirementResult& result) {
  std::string out =
      fmt::format("- {}\n", escaped_markdown(library_of(results, tested_party(result))));
  if (is_pair(result))
    out += fmt::format("- {}\n", escaped_markdown(library_of(results, result.consumer)));
  if (results.python)
    out += fmt::format("- CPython {}\n", escaped_markdown(results.python->version));
  return out + fmt::format("- found by dlcert {}, requirement `{}`, {}\n",
                           escaped_markdown(results.dlcert_version), result.requirement,
                           escaped_markdown(results.started.substr(0, 10)));
}

}  // namespace

std::string issue_text(const Results& results, const Fault& fault, const Register& known,
                       const IssueProgram& program) {
  const RequirementResult& broken = *fault.broken;
  const CheckResult* const check = fault_check(broken);
  const Requirement* const rule = known.find(broken.requirement);
  std::string out = fmt::format("# {}\n\n{}\n{}", escaped_markdown(title_of(broken, check, rule)),
                                what_happened(broken, check), how_to_show(check, program));
  if (rule != nullptr) out += "\n## What the standard says\n\n" + standard(broken, *rule);
  return out + also_affected(fault, known) + "\n## Versions\n\n" + versions(results, broken);
}

}  // namespace dlcert
