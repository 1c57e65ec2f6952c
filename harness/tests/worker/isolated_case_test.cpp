// SPDX-License-Identifier: Apache-2.0
#include "worker/isolated_case.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include <dlcert/suite/spy.hpp>

#include "records/decide.hpp"
#include "worker/case_message.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

const Party isolated_party{spy_library(), "dlcert"};
const Settings default_settings_of_cases;
int bodies_run = 0;  // of bodies, in this process

UnitRecord run_isolated(void (*body)(Case&), const Unit& unit = {.seed = 1, .cases = 20}) {
  const Check check{.sentence = "it holds", .isolation = Isolation::process_per_case, .body = body};
  const Binding binding{
      isolated_party, isolated_party, check.role, default_settings_of_cases, {}, {}, {}, {}};
  Position position{};
  return run_unit(check, binding, unit, {.position = position});
}

TEST(IsolatedCase, SeesNothingOfTheCaseBeforeIt) {
  const UnitRecord record = run_isolated([](Case& c) {
    expect_equal("calls before", 0, bodies_run++);
    c.observe("seen");
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
  EXPECT_EQ(record.cases, 20u);
  EXPECT_EQ(record.observations.at("seen"), 20u);
  EXPECT_EQ(bodies_run, 0);
}

TEST(IsolatedCase, IsShrunkLikeAnyOther) {
  const UnitRecord record =
      run_isolated([](Case& c) { expect_equal("below 20", true, c.draw.below(1000) < 20); });
  EXPECT_EQ(decide_record(record).verdict, Verdict::fail);
  EXPECT_EQ(record.message, "below 20: expected true but found false");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{20}));
}

TEST(IsolatedCase, TellsWhetherItsFailureIsMinor) {
  const UnitRecord record = run_isolated([](Case& c) {
    const std::uint64_t drawn = c.draw.below(10);
    c.minor([] { fail("wrong name"); });
    expect(drawn < 5, "not ordered");
  });
  EXPECT_EQ(record.message, "not ordered");
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{5}));
}

TEST(IsolatedCase, TellsItsCalls) {
  const UnitRecord record = run_isolated([](Case& c) {
    require(c.producer.create(compact_spec({0, 8, 1}, {}), Bytes(1)), "create");
    fail("always");
  });
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->trace.size(), 2u);
  EXPECT_EQ(record.counterexample->program.size(),
            4u);  // create, that it succeeds, what is judged, and release
}

TEST(IsolatedCase, IsAsInconclusiveAsItSays) {
  const UnitRecord record = run_isolated([](Case&) { throw Inconclusive{"nothing to see"}; });
  EXPECT_EQ(decide_record(record).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide_record(record).reason, "nothing to see");
}

TEST(IsolatedCase, EndsThisProcessAsItEndsItsOwn) {
  EXPECT_EXIT(run_isolated([](Case&) { std::raise(SIGTERM); }), testing::KilledBySignal(SIGTERM),
              "");
  EXPECT_EXIT(run_isolated([](Case&) { ::_exit(7); }), testing::ExitedWithCode(7), "");
}

// A library that forks and lets the copy return into its caller: the original's end counts.
TEST(IsolatedCase, ACopyOfItHasNoSay) {
  EXPECT_EXIT(run_isolated([](Case&) {
                if (const pid_t copy = ::fork(); copy != 0) {
                  ::waitpid(copy, nullptr, 0);
                  std::abort();
                }
              }),
              testing::KilledBySignal(SIGABRT), "");
}

// Both ends of it are open in every process that is forked from here.
class Held {
 public:
  Held() { EXPECT_EQ(::pipe(ends_), 0); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { ::close(ends_[0]); }
  // Whether no other process has it. Called once.
  bool by_nobody_else() {
    ::close(ends_[1]);
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 0;
  }

 private:
  int ends_[2]{};
};

TEST(IsolatedCase, WhatItLeavesBehindEndsWithIt) {
  Held held;
  const UnitRecord record = run_isolated([](Case&) {
    if (::fork() == 0) {
      ::setsid();
      if (::fork() == 0) ::pause();
      ::_exit(0);
    }
  });
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
  EXPECT_TRUE(held.by_nobody_else());
}

TEST(IsolatedCase, ProcessesFromBeforeItLive) {
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_EQ(decide_record(run_isolated([](Case&) {})).verdict, Verdict::pass);
  EXPECT_EQ(::kill(daemon, 0), 0);
  EXPECT_EQ(::waitpid(daemon, nullptr, WNOHANG), 0);
  ::kill(daemon, SIGKILL);
  ::waitpid(daemon, nullptr, 0);
}

void set_child_signal(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(SIGCHLD, &action, nullptr);
}

TEST(IsolatedCase, IsWaitedForThoughNobodyWantsToHearOfChildren) {
  for (const auto& [handler, flags] : {std::pair{SIG_IGN, 0}, std::pair{SIG_DFL, SA_NOCLDWAIT},
                                       std::pair{SIG_IGN, SA_NOCLDWAIT}}) {
    set_child_signal(handler, flags);
    const UnitRecord record = run_isolated([](Case&) {
      struct sigaction now {};
      ::sigaction(SIGCHLD, nullptr, &now);
      expect(now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT) != 0,
             "the case does not see what the library has made of SIGCHLD");
    });
    EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
    set_child_signal(SIG_DFL, 0);
    EXPECT_EXIT(
        {
          set_child_signal(SIG_IGN, 0);
          run_isolated([](Case&) { std::abort(); });
        },
        testing::KilledBySignal(SIGABRT), "");
  }
}

TEST(IsolatedCase, IsJudgedThoughAThreadWaitsForAnyChild) {
  std::atomic<bool> done{false};
  std::thread waiter{[&] {
    while (!done)
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) std::this_thread::yield();
  }};
  const UnitRecord passing = run_isolated([](Case&) {}, {.seed = 1, .cases = 200});
  const UnitRecord failing = run_isolated([](Case&) { fail("always"); });
  done = true;
  waiter.join();
  EXPECT_EQ(decide_record(passing).verdict, Verdict::pass) << passing.message;
  EXPECT_EQ(decide_record(failing).verdict, Verdict::fail);
}

TEST(IsolatedCase, WarningsOfAnyLengthAreKept) {
  const Check check{
      .sentence = "it holds", .isolation = Isolation::process_per_case, .body = [](Case&) {}};
  std::vector<std::string> kept;
  Binding binding{
      isolated_party, isolated_party, check.role, default_settings_of_cases, {}, {}, {}, {}};
  binding.take_warnings = [] { return std::vector<std::string>{std::string(2 << 20, 'w')}; };
  binding.keep_warnings = [&](std::vector<std::string> warnings) { kept = std::move(warnings); };
  Position position{};
  const UnitRecord record =
      run_unit(check, binding, Unit{.seed = 1, .cases = 1}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::pass) << record.message;
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept[0].starts_with("www"));
}

TEST(IsolatedCase, NeedsSimulatedDevices) {
  Settings on_hardware;
  on_hardware.driver = "cuda";
  const Check check{.sentence = "it holds",
                    .isolation = Isolation::process_per_case,
                    .body = [](Case&) { fail("it must not run"); }};
  const Binding binding{isolated_party, isolated_party, check.role, on_hardware, {}, {}, {}, {}};
  Position position{};
  const UnitRecord record =
      run_unit(check, binding, Unit{.seed = 1, .cases = 1}, {.position = position});
  EXPECT_EQ(decide_record(record).verdict, Verdict::not_applicable);
  EXPECT_EQ(decide_record(record).reason, "needs simulated devices");
}

TEST(CaseMessage, KeepsEverything) {
  CaseMessage message;
  message.outcome = {
      CaseEnd::failed, {"m", "e", "f"}, "r", true, {true, false, true, false, {"cpu", "cuda"}}};
  message.observed = {"o"};
  message.choices = {1, UINT64_MAX};
  message.warnings = {"w"};
  message.events = std::vector<TraceEvent>{{"text", "statement();"}};
  const std::string text = to_json(message);
  const CaseMessage read = case_message_from_json(text);
  EXPECT_EQ(read.outcome.end, CaseEnd::failed);
  EXPECT_EQ(read.outcome.failure.found, "f");
  EXPECT_TRUE(read.outcome.evidence.found);
  EXPECT_EQ(read.outcome.evidence.devices, (std::vector<std::string>{"cpu", "cuda"}));
  EXPECT_EQ(read.choices, message.choices);
  EXPECT_EQ(to_json(read), text);
}

TEST(CaseMessage, OfACaseThatPassedIsShort) {
  EXPECT_EQ(to_json({.outcome = {.met = true}}), R"({"end":0,"met":true})");
}

TEST(CaseMessage, RefusesWhatALibraryWroteOverIt) {
  CaseMessage message;
  message.outcome.evidence.found = true;
  message.choices = {1};
  const std::string text = to_json(message);
  const auto with = [&text](std::string_view from, std::string_view to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_NO_THROW(case_message_from_json(text));
  for (const std::string& other :
       {std::string{}, text.substr(1), with("\"end\":0", "\"end\":9"),
        with("\"end\":0", "\"end\":-1"), with("\"met\":false", "\"met\":0"),
        with("[false,false,", "[false,"), with("\"choices\":[1]", "\"choices\":[-1]")})
    EXPECT_THROW(case_message_from_json(other), std::runtime_error) << other;
}

}  // namespace
}  // namespace dlcert
