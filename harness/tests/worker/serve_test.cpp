// SPDX-License-Identifier: Apache-2.0
//
// The worker's process: what it records, how it ends, and that its supervisor leaves nothing
// behind.
#include "worker/serve.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include <dlcert/driver/simulated.hpp>

#include "records/decide.hpp"
#include "worker/supervisor.hpp"

namespace dlcert {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t deadly = 20;

Suite test_suite() {
  Suite suite;
  suite.add({.requirement = "test.passes", .sentence = "it passes", .body = [](Case&) {}});
  suite.add({.requirement = "test.fails", .sentence = "it fails", .body = [](Case& c) {
               expect(c.draw.below(1000) < 20, "too large");
             }});
  suite.add({.requirement = "test.crashes", .sentence = "it crashes", .body = [](Case& c) {
               const std::uint64_t value = c.draw.below(1000);
               c.draw.below(1000);
               if (value >= deadly) std::abort();
             }});
  suite.add({.requirement = "test.hangs", .sentence = "it hangs", .body = [](Case& c) {
               while (c.draw.below(2) == 0 || true)
                 std::this_thread::sleep_for(1s);
             }});
  suite.add({.requirement = "test.forks", .sentence = "it returns twice", .body = [](Case&) {
               static_cast<void>(::fork());
             }});
  suite.add({.requirement = "test.lingers", .sentence = "it leaves a process", .body = [](Case&) {
               if (::fork() == 0) {
                 ::setsid();
                 if (::fork() == 0) std::this_thread::sleep_for(60s);
                 ::_exit(0);
               }
             }});
  suite.add({.requirement = "test.breaks",
             .sentence = "it breaks a device",
             .platform = Platform::cuda,
             .body = [](Case&) {
               driver::SimulatedDriver& devices = driver::simulated_driver();
               devices.fail_next_operation(0, driver::Status::illegal_address);
               static_cast<void>(devices.launch("a kernel", driver::Stream::null, {}));
             }});
  suite.add({.requirement = "test.limits",
             .sentence = "its second case crashes behind a limit",
             .body = [](Case&) {
               static int cases = 0;
               driver::simulated_driver().note_limit("cudaMemGetInfo is not modelled");
               if (++cases == 2) std::abort();
             }});
  return suite;
}

enum : std::uint32_t { passes, fails, crashes, hangs, forks, lingers, breaks, limits };

Job job_of(std::initializer_list<std::uint32_t> checks) {
  Job job;
  job.adapters = {C_EXAMPLE};
  for (const std::uint32_t check : checks) {
    Unit unit;
    unit.check = check;
    unit.consumer = 0;
    unit.seed = 1;
    unit.cases = 50;
    job.units.push_back(unit);
  }
  job.case_seconds = 0.3;
  job.shrink_candidates = 100;
  return job;
}

// A supervised worker, as the runner would start it.
class Served {
 public:
  explicit Served(const Job& job)
      : records{Records::create(to_json(job), static_cast<std::uint32_t>(job.units.size()))} {
    const Suite suite = test_suite();
    supervisor = ::fork();
    if (supervisor == 0) {
      Records mine = Records::attach(records.descriptor());
      fork_supervised(mine, 0);
      serve(mine, 0, suite);
    }
  }
  ~Served() { wait(); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  void wait() {
    if (std::exchange(waited_, true)) return;
    ::waitpid(supervisor, nullptr, 0);
  }
  std::optional<SealedRecord> sealed(std::uint32_t unit) {
    wait();
    return records.read(unit);
  }
  UnitRecord record(std::uint32_t unit) { return record_from_json(sealed(unit).value().text); }
  // Not run: nothing was recorded.
  Verdict verdict(std::uint32_t unit) {
    return sealed(unit) ? decide_record(record(unit)).verdict : Verdict::not_run;
  }
  Position& position() { return records.position(0); }

  Records records;
  pid_t supervisor = -1;

 private:
  bool waited_ = false;
};

TEST(Serve, RecordsEveryUnitAndFinishes) {
  Served served{job_of({passes, fails, passes})};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.verdict(1), Verdict::fail);
  EXPECT_EQ(served.record(1).counterexample->choices, (Choices{20}));
  EXPECT_EQ(served.verdict(2), Verdict::pass);
  EXPECT_EQ(served.sealed(2)->author.order, 2u);
  EXPECT_EQ(served.position().phase, Phase::finished);
  EXPECT_EQ(served.position().unit, no_unit);
  EXPECT_GT(served.position().loaded_bytes, 0u);
  EXPECT_EQ(served.position().ended, 1u);
  EXPECT_TRUE(WIFEXITED(served.position().wait_status));
  EXPECT_EQ(WEXITSTATUS(served.position().wait_status), 0);
}

TEST(Serve, StopsAfterItsShareOfUnits) {
  Job job = job_of({passes, passes});
  job.units_per_worker = 1;
  Served served{job};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.verdict(1), Verdict::not_run);
  EXPECT_EQ(served.position().phase, Phase::finished);
}

TEST(Serve, StopsWhenItsDevicesAreBroken) {
  Served served{job_of({breaks, passes})};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.verdict(1), Verdict::not_run);
  EXPECT_EQ(served.position().phase, Phase::spent);
}

TEST(Serve, StopsWhenACheckLeavesAProcess) {
  Job job = job_of({lingers, passes});
  job.units[0].cases = 1;
  Served served{job};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.record(0).observations.at("leaves processes behind"), 1u);
  EXPECT_EQ(served.verdict(1), Verdict::not_run);
  EXPECT_EQ(served.position().phase, Phase::spent);
}

TEST(Serve, ACrashShowsWhereItWas) {
  Served served{job_of({passes, crashes})};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.verdict(1), Verdict::not_run);
  EXPECT_EQ(served.position().phase, Phase::running);
  EXPECT_EQ(served.position().unit, 1u);
  ASSERT_TRUE(WIFSIGNALED(served.position().wait_status));
  EXPECT_EQ(WTERMSIG(served.position().wait_status), SIGABRT);
}

TEST(Serve, ACrashTellsTheLimitOfItsCaseAlone) {
  Served served{job_of({limits})};
  EXPECT_EQ(served.verdict(0), Verdict::not_run);
  EXPECT_STREQ(served.position().limit, "cudaMemGetInfo is not modelled");
  Job job = job_of({limits, crashes});
  job.units[0].cases = 1;
  Served after{job};
  EXPECT_EQ(after.verdict(0), Verdict::pass);
  EXPECT_EQ(after.verdict(1), Verdict::not_run);
  EXPECT_STREQ(after.position().limit, "");
}

TEST(Serve, ACopyOfTheProcessRecordsNothing) {
  Job job = job_of({forks, passes, passes});
  job.units[0].cases = 1;
  Served served{job};
  EXPECT_EQ(served.verdict(0), Verdict::pass);
  EXPECT_EQ(served.sealed(2)->author.order, 2u) << "the copy has claimed a unit";
}

TEST(Serve, AnUnusableAdapterEndsItInLoading) {
  Job job = job_of({passes});
  job.adapters = {"/nowhere/x.so"};
  Served served{job};
  served.wait();
  EXPECT_EQ(served.position().phase, Phase::loading);
  EXPECT_EQ(WEXITSTATUS(served.position().wait_status), 3);
}

TEST(Serve, DescribesSuiteAndAdapters) {
  Job job;
  job.mode = Job::Mode::describe;
  job.adapters = {C_EXAMPLE, "/nowhere/x.so"};
  job.units.resize(1);
  Served served{job};
  served.wait();
  const Inventory inventory = inventory_from_json(served.sealed(0)->text);
  EXPECT_EQ(inventory.checks.size(), test_suite().checks().size());
  ASSERT_EQ(inventory.adapters.size(), 2u);
  EXPECT_EQ(inventory.adapters[0].error, "");
  EXPECT_TRUE(inventory.adapters[0].producer);
  EXPECT_FALSE(inventory.adapters[0].groups.at("tensor").empty());
  EXPECT_EQ(inventory.adapters[1].error, "adapter '/nowhere/x.so': no such file");
}

Job shrink_job(std::uint32_t check, std::uint64_t only_case) {
  Job job = job_of({check});
  job.mode = Job::Mode::shrink;
  job.units[0].only_case = only_case;
  return job;
}

TEST(ShrinkMode, FindsTheSmallestCrash) {
  Served served{shrink_job(crashes, 0)};
  const UnitRecord record = served.record(0);
  ASSERT_TRUE(record.counterexample);
  EXPECT_EQ(record.counterexample->choices, (Choices{deadly}));
  EXPECT_EQ(served.position().phase, Phase::finished);
}

TEST(ShrinkMode, FindsAHang) {
  Job job = shrink_job(hangs, 0);
  job.shrink_candidates = 3;
  Served served{job};
  const UnitRecord record = served.record(0);
  ASSERT_TRUE(record.counterexample);
  EXPECT_TRUE(record.counterexample->choices.empty());
}

TEST(ShrinkMode, HasNoCounterexampleWhenTheCrashDoesNotRepeat) {
  EXPECT_FALSE(Served{shrink_job(passes, 0)}.record(0).counterexample);
}

// A process that lingers keeps this pipe open for a minute.
TEST(Supervisor, LeavesNoProcessBehind) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto start = std::chrono::steady_clock::now();
  {
    Job job = job_of({lingers});
    job.units[0].cases = 3;
    Served served{job};
    EXPECT_EQ(served.verdict(0), Verdict::pass);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
  ::close(ends[0]);
}

TEST(Supervisor, EndsItsChildWhenAsked) {
  Served served{job_of({hangs})};
  while (served.position().phase != Phase::running)
    std::this_thread::sleep_for(5ms);
  ::kill(served.supervisor, SIGTERM);
  served.wait();
  EXPECT_EQ(served.position().ended, 1u);
  EXPECT_TRUE(WIFSIGNALED(served.position().wait_status));
  EXPECT_EQ(::kill(served.position().pid, 0), -1);
}

TEST(Supervisor, EndsItsChildWhenTheRunnerDies) {
  Records records = Records::create(to_json(job_of({hangs})), 1);
  const pid_t runner = ::fork();
  if (runner == 0) {
    Served served{job_of({hangs})};
    while (served.position().phase != Phase::running)
      std::this_thread::sleep_for(5ms);
    records.position(0).pid = served.position().pid.load();
    ::raise(SIGKILL);
  }
  ::waitpid(runner, nullptr, 0);
  const pid_t worker = records.position(0).pid;
  ASSERT_GT(worker, 0);
  for (int tries = 0; tries < 1000 && ::kill(worker, 0) == 0; ++tries)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(::kill(worker, 0), -1);
}

TEST(FittingJson, ShortensWhatIsTooLong) {
  UnitRecord record;
  record.failed = true;
  record.message = std::string(1 << 20, 'm');
  record.counterexample = Counterexample{};
  record.counterexample->choices = {1, 2, 3};
  record.counterexample->trace.assign(1000, std::string(1000, 't'));
  record.counterexample->program.assign(1000, std::string(1000, 'p'));
  const std::string text = fitting_json(record);
  EXPECT_LE(text.size(), Records::slot_capacity);
  const UnitRecord read = record_from_json(text);
  EXPECT_TRUE(read.failed);
  EXPECT_EQ(read.counterexample->choices, (Choices{1, 2, 3}));
  EXPECT_FALSE(read.counterexample->trace.empty());
}

}  // namespace
}  // namespace dlcert
