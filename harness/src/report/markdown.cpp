// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "register/profile.hpp"
#include "register/text.hpp"
#include "report/failure.hpp"
#include "report/faults.hpp"
#include "report/matrix.hpp"
#include "report/policies.hpp"
#include "report/reservations.hpp"
#include "report/standards.hpp"
#include "report/summary.hpp"

namespace dlcert {
namespace {

// The text starts an item of a list, a rule or the like: "1. ", "- ", "---".
bool is_list_mark(std::string_view line, std::size_t at) {
  const std::string_view before = line.substr(0, at);
  if (line[at] == '-' || line[at] == '+' || line[at] == '=') return before.empty();
  if (line[at] != '.' && line[at] != ')') return false;
  return before.find_first_not_of("0123456789") == std::string_view::npos &&
         (at + 1 == line.size() || line[at + 1] == ' ');
}

// Text in a cell, a heading or an item: nothing of it is markup (CommonMark 0.31, 2.4).
std::string escaped(std::string_view text) {
  constexpr std::string_view markup = "\\`*_{}[]<>#|&~!$";
  const std::string line = one_line(text, text.npos);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (markup.find(line[i]) != std::string_view::npos || is_list_mark(line, i)) out += '\\';
    if (i == 0 && line[i] == ' ')
      out += "&#32;";  // four spaces would start a block of code
    else
      out += line[i];
  }
  return out;
}

std::string adapters(const Results& results) {
  std::string out =
      "| library | version | role | requirements | tested | untested |\n"
      "|---|---|---|--:|--:|--:|\n";
  for (const RoleSummary& role : summarise_roles(results))
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped(role.adapter->name),
                       escaped(role.adapter->version), to_text(role.role), role.selected,
                       role.tested, role.untested());
  return out;
}

// What the certificate covers; empty before the run has ended.
std::string features(const Results& results) {
  if (results.scope.features.empty()) return {};
  std::string out =
      "\n## Features\n\n"
      "| library | role | feature | covered | tested | failed | of | missing |\n"
      "|---|---|---|---|--:|--:|--:|---|\n";
  for (const FeatureScope& scope : results.scope.features) {
    std::vector<std::string> missing;
    for (const Untested& one : scope.missing)
      missing.push_back(
          escaped(one.reason.empty() ? one.requirement : one.requirement + ": " + one.reason));
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", escaped(scope.adapter),
                       to_text(scope.role), escaped(scope.feature), to_text(scope.coverage),
                       scope.tested, scope.failed, scope.of, fmt::join(missing, "; "));
  }
  return out;
}

std::string baseline(const Results& results) {
  if (!results.baseline) return {};
  std::string out = fmt::format("\n## Compared with {}\n\n", escaped(results.baseline->file));
  for (const std::string& condition : results.baseline->differs)
    out += fmt::format("- differs: {}\n", escaped(condition));
  for (const std::string& lost : results.baseline->lost)
    out += fmt::format("- lost: {}\n", escaped(lost));
  return out;
}

std::string not_judged(const Results& results) {
  std::string out;
  for (const RequirementResult& result : results.results)
    if (result.verdict == Verdict::not_judged)
      out += fmt::format("- {}: {}\n", escaped(result.requirement), escaped(result.reason));
  return out.empty() ? out : "\n## Not judged: limits of dlcert\n\n" + out;
}

std::string areas(const Results& results, const Register& known) {
  std::string out = "| area | results |";
  std::string rule = "|---|--:|";
  for (std::size_t i = 0; i < verdict_count; ++i) {
    out += fmt::format(" {} |", to_text(static_cast<Verdict>(i)));
    rule += "--:|";
  }
  out += "\n" + rule + "\n";
  for (const AreaSummary& area : summarise_areas(results, known)) {
    out += fmt::format("| {} | {} |", area.area, area.total());
    for (const std::size_t count : area.counts)
      out += fmt::format(" {} |", count);
    out += "\n";
  }
  return out;
}

std::string failures(const Results& results, const Register& known) {
  std::string out;
  if (results.adapter_fault)  // nothing was judged
    return fmt::format("\n## A fault of the adapter\n\n{}",
                       code_block_markdown(results.adapter_fault->output));
  const auto tell = [&](const RequirementResult& result) {
    out += fmt::format("\n### {}: {}\n\n{}", escaped(result.requirement), to_text(result.verdict),
                       code_block_markdown(describe_failure(results, result, known, {})));
  };
  for (const Fault& fault : faults_of(results))
    tell(*fault.broken);
  for (const RequirementResult& result : results.results)
    if (!broken(result.verdict) && result.verdict != Verdict::pass &&
        result.verdict != Verdict::not_applicable && result.verdict != Verdict::not_judged &&
        result.verdict != Verdict::waived && result.verdict != Verdict::consequence &&
        !is_apart(results, result))
      tell(result);
  for (const Death& death : results.deaths)
    out += fmt::format("\n### {}\n\n{}", escaped(death_text(death)),
                       code_block_markdown(describe_death(death)));
  return out.empty() ? out : "\n## What did not pass\n" + out;
}

// Every fault in a line, above all else.
std::string faults(const Results& results) {
  const std::vector<Fault> faults = faults_of(results);
  if (faults.empty()) return {};
  std::string out = fmt::format("## {}\n\n", count_text(faults));
  for (const Fault& fault : faults) {
    std::string line = fault_line(results, fault);
    line.pop_back();
    out += fmt::format("- {}\n", escaped(line));
  }
  return out + "\n";
}

std::string waivers(const Results& results) {
  std::string out;
  for (const RequirementResult& result : results.results)
    if (result.verdict == Verdict::waived && !is_apart(results, result))
      out += fmt::format("- {}: {} ({})\n", escaped(result.requirement), escaped(result.reason),
                         escaped(result.waiver));
  for (const WaiverNote& problem : results.waiver_problems)
    out += fmt::format("- {}\n", escaped(problem.text));
  for (const WaiverNote& warning : results.waiver_warnings)
    out += fmt::format("- {}\n", escaped(warning.text));
  return out.empty() ? out : "\n## Waivers\n\n" + out;
}

std::string notes(const Results& results) {
  std::string out;
  for (const RequirementResult& result : results.results)
    for (const std::string& note : notes_of(result))
      out += fmt::format("- {}: {}\n", escaped(result.requirement), escaped(note));
  for (const auto& [share, ids] : shares_of(results))
    out +=
        fmt::format("- {}: {}\n", escaped(share), escaped(fmt::format("{}", fmt::join(ids, ", "))));
  return out.empty() ? out : "\n## Notes\n\n" + out;
}

std::string environment(const Results& results) {
  std::string out;
  for (const std::string& condition : results.conditions)
    out += fmt::format("- environment: {}\n", escaped(condition));
  return out.empty() ? out : out + "\n";
}

std::string profile(const Results& results, const Register& known) {
  const Settings& settings = results.settings;
  return fmt::format("dlcert {}, driver {}, {}{}{}, {} {} per property, seed {}, {}{}\n",
                     escaped(results.dlcert_version), escaped(settings.driver),
                     escaped(python_text(results)), escaped(policies_text(results, known)),
                     escaped(rules_text(results, known)), results.cases,
                     results.cases == 1 ? "case" : "cases", results.seed, escaped(results.started),
                     results.filtered ? ", a selection" : "");
}

std::string standards(const Results& results, const Register& known) {
  std::string out;
  for (const AdapterInfo& adapter : results.adapters)
    out += fmt::format("- {}\n", escaped(standards_text(results, adapter, known)));
  return out.empty() ? out : out + "\n";
}

std::string title(const Results& results, const RunVerdict& verdict) {
  std::string title = title_of(results, verdict.exit_code);
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  const std::string waived = waived_text(reservations_of(results));
  const bool passed = verdict.exit_code == exit_certified;
  return passed && !waived.empty() ? fmt::format("{}: {}", title, waived) : title;
}

}  // namespace

std::string escaped_markdown(std::string_view text) {
  return escaped(text);
}

// The fence is longer than any in the text.
std::string code_block_markdown(std::string_view text, std::string_view language) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos)
    fence += '`';
  return fmt::format("{}{}\n{}{}\n", fence, language, text, fence);
}

std::string to_markdown(const Results& results, const RunVerdict& verdict, const Register& known) {
  std::string out = "# " + title(results, verdict) + "\n";
  out += "\n" + profile(results, known) + "\n" + standards(results, known) + environment(results);
  for (const std::string& reason : verdict.reasons)
    out += fmt::format("- {}\n", escaped(reason));
  if (!verdict.reasons.empty()) out += "\n";
  out += faults(results);
  if (results.matrix)
    return out + matrix_markdown(results) + failures(results, known) + not_judged(results) +
           notes(results) + waivers(results);
  return out + adapters(results) + features(results) + "\n" + areas(results, known) +
         failures(results, known) + not_judged(results) + notes(results) + waivers(results) +
         baseline(results);
}

}  // namespace dlcert
