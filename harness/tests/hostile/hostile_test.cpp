// SPDX-License-Identifier: Apache-2.0
//
// What else is told of attacks (attacks.hpp) than their verdict: the smallest case, the checks
// before it, reasons, output; and what they do to the preflight and to a runner that is killed.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "fixture.hpp"
#include "report/run_verdict.hpp"
#include "runner/preflight.hpp"

namespace dlcert::hostile {
namespace {

using namespace std::chrono_literals;

void expect_verdict(const CheckResult& check, Verdict verdict, std::string_view message) {
  EXPECT_EQ(to_text(check.verdict), to_text(verdict)) << check.record.message;
  EXPECT_NE(check.record.message.find(message), std::string::npos)
      << "expected '" << message << "' but found '" << check.record.message << "'";
}

class SmallestCase : public Hostile, public testing::WithParamInterface<const char*> {};

TEST_P(SmallestCase, IsTheShortestVectorThatProvokes) {
  RunOptions options = test_options();
  options.case_seconds = 0.3;
  const CheckResult check = provoke(GetParam(), options);
  ASSERT_TRUE(check.record.counterexample.has_value()) << check.record.message;
  ASSERT_FALSE(check.record.counterexample->trace.empty());
  EXPECT_NE(check.record.counterexample->trace.front().find("shape=[3]"), std::string::npos)
      << check.record.counterexample->trace.front();
}

INSTANTIATE_TEST_SUITE_P(Hostile, SmallestCase,
                         testing::Values("segfault", "abort", "stack-overflow", "infinite-loop",
                                         "exit-quietly", "exit-in-destructor", "throw",
                                         "crash-with-a-thread",
                                         "crash-with-a-thread-and-fork-hooks",
                                         "crash-behind-the-lock-of-a-thread",
                                         "hang-with-a-thread-and-slow-to-load"));

// How often the library was loaded until the smallest case was found.
TEST_F(Hostile, ALibraryWithForkHooksIsNotLoadedForEachCandidate) {
  const auto loads = [&](const char* variant) {
    std::filesystem::remove(state());
    provoke(variant);
    // Three are the inventory's: one describes, and one for each vendor asks for claims.
    return std::filesystem::file_size(state()) - 3;
  };
  const std::uintmax_t with_hooks = loads("crash-with-a-thread-and-fork-hooks");
  EXPECT_LT(with_hooks, 20u);
  EXPECT_GT(loads("crash-with-a-thread"), 2 * with_hooks);
}

TEST_F(Hostile, ALibraryWithForkHooksHasFewCasesWithProcessesOfTheirOwn) {
  RunOptions options = test_options();
  options.cases = 1000;
  for (const auto& [variant, cases] : {std::pair{"fork-hooks", 25u}, std::pair{"plain", 100u}}) {
    behave_as(variant);
    const CheckResult check = check_of(certify(options, {}), "hostile.isolated");
    expect_verdict(check, Verdict::pass, "");
    EXPECT_EQ(check.record.cases, cases) << variant;
    EXPECT_EQ(check.record.requested, cases) << variant;
    EXPECT_EQ(check.whole, 1000u) << variant;
  }
}

TEST_F(Hostile, WhatHangsTellsItsStacks) {
  RunOptions options = test_options();
  options.case_seconds = 0.2;
  for (const auto& [variant, where] :
       {std::pair{"stacks", "hostile.provoke"},
        std::pair{"stacks-of-a-case-of-its-own", "hostile.isolated"}}) {
    behave_as(variant);
    const Results results = certify(options, {});
    const CheckResult check = check_of(results, where);
    expect_verdict(check, Verdict::timeout, "took longer than 1 s");
    EXPECT_NE(check.output.find("stack of thread 1:\n  in sleep_forever()"), std::string::npos)
        << check.output;
  }
  behave_as("stacks-while-closing");
  options.load_seconds = 1;
  const Results results = certify(options, {});
  ASSERT_EQ(results.deaths.size(), 1u);
  EXPECT_NE(results.deaths[0].output.find("stack of thread 1:"), std::string::npos)
      << results.deaths[0].output;
}

TEST_F(Hostile, PlainLibraryPassesBehindNothing) {
  const CheckResult check = provoke("plain");
  expect_verdict(check, Verdict::pass, "");
  EXPECT_EQ(check.record.cases, 100u);
  EXPECT_EQ(check.after, "");
}

TEST_F(Hostile, FaultOfTheHarnessIsInconclusive) {
  const CheckResult check = provoke("fault-of-harness");
  expect_verdict(check, Verdict::inconclusive, "ended early");
  EXPECT_EQ(check.reason,
            "a fault of dlcert, not of the library: conformance/abi/data.cpp:7:3: division by "
            "zero");
}

TEST_F(Hostile, ReusedDescriptorsGetNothingOfOurs) {
  expect_verdict(provoke("reuse-descriptors"), Verdict::pass, "");
  std::ifstream file{state()};
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    ASSERT_EQ(line, "the library's own data");
  EXPECT_GT(lines, 0u);
}

TEST_F(Hostile, WordsOfATestRunnerAreOutput) {
  const CheckResult check = provoke("claim-success");
  expect_verdict(check, Verdict::fail, "");
  EXPECT_NE(check.output.find("[  SKIPPED ] hostile.provoke"), std::string::npos) << check.output;
}

TEST_F(Hostile, OneGibibyteOfOutputCostsNoMemory) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  RunOptions options = test_options();
  options.case_seconds = 60;
  expect_verdict(provoke("print-1-gib", options), Verdict::pass, "");
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024) << "KiB";
}

TEST_F(Hostile, AStrayWriteOverItsPositionIsADeath) {
  behave_as("write-over-the-position");
  const Results results = certify(test_options(), {});
  expect_all_untouched_but(results, "hostile.provoke");
  EXPECT_EQ(check_of(results, "hostile.provoke").verdict, Verdict::not_run);
  ASSERT_EQ(results.deaths.size(), 1u);
  EXPECT_EQ(judge(results).exit_code, exit_failed);
}

TEST_F(Hostile, AllocationWithoutEndHasACounterexample) {
  RunOptions options = test_options();
  options.case_seconds = 30;
  const CheckResult check = provoke("allocate-forever", options);
  expect_verdict(check, Verdict::crash, "allocated more than 256 MiB");
  EXPECT_TRUE(check.record.counterexample.has_value()) << check.record.message;
}

TEST_F(Hostile, WhatIsSlowAndEndsPassesWithANote) {
  RunOptions options = test_options();
  options.case_seconds = 0.1;
  expect_verdict(provoke("slow-once", options), Verdict::pass, "took longer than 0.1 s, but ended");
}

TEST_F(Hostile, WhatDoesNotRepeatSaysSo) {
  RunOptions options = test_options();
  options.case_seconds = 0.3;
  for (const char* const variant : {"endless-once", "fail-once-in-twenty"}) {
    const CheckResult check = provoke(variant, options);
    expect_verdict(check, Verdict::flaky, "");
    EXPECT_NE(check.reason.find("did not repeat"), std::string::npos);
    std::filesystem::remove(state());
  }
}

TEST_F(Hostile, WhoDoesNotAskWhyIsToldTheFirstOutcomeAlone) {
  RunOptions options = test_options();
  options.explain = false;
  const CheckResult failed = provoke("fail-once-in-twenty", options);
  expect_verdict(failed, Verdict::fail, "");
  EXPECT_EQ(failed.record.counterexample->steps, 0);
  const CheckResult crashed = provoke("segfault", options);
  expect_verdict(crashed, Verdict::crash, "ended");
  EXPECT_FALSE(crashed.record.counterexample.has_value());
}

TEST_F(Hostile, WhatTakesAnotherCheckNamesIt) {
  RunOptions options = test_options();
  options.case_seconds = 0.1;
  for (const char* const variant : {"crash-after-another", "hang-after-another"})
    EXPECT_EQ(provoke(variant, options).after, "after hostile.prepare");
}

TEST_F(Hostile, CrashThatTakesSeveralCasesHasNoCounterexample) {
  const CheckResult check = provoke("crash-in-a-later-case");
  expect_verdict(check, Verdict::crash, "only after the cases before it");
  EXPECT_FALSE(check.record.counterexample.has_value());
}

TEST_F(Hostile, CrashInTheBackgroundIsNeverAPass) {
  behave_as("crash-in-the-background");
  RunOptions options = test_options();
  options.cases = 20'000;
  options.memory_bytes = 2ull << 30;  // a sanitizer keeps what was freed
  const Results results = certify(options, {});
  EXPECT_TRUE(results.complete);
  std::size_t blamed = 0;
  for (const RequirementResult& result : results.results)
    if (result.verdict != Verdict::pass) ++blamed;
  EXPECT_GE(blamed + results.deaths.size(), 1u);
  EXPECT_LE(blamed, 1u);
  EXPECT_NE(judge(results).exit_code, exit_certified);
}

TEST_F(Hostile, RecordsAreNeverSeenCut) {
  EXPECT_EQ(provoke("cut-the-records").output, "");
}

TEST_F(Hostile, TheEndOfASupervisorIsKnownThoughSignalsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  expect_verdict(provoke("kill-parent"), Verdict::crash,
                 "ended by SIGKILL, together with its supervisor process");
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN);
}

TEST_F(Hostile, ThePreflightStopsNoLibraryThatAVerdictIsDueTo) {
  RunOptions options = test_options();
  options.case_seconds = 0.1;
  options.load_seconds = 2;
  for (const char* const variant : {"plain",
                                    "segfault",
                                    "abort",
                                    "stack-overflow",
                                    "infinite-loop",
                                    "exit-quietly",
                                    "fault-of-harness",
                                    "exit-in-destructor",
                                    "reuse-descriptors",
                                    "write-everywhere",
                                    "claim-success",
                                    "allocate-forever",
                                    "throw",
                                    "leave-children",
                                    "leave-children-and-loop",
                                    "return-twice",
                                    "change-process",
                                    "corrupt-heap",
                                    "fail-once-in-twenty",
                                    "crash-after-another",
                                    "hang-after-another",
                                    "crash-in-a-later-case",
                                    "kill-parent",
                                    "crash-while-loading-again"}) {
    behave_as(variant);
    std::filesystem::remove(state());
    const Inventory inventory = take_inventory(options);
    ASSERT_EQ(inventory.adapters.at(0).error, "") << variant;
    const std::vector<Preflight> preflights = run_preflight(inventory, options);
    ASSERT_EQ(preflights.size(), 1u);
    for (const std::string& fault : preflights[0].findings.faults)
      ADD_FAILURE() << variant << ": " << fault;
  }
}

TEST_F(Hostile, ACrashInThePreflightSaysWhereItCame) {
  behave_as("segfault");
  const RunOptions options = test_options();
  const Inventory inventory = take_inventory(options);
  const Preflight preflight = run_preflight(inventory, options).at(0);
  ASSERT_FALSE(preflight.broken_off.empty());
  EXPECT_NE(preflight.broken_off[0].find(by_fault), std::string::npos) << preflight.broken_off[0];
  EXPECT_NE(preflight.broken_off[0].find(" in create: float16 shape=[3]"), std::string::npos)
      << preflight.broken_off[0];
  EXPECT_FALSE(preflight.findings.claims.at("producer").empty());
}

TEST_F(Hostile, AHangInThePreflightSaysWhereItCame) {
  behave_as("infinite-loop");
  RunOptions options = test_options();
  options.case_seconds = 0.1;
  const Inventory inventory = take_inventory(options);
  const Preflight preflight = run_preflight(inventory, options).at(0);
  ASSERT_FALSE(preflight.broken_off.empty());
  EXPECT_EQ(preflight.broken_off[0],
            "took longer than 0.5 s in create: float16 shape=[3] strides=[1] offset=0");
}

// What one process has formed is known in the next.
TEST_F(Hostile, WhatIsFormedInOneProcessOnlyFails) {
  behave_as("cannot-form-it-elsewhere");
  const Results results = certify(test_options(), {});
  expect_all_untouched_but(results, "hostile.alone");
  const CheckResult check = check_of(results, "hostile.alone");
  EXPECT_EQ(to_text(check.verdict), to_text(Verdict::fail)) << check.reason;
  EXPECT_NE(check.record.message.find("formed the same call before"), std::string::npos)
      << check.record.message;
}

TEST_F(Hostile, ThePreflightTellsWhatAnAdapterMayNotSay) {
  behave_as("cannot-describe");
  const RunOptions options = test_options();
  const Inventory inventory = take_inventory(options);
  const Preflight preflight = run_preflight(inventory, options).at(0);
  ASSERT_EQ(preflight.findings.faults.size(), 1u);
  EXPECT_NE(preflight.findings.faults[0].find("describe: the adapter reports"), std::string::npos)
      << preflight.findings.faults[0];
}

TEST_F(Hostile, ACrashInTheTrialImportHasItsSteps) {
  behave_as("crash-in-an-import");
  const Results results = certify(test_options(), {});
  const CheckResult check = check_of(results, "protocol.from.new-array");
  ASSERT_EQ(to_text(check.verdict), to_text(Verdict::crash));
  ASSERT_TRUE(check.record.counterexample);
  const std::vector<std::string>& trace = check.record.counterexample->trace;
  EXPECT_FALSE(trace.empty());
  EXPECT_TRUE(std::ranges::any_of(trace, [](const std::string& line) {
    return line.find("import_managed(") != line.npos;
  })) << testing::PrintToString(trace);
}

struct StepsRow {
  const char* variant;
  std::vector<std::string> steps;
};

TEST_F(Hostile, ADeathOutsideOfCasesHasItsSteps) {
  for (const auto& [variant, steps] :
       {StepsRow{"crash-while-loading-again", {"dlopen()", "dlcert_adapter_get()"}},
        StepsRow{"crash-while-opening-again", {"dlopen()", "dlcert_adapter_get()", "open()"}},
        StepsRow{"crash-while-closing-if-used", {"close()"}},
        StepsRow{"abort-at-unload", {"close()", "dlclose()"}}}) {
    if (sanitized && steps.back() == "dlclose()") continue;  // modules stay loaded
    behave_as(variant);
    std::filesystem::remove(state());
    const Results results = certify(test_options(), {});
    ASSERT_FALSE(results.deaths.empty()) << variant;
    EXPECT_EQ(results.deaths[0].steps, steps) << variant;
  }
}

TEST_F(Hostile, AnAdapterThatCannotBeLoadedSaysInWhichCall) {
  behave_as("crash-while-loading");
  const RunOptions options = test_options();
  const Inventory inventory = take_inventory(options);
  EXPECT_NE(inventory.adapters.at(0).error.find("while loading, in dlcert_adapter_get()"),
            std::string::npos)
      << inventory.adapters[0].error;
}

TEST_F(Hostile, WhatIsLeftBehindIsTold) {
  behave_as("leave-children");
  const Results results = certify(test_options(), {});
  expect_all_untouched_but(results, "");
  EXPECT_EQ(
      check_of(results, "hostile.provoke").record.observations.count("leaves processes behind"),
      1u);
  EXPECT_EQ(
      check_of(results, "hostile.innocent").record.observations.count("leaves processes behind"),
      0u);
}

TEST_F(Hostile, ParallelWorkersLoseNothing) {
  RunOptions options = test_options();
  options.jobs = 4;
  expect_verdict(provoke("segfault", options), Verdict::crash, "ended");
}

TEST_F(Hostile, RepetitionsKeepTheWorstVerdict) {
  RunOptions options = test_options();
  options.repeat = 3;
  options.shrink_crashes = false;
  expect_verdict(provoke("exit-quietly", options), Verdict::crash, "ended early");
}

TEST_F(Hostile, MissingWorkerIsAnError) {
  RunOptions options;
  options.worker = "/nonexistent/worker";
  EXPECT_THROW(take_inventory(options), std::system_error);
}

struct KilledRow {
  const char* variant;
  std::size_t processes;  // at least, before the runner is killed
};

class KilledRunner : public Hostile, public testing::WithParamInterface<KilledRow> {};

TEST_P(KilledRunner, LeavesNoProcessAndIncompleteResults) {
  behave_as(GetParam().variant);
  std::string program = HOSTILE_RUNNER, results = results_file();
  char* arguments[] = {program.data(), results.data(), nullptr};
  pid_t runner = 0;
  ASSERT_EQ(posix_spawn(&runner, program.c_str(), nullptr, nullptr, arguments, environ), 0);
  const auto wait_for = [](auto condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(20ms);
    }
    return true;
  };
  const auto exists = [](const std::filesystem::path& path) {
    return std::filesystem::exists(path);
  };
  EXPECT_TRUE(wait_for([&] { return exists(results) && exists(state()); }));
  EXPECT_TRUE(wait_for([&] { return left_behind() >= GetParam().processes; }));

  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  EXPECT_TRUE(wait_for([&] { return left_behind() == 0; }));
  EXPECT_TRUE(wait_for([] {
    while (waitpid(-1, nullptr, WNOHANG) > 0)
      continue;  // its orphans are ours, once they have ended
    return children_of(getpid()).empty();
  }));

  std::ifstream file{results};
  std::string text;
  std::getline(file, text, '\0');
  EXPECT_FALSE(results_from_json(text).complete);
}

// Runner, a supervisor and a worker; the child and the grandchild that it left behind.
INSTANTIATE_TEST_SUITE_P(Hostile, KilledRunner,
                         testing::Values(KilledRow{"leave-children-and-loop", 5},
                                         KilledRow{"stop-the-group", 3}));

}  // namespace
}  // namespace dlcert::hostile
