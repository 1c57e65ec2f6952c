// SPDX-License-Identifier: Apache-2.0
#include "deserved.hpp"

#include <algorithm>
#include <string_view>

#include "report/run_verdict.hpp"
#include "report/side_findings.hpp"
#include "runner/preflight.hpp"

namespace dlcert::hostile {

namespace {

bool has(std::string_view text, std::string_view part) {
  // A sanitizer reports a fault and exits.
  if (sanitized && part.starts_with("ended by SIG")) part = "ended";
  return text.find(part) != text.npos;
}

}  // namespace

void Deserved::expect_unusable(const Inventory& inventory, const Attack& attack) {
  ASSERT_EQ(inventory.adapters.size(), 1u);
  EXPECT_NE(inventory.adapters[0].error, "");
  EXPECT_TRUE(has(inventory.adapters[0].error, attack.text)) << inventory.adapters[0].error;
  EXPECT_EQ(attack.exit_code, exit_usage);
}

void Deserved::expect_verdict(const Results& results, const Attack& attack, Verdict verdict) {
  expect_all_untouched_but(results, attack.where);
  const CheckResult check = check_of(results, attack.where);
  EXPECT_EQ(to_text(check.verdict), to_text(verdict)) << check.record.message << check.reason;
  EXPECT_TRUE(has(check.record.message, attack.text)) << check.record.message;
}

void Deserved::expect_death(const Results& results, const Attack& attack) {
  ASSERT_EQ(results.deaths.size(), 1u);
  EXPECT_EQ(results.deaths[0].when, attack.where);
  EXPECT_TRUE(has(results.deaths[0].how, attack.text)) << results.deaths[0].how;
  EXPECT_EQ(results.deaths[0].repeated, attack.right != Right::early_death);
}

void Deserved::expect_not_run(const Results& results) {
  for (const RequirementResult& result : results.results)
    EXPECT_EQ(to_text(result.verdict), to_text(Verdict::not_run)) << result.reason;
}

void Deserved::expect_nobody_accused(const Results& results) {
  for (const RequirementResult& result : results.results)
    for (const Verdict accusation :
         {Verdict::fail, Verdict::crash, Verdict::timeout, Verdict::flaky})
      EXPECT_NE(to_text(result.verdict), to_text(accusation))
          << result.requirement << ": " << result.checks.at(0).record.message;
}

void Deserved::expect_told(const std::vector<std::string>& lines, const Attack& attack) {
  EXPECT_TRUE(std::ranges::any_of(lines, [&](const std::string& line) {
    return has(line, attack.text);
  })) << testing::PrintToString(lines);
}

void Deserved::expect_right(const Results& results, const Attack& attack) {
  const bool dies = attack.right == Right::death || attack.right == Right::early_death ||
                    attack.right == Right::stillborn;
  for (const Death& death : results.deaths)
    EXPECT_TRUE(dies) << death.when << ": " << death.how << "\n" << death.output;
  EXPECT_EQ(results.adapter_fault.has_value(), attack.right == Right::at_fault);
  for (const std::string& problem : results.problems)
    EXPECT_EQ(attack.right, Right::problem) << problem;
  switch (attack.right) {
    case Right::pass:
      return expect_all_untouched_but(results, "");
    case Right::fail:
      return expect_verdict(results, attack, Verdict::fail);
    case Right::crash:
      return expect_verdict(results, attack, Verdict::crash);
    case Right::timeout:
      return expect_verdict(results, attack, Verdict::timeout);
    case Right::flaky:
      return expect_verdict(results, attack, Verdict::flaky);
    case Right::inconclusive:
      return expect_verdict(results, attack, Verdict::inconclusive);
    case Right::not_judged:
      return expect_verdict(results, attack, Verdict::not_judged);
    case Right::death:
    case Right::early_death:
      expect_all_untouched_but(results, "");
      return expect_death(results, attack);
    case Right::stillborn:
      expect_not_run(results);
      return expect_death(results, attack);
    case Right::at_fault:
      expect_not_run(results);
      ASSERT_TRUE(results.adapter_fault.has_value());
      return expect_told({results.adapter_fault->what, results.adapter_fault->output}, attack);
    case Right::problem:
      expect_nobody_accused(results);
      return expect_told(results.problems, attack);
    case Right::no_evidence:
      expect_nobody_accused(results);
      return expect_told(judge(results).reasons, attack);
    case Right::unusable:
      FAIL() << "the inventory took it";
  }
}

void Deserved::expect_deserved_verdict(const Attack& attack, RunOptions options) {
  behave_as(attack.variant);
  options.case_seconds = attack.case_seconds;
  options.load_seconds = attack.load_seconds;
  options.memory_bytes = (sanitized ? 1024ull : 128ull) << 20;
  options.shrink_crashes = false;
  Inventory inventory = take_inventory(options);
  if (attack.right == Right::unusable) return expect_unusable(inventory, attack);
  ASSERT_EQ(inventory.adapters.at(0).error, "");
  if (attack.preflight)
    note_early(inventory.adapters[0].name, run_preflight(inventory, options).at(0), inventory);
  Results results = execute(plan_everything(inventory), inventory, options, {});
  add_early_deaths(results, inventory.deaths);
  judge_values(results, inventory.wrong_values);
  expect_right(results, attack);
  const RunVerdict verdict = judge(results);
  EXPECT_EQ(verdict.exit_code, attack.exit_code) << testing::PrintToString(verdict.reasons);
}

}  // namespace dlcert::hostile
