// SPDX-License-Identifier: Apache-2.0
//
// Whatever a library does to its process, it gets the verdict that it deserves, the rest of the run
// is what it would have been without, and nothing stays behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>

#include "certification.hpp"
#include "report/run_verdict.hpp"
#include "runner/preflight.hpp"

namespace dlcert::hostile {
namespace {

using namespace std::chrono_literals;

#if defined(__has_feature)
#define DLCERT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DLCERT_HAS_FEATURE(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || DLCERT_HAS_FEATURE(thread_sanitizer)
#define DLCERT_THREAD_SANITIZER 1
#else
#define DLCERT_THREAD_SANITIZER 0
#endif
#if defined(__SANITIZE_ADDRESS__) || DLCERT_HAS_FEATURE(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = DLCERT_THREAD_SANITIZER;
#endif

// How a fault ends a process: a sanitizer reports it and exits.
constexpr std::string_view by_fault = sanitized ? "ended early" : "ended by SIG";

class Hostile : public testing::Test {
 protected:
  Hostile() {
    std::string name = (std::filesystem::temp_directory_path() / "dlcert-hostile-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    mark_ = "DLCERT_HOSTILE_STATE=" + state().string();
    setenv("DLCERT_HOSTILE_STATE", state().c_str(), 1);
  }
  void TearDown() override {
    EXPECT_EQ(left_behind(), 0u);
    std::filesystem::remove_all(folder_);
  }

  static void behave_as(const char* variant) { setenv("DLCERT_HOSTILE", variant, 1); }
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path results_file() const { return folder_ / "results.json"; }
  std::size_t left_behind() const { return processes_with(mark_).size(); }

  // The result of the check that the variant is provoked by; the others must be untouched.
  static CheckResult provoke(const char* variant, const RunOptions& options = test_options()) {
    behave_as(variant);
    const Results results = certify(options, {});
    EXPECT_TRUE(results.complete);
    EXPECT_EQ(results.results.size(), 4u);
    for (const char* other : {"hostile.prepare", "hostile.innocent", "hostile.alone"})
      expect_untouched(check_of(results, other), options);
    return check_of(results, "hostile.provoke");
  }

  static CheckResult check_of(const Results& results, std::string_view requirement) {
    for (const RequirementResult& result : results.results)
      if (result.requirement == requirement) {
        EXPECT_EQ(result.checks.size(), 1u);
        EXPECT_EQ(result.verdict, result.checks.at(0).verdict);
        return result.checks.at(0);
      }
    ADD_FAILURE() << "no result of " << requirement;
    return {};
  }

  static void expect_untouched(const CheckResult& check, const RunOptions& options) {
    EXPECT_EQ(check.verdict, Verdict::pass) << check.record.message << check.reason;
    EXPECT_EQ(check.record.cases, options.cases);
    EXPECT_EQ(check.record.message, "");
  }

  std::filesystem::path folder_;
  std::string mark_;
};

void expect_pass(const CheckResult& check, std::uint64_t cases = 100) {
  EXPECT_EQ(check.verdict, Verdict::pass) << check.record.message << "\n" << check.output;
  EXPECT_EQ(check.record.cases, cases);
}

void expect_verdict(const CheckResult& check, Verdict verdict, std::string_view message) {
  EXPECT_EQ(to_text(check.verdict), to_text(verdict)) << check.record.message;
  EXPECT_NE(check.record.message.find(message), std::string::npos)
      << "expected '" << message << "' but found '" << check.record.message << "'";
}

// The shortest vector that provokes the library has three elements.
void expect_smallest_case(const CheckResult& check) {
  ASSERT_TRUE(check.record.counterexample.has_value()) << check.record.message;
  ASSERT_FALSE(check.record.counterexample->trace.empty());
  EXPECT_NE(check.record.counterexample->trace.front().find("shape=[3]"), std::string::npos)
      << check.record.counterexample->trace.front();
}

TEST_F(Hostile, PlainLibraryPasses) {
  const CheckResult check = provoke("plain");
  expect_pass(check);
  EXPECT_EQ(check.after, "");
}

TEST_F(Hostile, SegmentationFaultIsACrash) {
  const CheckResult check = provoke("segfault");
  expect_verdict(check, Verdict::crash, sanitized ? "ended early" : "ended by SIGSEGV");
  expect_smallest_case(check);
}

TEST_F(Hostile, AbortIsACrash) {
  const CheckResult check = provoke("abort");
  expect_verdict(check, Verdict::crash, "ended by SIGABRT");
  expect_smallest_case(check);
}

TEST_F(Hostile, StackOverflowIsACrash) {
  const CheckResult check = provoke("stack-overflow");
  expect_verdict(check, Verdict::crash, sanitized ? "ended early" : "ended by SIGSEGV");
  expect_smallest_case(check);
}

TEST_F(Hostile, InfiniteLoopIsATimeout) {
  RunOptions options = test_options();
  options.case_seconds = 0.3;
  const CheckResult check = provoke("infinite-loop", options);
  expect_verdict(check, Verdict::timeout, "took longer than 1.5 s");
  expect_smallest_case(check);
}

TEST_F(Hostile, QuietExitIsACrash) {
  const CheckResult check = provoke("exit-quietly");
  expect_verdict(check, Verdict::crash,
                 "ended early with exit status 0: the implementation called exit");
  expect_smallest_case(check);
}

TEST_F(Hostile, FaultOfTheHarnessIsInconclusive) {
  const CheckResult check = provoke("fault-of-harness");
  expect_verdict(check, Verdict::inconclusive, "ended early");
  EXPECT_EQ(check.reason,
            "a fault of the harness, not of the library: conformance/abi/data.cpp:7:3: division by "
            "zero");
}

TEST_F(Hostile, ExitInADestructorIsACrash) {
  const CheckResult check = provoke("exit-in-destructor");
  expect_verdict(check, Verdict::crash,
                 "ended early with exit status 0: the implementation called exit");
  expect_smallest_case(check);
}

TEST_F(Hostile, ReusedDescriptorsGetNothingOfOurs) {
  expect_pass(provoke("reuse-descriptors"));
  std::ifstream file{state()};
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines)
    ASSERT_EQ(line, "the library's own data");
  EXPECT_GT(lines, 0u);
}

TEST_F(Hostile, GarbageInEveryDescriptorChangesNoRecord) {
  expect_pass(provoke("write-everywhere"));
}

TEST_F(Hostile, WordsOfATestRunnerHideNoFailure) {
  const CheckResult check = provoke("claim-success");
  expect_verdict(check, Verdict::fail, "");
  EXPECT_NE(check.output.find("[  SKIPPED ] hostile.provoke"), std::string::npos) << check.output;
}

TEST_F(Hostile, OneGibibyteOfOutputCostsNoMemory) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  RunOptions options = test_options();
  options.case_seconds = 60;
  expect_pass(provoke("print-1-gib", options));
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024) << "KiB";
}

TEST_F(Hostile, AllocationWithoutEndIsACrash) {
  RunOptions options = test_options();
  options.case_seconds = 30;
  const CheckResult check = provoke("allocate-forever", options);
  expect_verdict(check, Verdict::crash, "allocated more than 256 MiB");
  EXPECT_TRUE(check.record.counterexample.has_value()) << check.record.message;
}

TEST_F(Hostile, ExceptionThroughTheAbiIsAFailure) {
  const CheckResult check = provoke("throw");
  expect_verdict(check, Verdict::fail, "out of cheese");
  expect_smallest_case(check);
}

TEST_F(Hostile, LingeringChildrenAreEnded) {
  expect_pass(provoke("leave-children"));
}

TEST_F(Hostile, ForkThatReturnsTwiceIsNoSecondWorker) {
  expect_pass(provoke("return-twice"));
}

TEST_F(Hostile, ChangedSignalsLocaleAndFolderChangeNoRecord) {
  expect_pass(provoke("change-process"));
}

#if !DLCERT_THREAD_SANITIZER  // its allocator has nothing between blocks that could be corrupted
TEST_F(Hostile, CorruptedHeapIsACrash) {
  const CheckResult check = provoke("corrupt-heap");
  expect_verdict(check, Verdict::crash, by_fault);
  expect_smallest_case(check);
}
#endif

TEST_F(Hostile, WhatIsSlowAndEndsPassesWithANote) {
  RunOptions options = test_options();
  options.case_seconds = 0.3;
  const CheckResult check = provoke("slow-once", options);
  expect_pass(check);
  expect_verdict(check, Verdict::pass, "took longer than 0.3 s, and ended");
}

TEST_F(Hostile, EndlessnessThatDoesNotRepeatIsFlaky) {
  RunOptions options = test_options();
  options.case_seconds = 0.3;
  const CheckResult check = provoke("endless-once", options);
  expect_verdict(check, Verdict::flaky, "took longer than 1.5 s");
  EXPECT_NE(check.reason.find("did not repeat"), std::string::npos);
}

TEST_F(Hostile, FailureThatDoesNotRepeatIsFlaky) {
  const CheckResult check = provoke("fail-once-in-twenty");
  expect_verdict(check, Verdict::flaky, "");
  EXPECT_NE(check.reason.find("did not repeat"), std::string::npos);
}

TEST_F(Hostile, CrashBehindAnotherCheckNamesIt) {
  const CheckResult check = provoke("crash-after-another");
  expect_verdict(check, Verdict::crash, "ended");
  EXPECT_EQ(check.after, "after hostile.prepare");
}

TEST_F(Hostile, HangBehindAnotherCheckNamesIt) {
  RunOptions options = test_options();
  options.case_seconds = 0.2;
  const CheckResult check = provoke("hang-after-another", options);
  expect_verdict(check, Verdict::timeout, "took longer than 1 s");
  EXPECT_EQ(check.after, "after hostile.prepare");
}

TEST_F(Hostile, CrashThatTakesSeveralCasesSaysSo) {
  const CheckResult check = provoke("crash-in-a-later-case");
  expect_verdict(check, Verdict::crash, "takes the cases before it");
  EXPECT_FALSE(check.record.counterexample.has_value());
}

TEST_F(Hostile, CrashInTheBackgroundIsNeverAPass) {
  behave_as("crash-in-the-background");
  RunOptions options = test_options();
  options.cases = 100'000;
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

TEST_F(Hostile, KillingTheKeeperIsACrash) {
  expect_verdict(provoke("kill-parent"), Verdict::crash, "ended by SIGKILL, with its supervisor");
}

// Dies or hangs where no check can be blamed for it.
struct OutsideRow {
  const char* variant;
  const char* when;
  const char* how;
};

class OutsideOfChecks : public Hostile,
                        public testing::WithParamInterface<std::tuple<OutsideRow, unsigned>> {};

TEST_P(OutsideOfChecks, IsADeathOfTheRunAndOfNoCheck) {
  const auto& [row, jobs] = GetParam();
  behave_as(row.variant);
  RunOptions options = test_options();
  options.load_seconds = 2;
  options.jobs = jobs;
  const Results results = certify(options, {});
  EXPECT_TRUE(results.complete);
  for (const char* check :
       {"hostile.prepare", "hostile.provoke", "hostile.innocent", "hostile.alone"})
    expect_untouched(check_of(results, check), options);
  ASSERT_EQ(results.deaths.size(), 1u);
  EXPECT_EQ(results.deaths[0].when, row.when);
  EXPECT_NE(results.deaths[0].how.find(row.how), std::string::npos) << results.deaths[0].how;
  EXPECT_EQ(judge(results).exit_code, exit_failed);
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, OutsideOfChecks,
    testing::Combine(
        testing::Values(OutsideRow{"crash-while-closing-if-used", "closing",
                                   sanitized ? "ended early" : "SIGSEGV"},
                        OutsideRow{"fork-in-close-and-abort", "closing", "SIGABRT"},
                        OutsideRow{"exit-while-closing", "closing", "exit status 0"},
                        OutsideRow{"hang-while-closing-once", "closing", "did not end within 2 s"},
                        OutsideRow{"abort-at-unload", "unloading", "SIGABRT"},
                        OutsideRow{"abort-at-exit", "exiting", "SIGABRT"},
                        OutsideRow{"hang-at-exit", "exiting", "did not end within 2 s"},
                        OutsideRow{"crash-at-every-second-load", "loading",
                                   sanitized ? "ended early" : "SIGSEGV"}),
        testing::Values(1u, 2u)));

struct OtherwiseRow {
  const char* variant;
  const char* difference;
};

class DescribedOtherwise : public Hostile, public testing::WithParamInterface<OtherwiseRow> {};

TEST_P(DescribedOtherwise, IsAProblemOfTheRun) {
  behave_as(GetParam().variant);
  const Results results = certify(test_options(), {});
  ASSERT_EQ(results.problems.size(), 1u);
  EXPECT_NE(results.problems[0].find("describes itself otherwise in a worker: hostile: "),
            std::string::npos)
      << results.problems[0];
  EXPECT_NE(results.problems[0].find(GetParam().difference), std::string::npos)
      << results.problems[0];
  EXPECT_EQ(judge(results).exit_code, exit_vacuous);
}

INSTANTIATE_TEST_SUITE_P(
    Hostile, DescribedOtherwise,
    testing::Values(OtherwiseRow{"fewer-functions-in-workers", "functions of tensor: expected"},
                    OtherwiseRow{"more-functions-in-workers", "functions of tensor: expected"},
                    OtherwiseRow{"another-version-in-workers",
                                 "version: expected '1.0' but found '2.0'"},
                    OtherwiseRow{"other-properties-in-workers", "properties: expected"}));

#if !DLCERT_THREAD_SANITIZER  // whose processes are larger than the limit
TEST_F(Hostile, MemoryOfAGrandchildCounts) {
  RunOptions options = test_options();
  options.case_seconds = 30;
  options.shrink_crashes = false;
  expect_verdict(provoke("allocate-in-a-grandchild", options), Verdict::crash,
                 "allocated more than 256 MiB");
}
#endif

TEST_F(Hostile, RecordsCannotBeCut) {
  const CheckResult check = provoke("cut-the-records");
  expect_pass(check);
  EXPECT_EQ(check.output, "");
}

TEST_F(Hostile, TheEndOfASupervisorIsKnownThoughSignalsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  expect_verdict(provoke("kill-parent"), Verdict::crash, "ended by SIGKILL, with its supervisor");
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN);
}

TEST_F(Hostile, CrashWhileLoadingIsTheAdaptersError) {
  behave_as("crash-while-loading");
  const RunOptions options = test_options();
  const Inventory inventory =
      take_inventory(options.worker, options.adapters, options.load_seconds);
  EXPECT_EQ(inventory.checks.size(), 4u);
  ASSERT_EQ(inventory.adapters.size(), 1u);
  EXPECT_NE(inventory.adapters[0].error.find("while loading"), std::string::npos)
      << inventory.adapters[0].error;
}

TEST_F(Hostile, HangWhileLoadingIsTheAdaptersError) {
  behave_as("hang-while-loading");
  const RunOptions options = test_options();
  const Inventory inventory = take_inventory(options.worker, options.adapters, 0.3);
  ASSERT_EQ(inventory.adapters.size(), 1u);
  EXPECT_NE(inventory.adapters[0].error.find("loading took longer than 0.3 s"), std::string::npos)
      << inventory.adapters[0].error;
}

TEST_F(Hostile, CrashAtEachLaterLoadRunsNothingAndEnds) {
  behave_as("crash-while-loading-again");
  const Results results = certify(test_options(), {});
  EXPECT_TRUE(results.complete);
  for (const RequirementResult& result : results.results) {
    EXPECT_EQ(result.verdict, Verdict::not_run);
    EXPECT_NE(result.reason.find("while loading"), std::string::npos) << result.reason;
  }
  ASSERT_EQ(results.deaths.size(), 1u);
  EXPECT_EQ(results.deaths[0].when, "loading");
  EXPECT_EQ(judge(results).exit_code, exit_failed);
}

TEST_F(Hostile, ThePreflightStopsNoLibraryThatAVerdictIsDueTo) {
  RunOptions options = test_options();
  options.case_seconds = 0.5;
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
    const Inventory inventory =
        take_inventory(options.worker, options.adapters, options.load_seconds);
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
  const Inventory inventory =
      take_inventory(options.worker, options.adapters, options.load_seconds);
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
  options.case_seconds = 0.5;
  const Inventory inventory =
      take_inventory(options.worker, options.adapters, options.load_seconds);
  const Preflight preflight = run_preflight(inventory, options).at(0);
  ASSERT_FALSE(preflight.broken_off.empty());
  EXPECT_EQ(preflight.broken_off[0],
            "took longer than 2.5 s in create: float16 shape=[3] strides=[1] offset=0");
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
  EXPECT_THROW(take_inventory("/nonexistent/worker", {}, 1), std::system_error);
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
