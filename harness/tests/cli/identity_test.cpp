// SPDX-License-Identifier: Apache-2.0
//
// `dlcert verdict` believes the results of a certification only for what was certified: after
// anything was rebuilt or asked for otherwise, it runs the requirement itself.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr const char* rule = "lifetime.deleter.exactly-once";

class Identified : public testing::Test {
 protected:
  Identified() { install(GOOD_ADAPTER, adapter_); }

  // By rename, as builds do.
  static void install(const fs::path& from, const fs::path& to) {
    fs::copy_file(from, to.string() + ".new", fs::copy_options::overwrite_existing);
    fs::rename(to.string() + ".new", to);
  }

  Output command(std::vector<std::string> words) const {
    words.insert(words.end(), {"--adapter", adapter_, "--results", results_, "--area", "lifetime"});
    words.insert(words.end(), options_.begin(), options_.end());
    return dlcert_program(words);
  }
  void certify() const {
    const Output output = command({"certify", "--fixture"});
    ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
  }
  Output verdict() const { return command({"verdict", rule}); }

  // Neither believed nor silent.
  void expect_alone(std::string_view why, int exit_code) const {
    const Output output = verdict();
    EXPECT_TRUE(contains(output.err, "so dlcert runs the requirement itself")) << output.err;
    EXPECT_TRUE(contains(output.err, why)) << output.err;
    EXPECT_EQ(output.exit_code, exit_code) << output.out << output.err;
  }

  TemporaryFolder folder_;
  std::string adapter_ = folder_.path("adapter.so");
  std::string results_ = folder_.path("results.json");
  std::vector<std::string> options_{"--cases", "5"};
};

TEST_F(Identified, WhatWasCertifiedIsBelieved) {
  certify();
  const Output output = verdict();
  EXPECT_EQ(output.exit_code, 0) << output.out;
  EXPECT_EQ(output.err, "");
  install(GOOD_ADAPTER, adapter_);
  EXPECT_EQ(verdict().err, "") << "built again, with the same bytes";
}

TEST_F(Identified, ARebuiltAdapterIsNot) {
  certify();
  install(DELETES_TWICE_ADAPTER, adapter_);
  expect_alone("adapter.so' has changed", 1);
}

TEST_F(Identified, AnAdapterRebuiltInPlaceIsNot) {
  certify();
  const auto time = fs::last_write_time(adapter_);
  fs::copy_file(DELETES_TWICE_ADAPTER, adapter_, fs::copy_options::overwrite_existing);
  fs::last_write_time(adapter_, time);
  expect_alone("adapter.so' has changed", 1);
}

TEST_F(Identified, ARebuiltLibraryBehindTheAdapterIsNot) {
  const std::string library = folder_.path("library.so");
  install(INDIRECT_ADAPTER, adapter_);
  install(GOOD_ADAPTER, library);
  certify();
  EXPECT_EQ(verdict().err, "");
  install(DELETES_TWICE_ADAPTER, library);
  expect_alone("module '" + library + "' has changed", 1);
  fs::remove(library);
  EXPECT_EQ(verdict().exit_code, 2);
}

TEST_F(Identified, ARebuiltLibraryThatIsOpenedWhenItIsUsedIsNot) {
  const std::string library = folder_.path("values.so");
  install(NARROW_OPENS_LATER, adapter_);
  install(GOOD_ADAPTER, library);
  certify();
  EXPECT_EQ(verdict().err, "");
  install(DELETES_TWICE_ADAPTER, library);
  expect_alone("module '" + library + "' has changed", 0);
}

TEST_F(Identified, OtherOptionsAreNot) {
  certify();
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--seed", "2"},
                                               {"--repeat", "2"},
                                               {"--spec", "1.0"},
                                               {"--runtime", "torch-2.4"},
                                               {"--policy", "major-zero=accept"},
                                               {"--strict"},
                                               {"--memory", "999"},
                                               {"--case-seconds", "6"},
                                               {"--level", "MUST"},
                                               {"--driver", "simulated"}}) {
    options_ = {"--cases", "5"};
    options_.insert(options_.end(), more.begin(), more.end());
    expect_alone("no " + more.front() + ", but this run has " + more.front(), 0);
  }
  options_ = {"--cases", "6"};
  expect_alone("--cases 5, but this run has --cases 6", 0);
  options_ = {"--cases", "5", "--jobs", "1"};
  EXPECT_EQ(verdict().err, "") << "no verdict depends on the number of workers";
}

TEST_F(Identified, OtherWaiversAreNot) {
  const auto waive = [&](const std::string& message) {
    return folder_.write("w.toml",
                         "[[waiver]]\nrequirement = \"" + std::string{rule} +
                             "\"\nimplementation = \"deletes_twice\"\nversions = \"*\"\n"
                             "message = \"" +
                             message +
                             "\"\nreason = \"known since spring\"\nowner = \"the core team\"\n"
                             "expires = 2999-01-01\n");
  };
  install(DELETES_TWICE_ADAPTER, adapter_);
  options_.insert(options_.end(), {"--waivers", waive("but found 2")});
  certify();
  EXPECT_EQ(verdict().err, "");
  Results earlier = results_from_json(read_file(results_));
  earlier.started = "2020-01-01T00:00:00Z";
  write_file(results_, to_json(earlier));
  expect_alone("from another day", 0);
  certify();
  waive("something else");
  expect_alone("w.toml' has changed", 1);
}

TEST_F(Identified, AnotherWorkerIsNot) {
  const std::string worker = folder_.path("worker");
  const auto write_worker = [&](const char* line) {
    folder_.write("worker", "#!/bin/sh\n" + std::string{line} + "\nexec '" + DLCERT_WORKER_PROGRAM +
                                "' \"$@\"\n");
    fs::permissions(worker, fs::perms::owner_all);
  };
  write_worker("");
  options_.insert(options_.end(), {"--worker", worker});
  certify();
  EXPECT_EQ(verdict().err, "");
  write_worker("# rebuilt");
  expect_alone("worker '" + worker + "' has changed", 0);
}

TEST_F(Identified, AnotherEnvironmentIsNot) {
  certify();
  setenv("LIBRARY_DEBUG", "1", 1);
  expect_alone("another environment", 0);
  unsetenv("LIBRARY_DEBUG");
  setenv("CTEST_INTERACTIVE_DEBUG_MODE", "1", 1);
  EXPECT_EQ(verdict().err, "");
  unsetenv("CTEST_INTERACTIVE_DEBUG_MODE");
}

TEST_F(Identified, ResultsThatCannotBeReadAreNot) {
  certify();
  folder_.write("results.json", "{");
  expect_alone("not JSON", 0);
}

TEST_F(Identified, ARunOfOtherRequirementsIsNot) {
  ASSERT_EQ(command({"run", "lifetime.memory-valid-until-deleter"}).exit_code, 0);
  expect_alone("cover other requirements", 0);
  ASSERT_EQ(command({"run", rule}).exit_code, 0);
  EXPECT_EQ(verdict().err, "");
}

TEST_F(Identified, AnAdapterThatIsReplacedWhileItIsCertifiedHasNoVerdict) {
  options_ = {"--cases", "20000"};
  std::future<Output> run = std::async(std::launch::async, [&] { return command({"certify"}); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!fs::exists(results_) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  install(DELETES_TWICE_ADAPTER, adapter_);
  const Output output = run.get();
  EXPECT_EQ(output.exit_code, 2) << output.out;
  EXPECT_EQ(output.err, "dlcert: adapter '" + adapter_ + "' was replaced during the run\n");
  EXPECT_FALSE(results_from_json(read_file(results_)).complete);
}

TEST_F(Identified, TestsOfEveryRequirementAreRegistered) {
  const auto certify_with = [&](const std::string& list) {
    return command({"certify", "--fixture", "--registered", folder_.write("tests.txt", list)});
  };
  std::string all;
  const Output list = dlcert_program({"list", "--tested"});
  const Output none = certify_with("");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_TRUE(contains(none.err, "requirements but found 0")) << none.err;

  const std::string written = read_file(REGISTERED_TESTS);
  EXPECT_EQ(certify_with(written).exit_code, 0);
  const std::string line = std::string{rule} + " MUST\n";
  std::string shorter = written, lower = written;
  ASSERT_NE(written.find(line), std::string::npos);
  shorter.erase(written.find(line), line.size());
  EXPECT_EQ(certify_with(shorter).exit_code, 3);
  EXPECT_TRUE(contains(certify_with(shorter).err, "differ in '" + std::string{rule}));
  lower.replace(written.find(line), line.size(), std::string{rule} + " MAY\n");
  EXPECT_EQ(certify_with(lower).exit_code, 3);
}

}  // namespace
}  // namespace dlcert
