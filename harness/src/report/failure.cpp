// SPDX-License-Identifier: Apache-2.0
#include "report/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "register/basis.hpp"
#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/counterexample.hpp"
#include "report/run_verdict.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

constexpr std::size_t shown_trace_lines = 40;
constexpr std::size_t shown_output_lines = 10;
// Of what hung, or died outside of checks, besides: its stacks are there, or its last words.
constexpr std::size_t shown_last_lines = 40;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// The first lines, and the last.
std::string output_text(const std::string& output, std::size_t shown_last) {
  const std::vector<std::string> lines = lines_of(output);
  if (lines.empty()) return {};
  std::string text =
      fmt::format("  {:<15} {} {}\n", "output", lines.size(), lines.size() == 1 ? "line" : "lines");
  const std::size_t first = std::min(lines.size(), shown_output_lines);
  const std::size_t last = std::min(lines.size() - first, shown_last);
  const std::size_t left_out = lines.size() - first - last;
  const auto add = [&](std::span<const std::string> shown) {
    for (const std::string& line : shown)
      text += fmt::format("    {}\n", line);
  };
  add(std::span{lines}.first(first));
  if (left_out > 0)
    text += fmt::format("    ... {} more {}\n", left_out, left_out == 1 ? "line" : "lines");
  add(std::span{lines}.last(last));
  return text;
}

// Returns the text behind the verdict on a check: how the failure counts.
std::string fate_of(const RequirementResult& result) {
  if (result.verdict == Verdict::consequence) return " (a consequence)";
  if (counts(result)) return {};
  return result.grace.empty() ? " (a warning)" : fmt::format(" (a warning, {})", result.grace);
}

// One line: requirement, verdict, library and sentence.
std::string heading_of(const Results& results, const RequirementResult& result,
                       std::string_view verdict, std::string_view sentence) {
  const auto adapter =
      std::ranges::find(results.adapters, tested_party(result), &AdapterInfo::name);
  const std::string version = adapter == results.adapters.end() ? "" : " " + adapter->version;
  const std::string parties =
      is_pair(result)
          ? fmt::format("{} to {}", result.producer, result.consumer)
          : fmt::format("{}{} as {}", tested_party(result), version, to_text(tested_role(result)));
  return fmt::format("{}  {}{}  {}  {}\n", result.requirement, verdict, fate_of(result), parties,
                     sentence);
}

class FailureText {
 public:
  FailureText(const Results& results, const RequirementResult& result, const Register& known,
              const std::filesystem::path& saved)
      : results_{results}, result_{result}, known_{known}, saved_{saved} {}

  std::string text() &&;

 private:
  void add_check(const CheckResult& check);
  void add_counterexample(const CheckResult& check);
  void add_saved(const CheckResult& check);
  void add_output(const CheckResult& check);
  void add_rule();
  void add_consequences();
  std::string_view why_it_counts(const RequirementResult& other) const;
  void add_consequence(const RequirementResult& other);
  void add_field(std::string_view name, std::string_view value);
  void add_lines(std::span<const std::string> lines, std::size_t shown);

  const Results& results_;
  const RequirementResult& result_;
  const Register& known_;
  const std::filesystem::path& saved_;
  std::string text_;
};

void FailureText::add_field(std::string_view name, std::string_view value) {
  text_ += fmt::format("  {:<15} {}\n", name, value);
}

void FailureText::add_lines(std::span<const std::string> lines, std::size_t shown) {
  for (const std::string& line : lines.first(std::min(shown, lines.size())))
    text_ += fmt::format("    {}\n", line);
  if (lines.size() > shown)
    text_ += fmt::format("    ... {} more {}\n", lines.size() - shown,
                         lines.size() - shown == 1 ? "line" : "lines");
}

void FailureText::add_counterexample(const CheckResult& check) {
  const Counterexample& example = *check.record.counterexample;
  add_field("counterexample", fmt::format("case {} of {}, shrunk in {} {}", example.case_index,
                                          check.whole != 0 ? check.whole : check.record.requested,
                                          example.steps, example.steps == 1 ? "step" : "steps"));
  add_lines(example.trace, shown_trace_lines);
  if (!saved_.empty()) add_saved(check);
  if (check.program_run) add_field("program", to_text(*check.program_run));
}

void FailureText::add_saved(const CheckResult& check) {
  std::vector<std::string> suffixes{"json"};
  if (const std::string file = program_file(results_, result_, check); !file.empty())
    suffixes.push_back(file.substr(file.rfind('.') + 1));
  if (!recorded_file(result_, check).empty()) suffixes.emplace_back("recorded.c");
  if (&check == fault_check(result_) && !issue_file(result_).empty()) suffixes.emplace_back("md");
  const bool one = suffixes.size() == 1;
  add_field("saved", fmt::format("{}.{}{}{}",
                                 one_line((saved_ / counterexample_name(result_, check)).string()),
                                 one ? "" : "{", fmt::join(suffixes, ","), one ? "" : "}"));
}

void FailureText::add_output(const CheckResult& check) {
  text_ += output_text(check.output, check.verdict == Verdict::timeout ? shown_last_lines : 0);
}

void FailureText::add_check(const CheckResult& check) {
  const UnitRecord& record = check.record;
  text_ += heading_of(results_, result_, to_text(check.verdict), check.sentence);
  if (!failure_text(check).empty()) text_ += fmt::format("  {}\n", failure_text(check));
  if (!record.message.empty() && !check.reason.empty()) add_field("note", check.reason);
  if (!check.after.empty()) {
    constexpr std::string_view said = "after ";
    add_field("after", check.after.substr(check.after.starts_with(said) ? said.size() : 0));
  }
  if (!share_text(check).empty()) add_field("cases", share_text(check));
  if (record.counterexample) add_counterexample(check);
  if (!record.signature.empty() && check.verdict == Verdict::crash)
    add_field("crash", fmt::format("{} ({})", record.signature, record.frames));
  if (!record.warnings.empty())
    add_field("warnings", fmt::format("{}", fmt::join(record.warnings, "; ")));
  if (!check.output.empty()) add_output(check);
}

void FailureText::add_rule() {
  if (tested(result_)) add_field("reproduce", reproduce_command(results_, result_, known_));
  if (const Requirement* const rule = known_.find(result_.requirement)) {
    if (results_.chosen.contains(rule->policy))
      add_field("policy", fmt::format("{}={}, chosen: the requirement is binding", rule->policy,
                                      results_.settings.policy(rule->policy)));
    add_field(fmt::format("rule ({})", to_text(result_.level)), rule->statement);
    add_field("source", rule->source);
    for (const std::string& line : basis_lines(rule->basis))
      add_field("", line);
  }
}

// Returns the text behind a consequence of this result that counts itself.
std::string_view FailureText::why_it_counts(const RequirementResult& other) const {
  if (result_.level != Level::must && other.level == Level::must && crash_alike(result_, other))
    return "; it is a MUST, so that the crash counts";
  if (!counts(other)) return {};
  return result_.grace.empty() ? "; it counts, because its breach corrupts data"
                               : "; it counts, because the other rule is too new to bind";
}

void FailureText::add_consequence(const RequirementResult& other) {
  text_ +=
      fmt::format("    {}  {}{}\n", other.requirement, proof_text(other), why_it_counts(other));
}

void FailureText::add_consequences() {
  if (!result_.consequence_of.empty())
    add_field("consequence", fmt::format("of {}: {}", result_.consequence_of, proof_text(result_)));
  const std::vector<const RequirementResult*> following = consequences_of(results_, result_);
  if (following.empty()) return;
  add_field("consequences",
            fmt::format("{} {}, which may hide further faults until this one is fixed",
                        following.size(), following.size() == 1 ? "requirement" : "requirements"));
  for (const RequirementResult* const other : following)
    add_consequence(*other);
}

std::string FailureText::text() && {
  bool described = false;
  for (const CheckResult& check : result_.checks) {
    if (check.verdict == Verdict::pass || check.verdict == Verdict::not_applicable) continue;
    add_check(check);
    described = true;
  }
  if (!described) {
    text_ += heading_of(results_, result_, to_text(result_.verdict), "");
    if (!result_.reason.empty()) text_ += fmt::format("  {}\n", result_.reason);
  }
  if (!result_.waiver.empty()) add_field("waiver", result_.waiver);
  add_rule();
  add_consequences();
  return std::move(text_);
}

}  // namespace

std::string describe_failure(const Results& results, const RequirementResult& result,
                             const Register& known, const std::filesystem::path& saved) {
  return FailureText{results, result, known, saved}.text();
}

std::string failure_line(const Results& results, const RequirementResult& result) {
  const auto check = std::ranges::find(result.checks, result.verdict, &CheckResult::verdict);
  return heading_of(results, result, to_text(result.verdict),
                    check == result.checks.end() ? one_line(result.reason) : check->sentence);
}

std::string fault_line(const Results& results, const Fault& fault) {
  std::string line = failure_line(results, *fault.broken);
  if (fault.consequences.empty()) return line;
  line.pop_back();
  const std::size_t count = fault.consequences.size();
  const auto counting = static_cast<std::size_t>(std::ranges::count_if(
      fault.consequences, [](const RequirementResult* result) { return counts(*result); }));
  return fmt::format("{}; {} {}{}\n", line, count, count == 1 ? "consequence" : "consequences",
                     counting == 0 ? "" : fmt::format(", {} of which count", counting));
}

std::string describe_death(const Death& death) {
  std::string text = death_text(death) + "\n";
  if (!death.after.empty()) {
    const std::size_t shown = std::min(death.after.size(), shown_trace_lines);
    text +=
        fmt::format("  {:<15} {}{}\n", "after", fmt::join(std::span{death.after}.last(shown), ", "),
                    shown < death.after.size() ? " (only the last are listed)" : "");
  }
  if (!death.steps.empty())
    text += fmt::format("  {:<15} {}\n", "calls", fmt::join(death.steps, ", "));
  return text + output_text(death.output, shown_last_lines);
}

}  // namespace dlcert
