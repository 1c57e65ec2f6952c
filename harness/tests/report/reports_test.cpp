// SPDX-License-Identifier: Apache-2.0
//
// What people and CI read: terminal, Markdown, JUnit, saved counterexamples.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "register/profile.hpp"
#include "report/atomic_file.hpp"
#include "report/counterexample.hpp"
#include "report/failure.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/terminal.hpp"
#include "sample/sample.hpp"
#include "standalone/recorded.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using testing::Test;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class Reports : public Test {
 protected:
  Reports() {
    RequirementResult failed =
        sample::result("kept.beta", Level::must, Verdict::fail, "sum: expected 2 but found <3>");
    failed.checks.front().record.counterexample =
        Counterexample{{5, 6},
                       17,
                       9,
                       3,
                       {"t1 = create()"},
                       {to_line({.kind = ProgramStep::Kind::call, .code = "read(t1)"}),
                        to_line(to_step({.by = Judgement::By::refusal}))}};
    results_ = sample::with(failed);
    results_.settings = default_settings(known_);
    results_.settings.policies["taste"] = "sour";
  }

  const RequirementResult& failed() const { return results_.results.at(1); }

  Register known_ = sample::sample_register();
  Results results_;
};

TEST_F(Reports, AFailureIsToldInFull) {
  EXPECT_EQ(describe_failure(results_, failed(), known_, "out"),
            "kept.beta  fail  acme 2.1 as consumer  the rule is kept\n"
            "  sum: expected 2 but found <3>\n"
            "  counterexample  case 17 of 100, shrunk in 3 steps\n"
            "    t1 = create()\n"
            "  saved           out/kept.beta-dlcert-acme.{json,c,md}\n"
            "  reproduce       dlcert run kept.beta --adapter /lib/acme.so --seed 42 --cases 100 "
            "--policy taste=sour\n"
            "  rule (MUST)     The kept.beta rule.\n"
            "  source          a page\n");
}

TEST_F(Reports, AStructThatBreaksARuleIsSavedAsAProgramWithoutTheLibrary) {
  Counterexample& example = results_.results.at(1).checks.front().record.counterexample.value();
  const fs::path folder = fs::temp_directory_path() / ("dlcert-r-" + std::to_string(getpid()));
  save_counterexamples(results_, folder);
  EXPECT_FALSE(fs::exists(folder / recorded_header_name));
  example.recording = {"return MUST(1 == 2);"};
  save_counterexamples(results_, folder);
  EXPECT_TRUE(fs::exists(folder / recorded_header_name));
  const std::string name = "kept.beta-dlcert-acme";
  const std::string source = read_file(folder / (name + ".recorded.c"));
  EXPECT_TRUE(contains(source, "  return MUST(1 == 2);\n")) << source;
  EXPECT_TRUE(contains(source, name + ".c calls the library.")) << source;
  EXPECT_TRUE(contains(describe_failure(results_, failed(), known_, "out"),
                       "out/" + name + ".{json,c,recorded.c,md}\n"));
  example.recording.clear();
  save_counterexamples(results_, folder);
  EXPECT_FALSE(fs::exists(folder / (name + ".recorded.c")));
  clear_counterexamples(folder);
}

TEST_F(Reports, TheCommandThatRepeatsAFailureRunsWhatRanBefore) {
  results_.results[1].checks[0].after = "after kept.alpha, kept.gamma";
  results_.adapters[0].path = "/my lib/it's.so";
  results_.repeat = 3;
  EXPECT_EQ(
      reproduce_command(results_, failed(), known_),
      "dlcert run kept.beta kept.alpha kept.gamma -j 1 --adapter '/my lib/it'\\''s.so' --seed "
      "42 --cases 100 --repeat 3 --policy taste=sour");
}

TEST_F(Reports, TheInterpreterOfAPythonAdapterIsToldAndRepeated) {
  results_.python = PythonFacts{"/venv/my python", "3.12.1"};
  EXPECT_FALSE(contains(reproduce_command(results_, failed(), known_), "--python"))
      << "the failure is of another adapter";
  results_.adapters[0].path = "python:acme";
  EXPECT_TRUE(contains(reproduce_command(results_, failed(), known_),
                       " --adapter python:acme --python '/venv/my python' --seed 42"));
  EXPECT_TRUE(
      contains(report_text(results_, judge(results_), known_, {}), ", Python 3.12.1, policies"));
  EXPECT_TRUE(
      contains(to_markdown(results_, judge(results_), known_), ", Python 3.12.1, policies"));
  EXPECT_TRUE(
      contains(to_junit(results_, known_), "<property name=\"dlcert.python\" value=\"3.12.1\" />"));
}

TEST_F(Reports, ASavedCounterexampleNamesTheInterpreterOfItsAdapterAlone) {
  const fs::path folder = fs::path{testing::TempDir()} / "dlcert-of-python";
  const std::string name = counterexample_name(failed(), failed().checks[0]);
  const auto saved = [&] {
    save_counterexamples(results_, folder);
    return read_counterexample(read_file(folder / (name + ".json"))).python;
  };
  results_.python = PythonFacts{"/venv/\xc3\xa9/python", "3.12.1"};
  EXPECT_FALSE(saved());
  results_.adapters[0].path = "python:acme";
  ASSERT_TRUE(saved());
  EXPECT_EQ(saved()->path, "/venv/\xc3\xa9/python");
  EXPECT_EQ(saved()->version, "3.12.1");
  clear_counterexamples(folder);
}

TEST_F(Reports, WhatWasChosenIsToldAndRepeated) {
  Results& results = results_;
  results.chosen = {"taste"};
  results.results[1].binding = true;
  EXPECT_TRUE(contains(describe_failure(results, failed(), known_, {}),
                       "  policy          taste=sour, chosen: the requirement is binding\n"));
  EXPECT_TRUE(contains(report_text(results, judge(results), known_, {}),
                       ", policies standard, taste=sour, 100 cases"));
  EXPECT_TRUE(contains(to_markdown(results, judge(results), known_),
                       ", policies standard, taste=sour, 100 cases"));
  EXPECT_TRUE(contains(to_junit(results, known_),
                       "<property name=\"dlcert.policy.taste\" value=\"sour\" />"));
  EXPECT_TRUE(contains(reproduce_command(results, failed(), known_), " --policy taste=sour"));
}

TEST_F(Reports, APolicySetIsNamedInPlaceOfItsValues) {
  Results& results = results_;
  results.policy_set = "interop";
  results.chosen = {"taste"};
  results.strict = true;
  EXPECT_TRUE(
      contains(report_text(results, judge(results), known_, {}), ", policies interop, 100 cases"));
  const std::string command = reproduce_command(results, failed(), known_);
  EXPECT_TRUE(command.ends_with(" --policy-set interop --strict")) << command;
  results.settings.policies["taste"] = "sweet";
  EXPECT_TRUE(contains(reproduce_command(results, failed(), known_),
                       " --policy-set interop --policy taste=sweet"));
  EXPECT_TRUE(contains(to_junit(results, known_),
                       "<property name=\"dlcert.policy-set\" value=\"interop\" />"));
}

TEST_F(Reports, ChosenRulesAreToldAndRepeated) {
  const std::string plain = report_text(results_, judge(results_), known_, {});
  EXPECT_FALSE(contains(plain, "rules of dlcert")) << plain;
  EXPECT_FALSE(contains(reproduce_command(results_, failed(), known_), "--rules"));
  results_.rules = "0.1";
  const std::string told = ", rules of dlcert 0.1 (1 newer requirement was left out), 100 cases";
  EXPECT_TRUE(contains(report_text(results_, judge(results_), known_, {}), told));
  EXPECT_TRUE(contains(to_markdown(results_, judge(results_), known_), told));
  EXPECT_TRUE(
      contains(to_junit(results_, known_), "<property name=\"dlcert.rules\" value=\"0.1\" />"));
  EXPECT_TRUE(contains(reproduce_command(results_, failed(), known_), " --rules 0.1"));
}

TEST_F(Reports, AFailureOfANewRuleSaysFromWhenItBinds) {
  results_.results[1].binding = false;
  results_.results[1].grace = "new in dlcert 90.1: it binds from dlcert 90.2 on";
  const std::string told = "  fail (a warning, new in dlcert 90.1: it binds from dlcert 90.2 on)  ";
  EXPECT_TRUE(contains(report_text(results_, judge(results_), known_, {}), told));
  EXPECT_TRUE(contains(describe_failure(results_, failed(), known_, {}), told));
}

TEST_F(Reports, TheCommandThatRepeatsAFailureIsSafeToPaste) {
  results_.adapters[0].path = "/a\n\x1b[2J'\\\xff.so";
  EXPECT_TRUE(contains(reproduce_command(results_, failed(), known_),
                       "--adapter $'/a\\012\\033[2J\\047\\134\\377.so' --seed"))
      << reproduce_command(results_, failed(), known_);
}

TEST_F(Reports, InBriefAFailureIsALine) {
  const std::string text = brief_text(results_, judge(results_), known_, {{"r.json"}, "c"});
  EXPECT_TRUE(contains(text,
                       "acme 2.1  consumer  2 requirements, 2 tested, 0 untested\n"
                       "kept.beta  fail  acme 2.1 as consumer  "))
      << text;
  EXPECT_TRUE(contains(text,
                       "\nwrote r.json\nwrote c/\n"
                       "not certified (exit code 1): 1 requirement failed: kept.beta\n"))
      << text;
  EXPECT_EQ(text.find("wrote r.json"), text.find('\n', text.find("kept.beta  fail")) + 1) << text;
  EXPECT_FALSE(contains(text, "kept.alpha")) << "quiet about passes";
}

TEST_F(Reports, TheTerminalShowsFaultsThenRolesThenFailuresThenTheTableThenTheVerdict) {
  const std::string text = report_text(results_, judge(results_), known_, {{"r.json"}, "c"});
  const std::size_t roles = text.find("acme 2.1  consumer  2 requirements, 2 tested, 0 untested\n");
  const std::size_t faults = text.find("1 fault, 1 requirement affected\n  kept.beta  fail");
  const std::size_t failure = text.find("\nkept.beta  fail");
  const std::size_t table = text.find(
      "area              results  pass  fail\n"
      "kept                    2     1     1\n");
  const std::size_t files = text.find("wrote r.json\nwrote c/\n");
  const std::size_t verdict =
      text.find("not certified (exit code 1): 1 requirement failed: kept.beta\n");
  EXPECT_LT(faults, roles);
  EXPECT_LT(roles, failure);
  EXPECT_LT(failure, table);
  EXPECT_LT(table, files);
  EXPECT_LT(files, verdict);
  EXPECT_NE(verdict, std::string::npos) << text;
  EXPECT_FALSE(contains(text, "kept.alpha")) << "quiet about passes";
}

TEST_F(Reports, SeveralReasonsHaveALineEach) {
  const std::string text =
      report_text(results_, {exit_waivers, {"w:1: expired", "w:9: kept"}}, known_, {});
  EXPECT_TRUE(contains(text, "\nnot certified (exit code 4):\n  w:1: expired\n  w:9: kept\n"))
      << text;
}

TEST_F(Reports, ASelectionIsNoCertificate) {
  Results results = sample::passing();
  EXPECT_TRUE(
      contains(report_text(results, judge(results), known_, {}), "\ncertified: acme 2.1\n"));
  results.filtered = true;
  EXPECT_FALSE(contains(report_text(results, judge(results), known_, {}), "\ncertified"));
}

TEST_F(Reports, ACertificateNamesWhatItHoldsInSpiteOf) {
  Results results = sample::with(sample::result("kept.beta", Level::should, Verdict::fail, "m"));
  EXPECT_TRUE(
      contains(report_text(results, {}, known_, {}), "\ncertified: acme 2.1 (1 warning)\n"));
  results.results.push_back(sample::result("kept.delta", Level::may, Verdict::waived, "m"));
  EXPECT_TRUE(contains(report_text(results, {}, known_, {}),
                       "\ncertified: acme 2.1 (1 waived, 1 warning)\n"));
}

TEST_F(Reports, ACertificateWithAWaivedMustIsOneWithReservations) {
  Results results = sample::with(sample::result("kept.beta", Level::must, Verdict::waived, "m"));
  results.exit_code = exit_certified;
  EXPECT_TRUE(contains(report_text(results, {}, known_, {}),
                       "\ncertified with reservations: acme 2.1 (1 of 2 MUSTs waived)\n"));
  EXPECT_TRUE(to_markdown(results, {}, known_)
                  .starts_with("# Certified with reservations: 1 of 2 MUSTs waived\n"));
  EXPECT_TRUE(contains(to_junit(results, known_),
                       "name=\"dlcert: certified with reservations: 1 of 2 MUSTs waived\""));
  EXPECT_TRUE(
      contains(report_text(results, {}, known_, {}), "2 requirements, 1 tested, 1 untested"));
  results.filtered = true;
  EXPECT_FALSE(contains(report_text(results, {}, known_, {}), "\ncertified"));
}

TEST_F(Reports, MarkdownHoldsWhatIsNoMarkup) {
  results_.results[1].checks[0].record.message = "a ``` fence";
  const std::string text = to_markdown(results_, judge(results_), known_);
  EXPECT_TRUE(text.starts_with("# Not certified\n"));
  EXPECT_TRUE(contains(text, "| acme | 2.1 | consumer | 2 | 2 | 0 |"));
  EXPECT_TRUE(contains(text, "````\nkept.beta  fail"));
}

TEST_F(Reports, JunitFailsWhatCountsAndSkipsWhatSaysNothing) {
  const auto junit_of = [&](Level level, Verdict verdict) {
    return to_junit(sample::with(sample::result("kept.beta", level, verdict, "m")), known_);
  };
  EXPECT_TRUE(
      contains(junit_of(Level::must, Verdict::fail), "<failure message=\"m\" type=\"fail\">"));
  EXPECT_TRUE(
      contains(junit_of(Level::must, Verdict::crash), "<error message=\"m\" type=\"crash\">"));
  EXPECT_TRUE(contains(junit_of(Level::must, Verdict::not_run), "<error message=\"m\""));
  EXPECT_TRUE(contains(junit_of(Level::should, Verdict::inconclusive),
                       "<skipped message=\"SHOULD inconclusive: m\" />"));
  EXPECT_TRUE(
      contains(junit_of(Level::may, Verdict::flaky), "<error message=\"m\" type=\"flaky\">"));
  EXPECT_TRUE(contains(junit_of(Level::must, Verdict::not_applicable),
                       "<skipped message=\"MUST not applicable: m\" />"));
  EXPECT_TRUE(contains(junit_of(Level::must, Verdict::fail),
                       "tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
}

TEST_F(Reports, JunitPassesAWarningAndTellsIt) {
  for (const Verdict verdict : {Verdict::fail, Verdict::crash, Verdict::timeout}) {
    const Results results = sample::with(sample::result("kept.beta", Level::should, verdict, "m"));
    const std::string xml = to_junit(results, known_);
    EXPECT_TRUE(contains(
        xml, fmt::format("<property name=\"warning\" value=\"SHOULD {}: m\" />", to_text(verdict))))
        << xml;
    EXPECT_TRUE(contains(xml, "<system-out>"));
    EXPECT_TRUE(contains(xml, "failures=\"0\" errors=\"0\" skipped=\"0\""));
    Results binding = results;
    binding.results.back().binding = true;
    EXPECT_FALSE(contains(to_junit(binding, known_), "\"warning\""));
  }
  for (const Verdict verdict : {Verdict::not_judged, Verdict::not_applicable}) {
    const std::string xml =
        to_junit(sample::with(sample::result("kept.beta", Level::should, verdict, "m")), known_);
    EXPECT_FALSE(contains(xml, "\"warning\"")) << xml;
    EXPECT_TRUE(contains(xml, "skipped=\"1\"")) << xml;
  }
}

TEST_F(Reports, JunitIsXmlWhateverALibraryPrints) {
  results_.results[1].checks[0].record.message = "<]]>&\"\x01\x1b[31m\xff";
  const std::string xml = to_junit(results_from_json(to_json(results_)), known_);
  EXPECT_TRUE(contains(xml, "message=\"&lt;]]>&amp;&quot;\\x01\\x1b[31m\\xff\"")) << xml;
  EXPECT_FALSE(contains(xml, "\xff")) << "it says that it is UTF-8";
}

TEST_F(Reports, EveryFormTellsOfADeathThatDidNotRepeat) {
  Results results = sample::passing();
  results.deaths = {{"preflight", "ended by SIGBUS", 1, {}, {}, {}, false}};
  const Results read = results_from_json(to_json(results));
  const std::string line = death_text(read.deaths.at(0));
  EXPECT_TRUE(line.ends_with("SIGBUS; flaky: a new process that did the same went well")) << line;
  const RunVerdict verdict = judge(read);
  for (const std::string& report :
       {report_text(read, verdict, known_, {}), brief_text(read, verdict, known_, {}),
        to_markdown(read, verdict, known_), to_junit(read, known_)})
    EXPECT_NE(report.find(line), std::string::npos) << report;
}

TEST_F(Reports, EveryFormTellsOfADeathOutsideOfChecks) {
  Results results = sample::passing();
  results.deaths = {{.when = "closing",
                     .how = "ended by SIGSEGV",
                     .times = 2,
                     .after = {"kept.alpha"},
                     .output = "the last words\n",
                     .steps = {"open()", "close()"}}};
  const std::string line =
      "the library's process failed outside of checks (closing): ended by SIGSEGV, 2 times";
  const std::string terminal = report_text(results, judge(results), known_, {});
  EXPECT_NE(terminal.find("not certified (exit code 1): " + line), std::string::npos) << terminal;
  EXPECT_NE(terminal.find("kept.alpha"), std::string::npos);
  EXPECT_NE(terminal.find("the last words"), std::string::npos);
  const std::string steps = "calls           open(), close()\n";
  EXPECT_NE(terminal.find(steps), std::string::npos) << terminal;
  const std::string markdown = to_markdown(results, judge(results), known_);
  EXPECT_NE(markdown.find("the last words"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find(steps), std::string::npos) << markdown;
  const std::string junit = to_junit(results, known_);
  EXPECT_NE(junit.find("<error message=\"" + line), std::string::npos) << junit;
  EXPECT_NE(junit.find("errors=\"1\""), std::string::npos) << junit;
  EXPECT_NE(junit.find(steps), std::string::npos) << junit;
  const Results read = results_from_json(to_json(results));
  ASSERT_EQ(read.deaths.size(), 1u);
  EXPECT_EQ(death_text(read.deaths[0]), line);
  EXPECT_EQ(read.deaths[0].after, results.deaths[0].after);
  EXPECT_EQ(read.deaths[0].steps, results.deaths[0].steps);
}

TEST_F(Reports, EveryFormTellsOfWhatWasSlowAndOfTheEnvironment) {
  Results results = sample::passing();
  results.conditions = {"ASAN_OPTIONS=exitcode=0"};
  results.results.at(0).checks = {
      sample::check(Verdict::pass, "slow: case 7 took longer than 5 s")};
  for (const std::string& text :
       {report_text(results, judge(results), known_, {}),
        to_markdown(results, judge(results), known_), to_json(results), to_junit(results, known_)})
    EXPECT_NE(text.find("case 7 took longer than 5 s"), std::string::npos) << text;
  EXPECT_NE(report_text(results, judge(results), known_, {}).find("ASAN_OPTIONS=exitcode=0"),
            std::string::npos);
  EXPECT_NE(to_markdown(results, judge(results), known_).find("exitcode=0"), std::string::npos);
  EXPECT_EQ(results_from_json(to_json(results)).conditions, results.conditions);
}

TEST_F(Reports, EveryFormTellsHowFewCasesHadAProcessEach) {
  Results results = sample::passing();
  CheckResult& check = results.results.at(0).checks.at(0);
  check.record.requested = check.record.cases = 25;
  check.whole = 1000;
  constexpr auto told = "25 of 1000 cases, because each case runs in its own process";
  for (const std::string& text :
       {report_text(results, judge(results), known_, {}),
        to_markdown(results, judge(results), known_), to_junit(results, known_)})
    EXPECT_NE(text.find(told), std::string::npos) << text;
  EXPECT_EQ(results_from_json(to_json(results)).results[0].checks[0].whole, 1000u);

  check.verdict = results.results[0].verdict = Verdict::fail;
  EXPECT_NE(describe_failure(results, results.results[0], known_, {}).find(told),
            std::string::npos);
  check.verdict = results.results[0].verdict = Verdict::not_applicable;
  for (const std::string& text :
       {report_text(results, judge(results), known_, {}),
        to_markdown(results, judge(results), known_), to_junit(results, known_)})
    EXPECT_EQ(text.find(told), std::string::npos) << text;
}

TEST_F(Reports, OfWhatHungTheFirstAndTheLastLinesAreShown) {
  Results results = sample::passing();
  RequirementResult& result = results.results.at(0);
  CheckResult& check = result.checks.at(0);
  for (int line = 1; line <= 60; ++line)
    check.output += "line " + std::to_string(line) + "\n";
  const auto shown = [&](Verdict verdict) {
    check.verdict = result.verdict = verdict;
    return describe_failure(results, result, known_, {});
  };
  const std::string hung = shown(Verdict::timeout);
  EXPECT_NE(hung.find("60 lines\n    line 1\n"), std::string::npos) << hung;
  EXPECT_NE(hung.find("    line 10\n    ... 10 more lines\n    line 21\n"), std::string::npos)
      << hung;
  EXPECT_NE(hung.find("    line 60\n"), std::string::npos) << hung;
  for (const Verdict other : {Verdict::fail, Verdict::crash})
    EXPECT_NE(shown(other).find("    line 10\n    ... 50 more lines\n"), std::string::npos);
  Death death;
  death.how = "did not end within 30 s";
  death.output = check.output;
  EXPECT_NE(describe_death(death).find("    line 60\n"), std::string::npos);
}

TEST_F(Reports, ACounterexampleIsSavedAndReadBack) {
  const fs::path folder = fs::temp_directory_path() / ("dlcert-c-" + std::to_string(getpid()));
  save_counterexamples(results_, folder);
  const std::string json = read_file(folder / "kept.beta-dlcert-acme.json");
  EXPECT_TRUE(contains(read_file(folder / "kept.beta-dlcert-acme.c"), "JUDGE_REFUSAL(read(t1));"));
  clear_counterexamples(folder);
  EXPECT_FALSE(fs::exists(folder));

  const Results saved = read_counterexample(json);
  ASSERT_EQ(saved.results.size(), 1u);
  EXPECT_EQ(saved.results[0].checks.at(0).record.counterexample->case_index, 17u);
}

TEST_F(Reports, WhatCameOfTheSavedProgramIsToldInEveryFormat) {
  const int without = judge(results_).exit_code;
  CheckResult& check = results_.results.at(1).checks.front();
  for (const auto& [run, text] :
       {std::pair{ProgramRun{ProgramRun::State::confirmed, {}}, "confirmed"},
        {ProgramRun{ProgramRun::State::not_confirmed, "exit code 0"},
         "not confirmed without dlcert: exit code 0"},
        {ProgramRun{ProgramRun::State::not_run, "no C compiler"}, "not run: no C compiler"}}) {
    check.program_run = run;
    EXPECT_EQ(
        to_text(
            results_from_json(to_json(results_)).results.at(1).checks.at(0).program_run.value()),
        text);
    const std::string line = fmt::format("  program         {}\n", text);
    EXPECT_TRUE(contains(describe_failure(results_, failed(), known_, "out"), line));
    EXPECT_TRUE(contains(to_markdown(results_, judge(results_), known_), line));
    EXPECT_TRUE(contains(to_junit(results_, known_),
                         fmt::format("name=\"dlcert.program\" value=\"{}\"", text)));
    EXPECT_EQ(judge(results_).exit_code, without);
  }
  EXPECT_FALSE(
      contains(report_text(sample::passing(), judge(sample::passing()), known_, {}), "program"));
}

TEST_F(Reports, OnlyFilesThatAreThereAreSaidToBeSaved) {
  Counterexample& example = results_.results.at(1).checks.front().record.counterexample.value();
  example.recording = {"return MUST(1 == 2);"};
  EXPECT_TRUE(
      contains(describe_failure(results_, failed(), known_, "out"), "{json,c,recorded.c,md}\n"));
  example.program.clear();
  EXPECT_TRUE(
      contains(describe_failure(results_, failed(), known_, "out"), "{json,recorded.c,md}\n"));
  example.recording.clear();
  EXPECT_TRUE(
      contains(describe_failure(results_, failed(), known_, "out"), "dlcert-acme.{json,md}\n"));
}

TEST_F(Reports, NoTwoCounterexamplesHaveOneName) {
  std::set<std::string> names;
  const std::vector<std::string> parties{"acme",
                                         "acme-2",
                                         "acme 2",
                                         "acme/2",
                                         "dlcert-dlcert",
                                         std::string(230, 'x'),
                                         std::string(230, 'x') + "y"};
  for (const std::string& party : parties)
    for (const bool produces : {true, false}) {
      RequirementResult result =
          sample::result("kept.beta", Level::should, Verdict::fail, "sum: expected 2");
      result.producer = produces ? party : "dlcert";
      result.consumer = produces ? "dlcert" : party;
      result.checks.push_back(result.checks.front());
      for (CheckResult& check : result.checks)
        check.record.counterexample.emplace();
      for (const CheckResult& check : result.checks) {
        const std::string name = counterexample_name(result, check);
        EXPECT_LT(name.size(), 200u) << name;
        EXPECT_EQ(name.find_first_of("/ "), std::string::npos) << name;
        EXPECT_TRUE(names.insert(name).second) << name;
      }
    }
}

TEST_F(Reports, OtherResultsAreNoCounterexample) {
  EXPECT_THROW(read_counterexample(to_json(results_)), std::runtime_error);
}

}  // namespace
}  // namespace dlcert
