// SPDX-License-Identifier: Apache-2.0
//
// The files that a run writes: nothing of an earlier run is taken for this one's, nothing is lost
// that dlcert did not write, and what cannot be written is told before the run.
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

class Outputs : public testing::Test {
 protected:
  Output run(const std::string& adapter, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        "run",   "lifetime.deleter.exactly-once", "--cases", "5", "--adapter", adapter, "--results",
        results_};
    words.insert(words.end(), more.begin(), more.end());
    return dlcert_program(words);
  }
  static void expect_one_line(const Output& output, std::string_view part) {
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
    EXPECT_TRUE(contains(output.err, part)) << output.err;
  }
  bool complete() const { return results_from_json(read_file(results_)).complete; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::ranges::distance(
        fs::directory_iterator{fs::path{results_}.parent_path()}, fs::directory_iterator{}));
  }

  TemporaryFolder folder_;
  std::string results_ = folder_.path("results.json");
  std::string saved_ = results_ + ".counterexamples";
};

// As users call it, but with the compiler of this build, whose sanitizers its modules need.
TEST_F(Outputs, TheSavedProgramIsRunAndToldOf) {
  const std::string compiler = folder_.write("cc", "#!/bin/sh\nexec " C_COMPILER " \"$@\"\n");
  fs::permissions(compiler, fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  const auto state_with = [&](const std::string& folders) {
    ::setenv("PATH", folders.c_str(), 1);
    const Output output = run(DELETES_TWICE_ADAPTER);
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(output.exit_code, 1) << output.out;
    const Results results = results_from_json(read_file(results_));
    const auto& run = results.results.at(0).checks.at(0).program_run;
    const std::string state = run ? to_text(*run) : "nothing";
    EXPECT_TRUE(contains(output.out, "  program         " + state)) << output.out;
    return state;
  };
  EXPECT_EQ(state_with(fs::path{compiler}.parent_path().string() + ":" + path), "confirmed");
  EXPECT_EQ(state_with(""), "not run: no C compiler");
}

TEST_F(Outputs, AUsageErrorLeavesNoFormerResults) {
  const std::vector<std::vector<std::string>> wrong{{"--bogus"},
                                                    {"--spec", "7.0"},
                                                    {"--area", "lifetme"},
                                                    {"--policy", "nothing=1"},
                                                    {"--waivers", "/no/w.toml"},
                                                    {"--worker", "/no/worker"},
                                                    {"--adapter", "/no/adapter.so"},
                                                    {"--replay", "/no/c.json"},
                                                    {"--junit", "/no/such/junit.xml"},
                                                    {"--junit", results_}};
  for (const std::vector<std::string>& more : wrong) {
    SCOPED_TRACE(more.front());
    ASSERT_EQ(run(GOOD_ADAPTER).exit_code, 0);
    ASSERT_TRUE(complete());
    EXPECT_EQ(run(GOOD_ADAPTER, more).exit_code, 2);
    EXPECT_FALSE(fs::exists(results_));
  }
  ASSERT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_EQ(dlcert_program({"certify", "--results=" + results_, "--cases"}).exit_code, 2);
  EXPECT_FALSE(fs::exists(results_));
  ASSERT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_EQ(dlcert_program({"verdict", "--results", results_, "--bogus"}).exit_code, 2);
  EXPECT_TRUE(fs::exists(results_)) << "verdict only reads them";
}

TEST_F(Outputs, ALinkStaysOne) {
  const std::string behind = folder_.path("behind.json");
  fs::create_symlink("behind.json", results_);
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(results_));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(behind)));
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0) << "where there is a file behind it";
  EXPECT_TRUE(complete());
  EXPECT_EQ(files(), 2u);
}

TEST_F(Outputs, WhatIsNoFileIsLeftAlone) {
  ASSERT_EQ(mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  fs::create_directory(folder_.path("folder"));
  fs::create_symlink("loop", folder_.path("loop"));
  for (const std::string& path : {folder_.path("fifo"), folder_.path("folder"),
                                  std::string{"/dev/null"}, std::string{"/dev/full"}}) {
    results_ = path;
    expect_one_line(run(GOOD_ADAPTER), "cannot write '" + path + "': it is not a regular file");
  }
  results_ = folder_.path("loop");
  expect_one_line(run(GOOD_ADAPTER), "Too many levels of symbolic links");
  results_ = folder_.path(std::string(250, 'n'));
  expect_one_line(run(GOOD_ADAPTER), "File name too long");
  EXPECT_EQ(files(), 3u);
}

// A device, or the link to where the report is printed.
TEST_F(Outputs, StandardOutputIsNoFileForResults) {
  results_ = "/dev/stdout";
  expect_one_line(run(GOOD_ADAPTER), "two outputs go to '/dev/stdout'");
  EXPECT_TRUE(fs::exists("/dev/stdout"));
}

TEST_F(Outputs, ASecondRunDoesNotWriteWhatAFirstDoes) {
  {
    const FileLock other{results_};
    write_file(results_, "of another run");
    expect_one_line(run(GOOD_ADAPTER), "results.json': another run of dlcert is writing it");
    expect_one_line(run(GOOD_ADAPTER, {"--bogus"}), "--bogus");
    EXPECT_EQ(read_file(results_), "of another run");
  }
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0);
}

TEST_F(Outputs, ARunThatWasKilledLeavesNothingForLong) {
  folder_.write("results.json.dlcert-new", "half");
  folder_.write("results.json.dlcert-lock", "");
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Outputs, AFullStandardOutputIsAnError) {
  const Output output = run_program(
      "/bin/sh", {"-c", "exec \"$@\" > /dev/full", "sh", DLCERT_PROGRAM, "run",
                  "lifetime.deleter.exactly-once", "--cases", "5", "--adapter", GOOD_ADAPTER});
  expect_one_line(output, "cannot write to standard output: No space left on device");
}

TEST_F(Outputs, ClosedStandardStreamsChangeNothing) {
  for (const char* const closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"})
    for (const char* const adapter : {GOOD_ADAPTER, DELETES_TWICE_ADAPTER}) {
      const Output output =
          run_program("/bin/sh", {"-c", std::string{"exec \"$@\" "} + closed, "sh", DLCERT_PROGRAM,
                                  "run", "lifetime.deleter.exactly-once", "--cases", "5",
                                  "--adapter", adapter, "--results", results_});
      EXPECT_EQ(output.exit_code, adapter == std::string_view{GOOD_ADAPTER} ? 0 : 1) << closed;
      EXPECT_TRUE(complete());
    }
}

TEST_F(Outputs, OnlyCounterexamplesOfDlcertAreRemoved) {
  EXPECT_EQ(run(DELETES_TWICE_ADAPTER).exit_code, 1);
  const fs::path mine = fs::path{saved_} / "mine.c";
  write_file(mine, "precious");
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_EQ(read_file(mine), "precious");
  EXPECT_EQ(std::ranges::distance(fs::directory_iterator{saved_}, fs::directory_iterator{}), 2)
      << "and a list of what is dlcert's: nothing";
}

TEST_F(Outputs, AFolderThatDlcertDidNotWriteIsLeftAlone) {
  const fs::path elsewhere = folder_.path("elsewhere");
  fs::create_directory(elsewhere);
  write_file(elsewhere / "mine.c", "precious");
  fs::create_symlink(elsewhere, saved_);
  expect_one_line(run(DELETES_TWICE_ADAPTER), "contains files that dlcert did not write");
  EXPECT_EQ(read_file(elsewhere / "mine.c"), "precious");
  fs::remove(elsewhere / "mine.c");
  EXPECT_EQ(run(DELETES_TWICE_ADAPTER).exit_code, 1) << "an empty one is taken";
  EXPECT_EQ(run(GOOD_ADAPTER).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(saved_));
  EXPECT_TRUE(fs::is_empty(elsewhere));
}

TEST_F(Outputs, ACounterexampleIsReplayedThoughItsPlaceIsWrittenAgain) {
  EXPECT_EQ(run(DELETES_TWICE_ADAPTER).exit_code, 1);
  const std::string saved = saved_ + "/lifetime.deleter.exactly-once-dlcert-deletes_twice.json";
  const Output output = dlcert_program({"run", "--replay", saved, "--results", results_});
  EXPECT_EQ(output.exit_code, 1) << output.out << output.err;
  EXPECT_TRUE(fs::exists(saved));
}

}  // namespace
}  // namespace dlcert
