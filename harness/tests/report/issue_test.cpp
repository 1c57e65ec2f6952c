// SPDX-License-Identifier: Apache-2.0
#include "report/issue.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "report/atomic_file.hpp"
#include "report/counterexample.hpp"
#include "report/failure.hpp"
#include "sample/sample.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class Issue : public testing::Test {
 protected:
  Issue() {
    RequirementResult failed =
        sample::result("kept.beta", Level::must, Verdict::fail, "sum: expected 2 but found *3*");
    failed.checks.front().record.counterexample =
        Counterexample{{5, 6},
                       17,
                       9,
                       3,
                       {"t1 = create()", "read(t1)"},
                       {to_line({.kind = ProgramStep::Kind::call, .code = "read(t1)"}),
                        to_line(to_step({.by = Judgement::By::refusal}))}};
    results_ = sample::with(failed);
  }

  CheckResult& check() { return results_.results.at(1).checks.front(); }

  std::string text(const IssueProgram& program = {}) const {
    return issue_text(results_, faults_of(results_).at(0), known_, program);
  }

  Register known_ = sample::sample_register();
  Results results_;
};

const IssueProgram program{"beta.py", "import acme\n"};

TEST_F(Issue, StandsWithoutAReport) {
  EXPECT_EQ(text(program),
            "# DLPack import: expected that the rule is kept\n"
            "\n"
            "sum: expected 2 but found \\*3\\*\n"
            "\n"
            "This program is to show it; it was not run: `beta.py`\n"
            "\n"
            "```python\n"
            "import acme\n"
            "```\n"
            "\n"
            "## What the standard says\n"
            "\n"
            "The kept.beta rule. (MUST)\n"
            "\n"
            "Source: a page\n"
            "\n"
            "## Versions\n"
            "\n"
            "- acme 2.1\n"
            "- found by dlcert 0.1.0, requirement `kept.beta`, 2026-11-21\n");
}

TEST_F(Issue, ShowsTheProgramThatShowedTheFault) {
  check().program_run = ProgramRun{ProgramRun::State::confirmed, {}};
  EXPECT_NE(text(program).find("\nThis program shows it: `beta.py`\n"), std::string::npos);
}

TEST_F(Issue, SaysHowAProgramForDevicesRunsWithoutAGpu) {
  EXPECT_EQ(text(program).find("Without a GPU"), std::string::npos);
  check().platform = Platform::cuda;
  EXPECT_NE(text(program).find("`beta.py`\n\nWithout a GPU: `dlcert with-simulated-gpu --devices 2 "
                               "python beta.py`.\n"),
            std::string::npos)
      << text(program);
  check().platform = Platform::rocm;
  EXPECT_NE(text(program).find("`dlcert with-simulated-gpu --vendor rocm --devices 2 python"),
            std::string::npos);
  EXPECT_EQ(text({"beta.c", ""}).find("Without a GPU"), std::string::npos);
}

TEST_F(Issue, ShowsTheCallsWhereNoProgramShowsTheFault) {
  const std::string calls =
      "The calls, in their order (`offer` makes a managed tensor on the other side):\n\n"
      "```text\nt1 = create()\nread(t1)\n```\n";
  EXPECT_NE(text().find(calls), std::string::npos) << text();
  check().program_run = ProgramRun{ProgramRun::State::not_confirmed, "exit code 0"};
  EXPECT_NE(text(program).find(calls), std::string::npos) << text(program);
  EXPECT_EQ(text(program).find("beta.py"), std::string::npos);
}

TEST_F(Issue, DoesNotHoldAProgramThatATrackerRefuses) {
  const std::string shown = text({"beta.c", std::string(50'001, ' ')});
  EXPECT_LT(shown.size(), 2'000u);
  EXPECT_NE(shown.find("`beta.c` (attached, it is long)"), std::string::npos) << shown;
}

TEST_F(Issue, QuotesWhatBinds) {
  Basis basis;
  basis.quotes = {{"It must_not.", "must_not", "https://example.org/a#L1"}};
  basis.follows = "So it is.";
  for (const Requirement& rule : known_.requirements())
    if (rule.id == "kept.beta") const_cast<Requirement&>(rule).basis = basis;
  EXPECT_NE(text().find("\n> It must\\_not.\n>\n> https://example.org/a#L1\n"
                        "\nThe rule follows: So it is.\n"),
            std::string::npos)
      << text();
  EXPECT_EQ(text().find("Source: "), std::string::npos);
}

TEST_F(Issue, NamesTheRuleWhereTheCheckOnlyRecords) {
  check().sentence = "what becomes of it is recorded";
  EXPECT_TRUE(text().starts_with("# DLPack import: not kept: The kept.beta rule")) << text();
}

TEST_F(Issue, ListsTheRulesThatFailByTheSameFault) {
  results_.results.push_back(
      sample::result("kept.gamma", Level::must, Verdict::fail, "sum: expected 2 but found 3"));
  CheckResult& follower = results_.results.back().checks.front();
  follower.consequence = {.of = "kept.beta", .without = {"byte_offset"}, .cases = 21};
  apply_consequences(results_, known_);
  EXPECT_NE(text().find("## Other rules that fail by this fault\n\n"
                        "- The kept.gamma rule. (`kept.gamma`)\n"),
            std::string::npos)
      << text();
}

TEST_F(Issue, IsSavedForEachFaultBesideItsCounterexample) {
  const fs::path folder = fs::temp_directory_path() / ("dlcert-i-" + std::to_string(getpid()));
  save_counterexamples(results_, folder);
  EXPECT_TRUE(save_issues(results_, known_, folder));
  const std::string saved = read_file(folder / "kept.beta-dlcert-acme.md");
  EXPECT_NE(saved.find("`kept.beta-dlcert-acme.c`"), std::string::npos) << saved;
  EXPECT_NE(describe_failure(results_, results_.results.at(1), known_, "out")
                .find("out/kept.beta-dlcert-acme.{json,c,md}\n"),
            std::string::npos);
  clear_counterexamples(folder);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Issue, IsSavedForAFaultWithoutACounterexample) {
  const fs::path folder = fs::temp_directory_path() / ("dlcert-j-" + std::to_string(getpid()));
  check().record.counterexample.reset();
  EXPECT_FALSE(save_counterexamples(results_, folder));
  EXPECT_TRUE(save_issues(results_, known_, folder));
  EXPECT_TRUE(fs::exists(folder / "kept.beta-dlcert-acme.md"));
  clear_counterexamples(folder);
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Issue, IsNotSavedWithoutAFault) {
  EXPECT_FALSE(save_issues(sample::passing(), known_, "/no/such/folder"));
}

}  // namespace
}  // namespace dlcert
