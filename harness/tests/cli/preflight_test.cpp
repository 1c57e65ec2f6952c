// SPDX-License-Identifier: Apache-2.0
//
// What an adapter does wrong ends the run before any rule is blamed, and is named; what may be the
// library's fault is shown, and the run goes on.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"

namespace dlcert {
namespace {

class Preflight : public testing::Test {
 protected:
  ~Preflight() override { unsetenv("DLCERT_MISTAKE"); }

  static Output run_with(const char* mistake, std::vector<std::string> more = {}) {
    setenv("DLCERT_MISTAKE", mistake, 1);
    std::vector<std::string> arguments{
        "run", "lifetime.deleter.exactly-once", "--adapter", MISTAKEN_ADAPTER, "--cases", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return dlcert_program(arguments);
  }

  static void expect_fault(const char* mistake, std::string_view told, std::string_view spec) {
    const Output output = run_with(mistake);
    EXPECT_EQ(output.exit_code, 2) << mistake << "\n" << output.out << output.err;
    EXPECT_TRUE(contains(output.err, "the preflight found a fault of the adapter")) << output.err;
    const std::string headline = output.err.substr(0, output.err.find('\n'));
    EXPECT_TRUE(contains(headline, told)) << mistake << "\n" << output.err;
    EXPECT_TRUE(contains(headline, spec)) << mistake << "\n" << output.err;
    EXPECT_TRUE(contains(output.err, "--no-preflight")) << output.err;
    EXPECT_EQ(output.out, "") << "nothing is judged";
  }

  static void expect_goes_on(const char* mistake, std::string_view shown) {
    const Output output = run_with(mistake);
    EXPECT_NE(output.exit_code, 2) << mistake << "\n" << output.err;
    EXPECT_TRUE(contains(output.err, "dlcert: preflight: mistaken: ")) << output.err;
    EXPECT_TRUE(contains(output.err, shown)) << mistake << "\n" << output.err;
  }
};

TEST_F(Preflight, AnAdapterWithoutMistakesIsNotStopped) {
  const Output output = run_with("none");
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_EQ(output.err, "");
}

TEST_F(Preflight, AnAdapterThatReadsColumnMajorIsToldSo) {
  for (const char* const mistake : {"create column-major", "read column-major"})
    expect_fault(mistake, "create and read: one of them takes the elements in column-major order",
                 "shape=[2, 3]");
  expect_fault("both column-major",
               "create and describe: one of them takes the elements in column-major order",
               "shape=[2, 3]");
  expect_fault("describe reversed", "extents are described in reversed order", "shape=[2, 3]");
}

TEST_F(Preflight, UnitsThatAreTakenForBytesAreTold) {
  expect_fault("byte strides", "strides, offset and storage_size are taken in bytes", "int16");
  expect_fault("describe byte strides", "strides are described in bytes", "int16");
  expect_fault("byte offset", "described offset bytes after the start of the storage", "offset=8");
}

TEST_F(Preflight, ElementsThatAreNotAsAskedForAreTold) {
  expect_fault("swap", "swaps the bytes of each element", "int16");
  expect_fault("wide bool", "a bool is taken as 4 bytes", "bool");
  expect_fault("describe dtype", "no tensor is described with the dtype", "int8");
}

TEST_F(Preflight, AReadThatWritesTooLittleIsTold) {
  expect_fault("read nothing", "leaves bytes of the buffer as they were", "int8");
  expect_fault("read elements", "taken as a number of elements", "int16");
}

TEST_F(Preflight, TensorsThatAreClaimedAndCannotBeFormedAreTold) {
  expect_fault("form nothing", "create: the adapter claims tensors by `can`, but reports that none",
               "can be formed");
}

TEST_F(Preflight, WhoMeansItIsJudgedNevertheless) {
  const Output output = run_with("read nothing", {"--no-preflight"});
  EXPECT_NE(output.exit_code, 2) << output.out << output.err;
  EXPECT_FALSE(contains(output.err, "preflight")) << output.err;
}

TEST_F(Preflight, WhatMayBeTheLibrarysFaultIsShownAndLeftToTheChecks) {
  expect_goes_on("swap int32", "read after create: expected");
  expect_goes_on("refuse", "create: refused: ValueError: not today");
  expect_goes_on(
      "crash in create",
      "the preflight stopped early; the checks judge the rest: ended by SIGABRT in create: int8");
}

TEST_F(Preflight, AMissingDeclarationOfOwnershipIsNamed) {
  expect_goes_on("undeclared ownership", "DLCERT_FAILED_IMPORT_CONSUMES");
}

// Of the processor: whatever else the machine does.
TEST_F(Preflight, TakesLessThanTwoSeconds) {
  const auto seconds = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  };
  const double before = seconds();
  const Output output = run_with("read nothing");
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_LT(seconds() - before, 2);
}

TEST_F(Preflight, ClaimsOfEachRoleStandInTheResults) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results.json");
  const Output output = run_with("none", {"--results", path});
  ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
  const AdapterInfo adapter = results_from_json(read_file(path)).adapters.at(0);
  ASSERT_TRUE(adapter.claims.has_value());
  const auto claims = [&](const char* role, std::string_view kind) {
    const std::vector<std::string>& kinds = adapter.claims->at(role);
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  EXPECT_TRUE(claims("producer", "cpu-reversed"));
  EXPECT_TRUE(claims("producer", "bool"));
  EXPECT_TRUE(claims("producer", "int64"));
  EXPECT_TRUE(claims("consumer", "cpu-reversed"));
  EXPECT_FALSE(claims("consumer", "bool")) << "can_import says so";
  EXPECT_FALSE(claims("producer", "complex"));
  ASSERT_EQ(run_with("none", {"--results", path, "--no-preflight"}).exit_code, 0);
  EXPECT_FALSE(results_from_json(read_file(path)).adapters.at(0).claims.has_value());
}

TEST_F(Preflight, ALibraryThatClaimsNextToNothingIsTriedToTheEnd) {
  for (const char* adapter : {NARROW_CLAIMS_NOTHING, NARROW_ONE_VECTOR, NARROW_FORMS_NOTHING}) {
    const Output output = dlcert_program({"smoke", "--adapter", adapter});
    EXPECT_FALSE(contains(output.out, "not done")) << output.out;
    EXPECT_TRUE(contains(output.out, "claims as consumer: ")) << output.out;
  }
}

TEST_F(Preflight, SmokeShowsItsTable) {
  setenv("DLCERT_MISTAKE", "refuse", 1);
  const Output refusing = dlcert_program({"smoke", "--adapter", MISTAKEN_ADAPTER});
  EXPECT_TRUE(contains(refusing.out, "as producer              claimed    made  exported    lost"))
      << refusing.out;
  EXPECT_TRUE(contains(refusing.out, "  cpu compact                 48       0         0      48"))
      << refusing.out;
  EXPECT_TRUE(contains(refusing.out, "  cpu compact                 44       -        44       0"))
      << refusing.out;
  setenv("DLCERT_MISTAKE", "read column-major", 1);
  const Output mistaken = dlcert_program({"smoke", "--adapter", MISTAKEN_ADAPTER});
  EXPECT_EQ(mistaken.exit_code, 2) << mistaken.out << mistaken.err;
  EXPECT_TRUE(contains(mistaken.out, "as producer")) << mistaken.out;
  EXPECT_TRUE(contains(mistaken.err, "column-major")) << mistaken.err;
}

// ---- what an adapter prints when it cannot be used ----------------------------------------------

TEST_F(Preflight, WhatAnUnusableAdapterPrintsIsShownBelowItsError) {
  for (const auto& [way, told] : std::initializer_list<std::pair<const char*, const char*>>{
           {"open", "open: expected status 0 but found 1: no licence"},
           {"null", "does not support major version 1"},
           {"hang", "loading took longer than 2 s"}}) {
    setenv("DLCERT_BROKEN", way, 1);
    const Output output =
        dlcert_program({"certify", "--adapter", BROKEN_TALKS, "--load-seconds", "2"});
    EXPECT_EQ(output.exit_code, 2) << way;
    EXPECT_TRUE(contains(output.err.substr(0, output.err.find('\n')), told)) << output.err;
    EXPECT_TRUE(contains(output.err, "\n  The adapter printed:\n")) << way << "\n" << output.err;
    EXPECT_TRUE(contains(output.err, "see /etc/licence\n")) << way << "\n" << output.err;
    EXPECT_TRUE(contains(output.err, "    licence server:\\x1b[31m no answer\n")) << way << "\n"
                                                                                  << output.err;
  }
}

TEST_F(Preflight, WhatAnAdapterSaysOfItselfEndsItWithWhatWasPrinted) {
  const Output output = run_with("fault");
  EXPECT_EQ(output.exit_code, 2) << output.out;
  EXPECT_EQ(output.err, fmt::format("dlcert: adapter '{}': a fault of the adapter: a typo\n"
                                    "  The adapter printed:\n    Traceback: line 7\n"
                                    "  Nothing was judged.\n",
                                    MISTAKEN_ADAPTER));
  EXPECT_EQ(output.out, "");
}

TEST_F(Preflight, WithoutItTheSameEndsTheRunAndTheResultsSaySo) {
  const TemporaryFolder folder;
  const std::string file = folder.path("results.json");
  const Output output =
      run_with("fault", {"abi.layout.dltensor", "--no-preflight", "--results", file});
  EXPECT_EQ(output.exit_code, 2) << output.out;
  EXPECT_TRUE(contains(output.err, "a fault of the adapter: a typo\n")) << output.err;
  EXPECT_TRUE(contains(output.err, "    Traceback: line 7\n")) << output.err;
  const Results results = results_from_json(read_file(file));
  EXPECT_TRUE(results.complete);
  EXPECT_EQ(results.exit_code, 2);
  ASSERT_TRUE(results.adapter_fault.has_value());
  EXPECT_TRUE(results.adapter_fault->what.ends_with("a fault of the adapter: a typo"));
  EXPECT_EQ(results.adapter_fault->output, "Traceback: line 7\n");
  for (const RequirementResult& result : results.results)
    EXPECT_TRUE(result.verdict == Verdict::not_run || result.verdict == Verdict::not_applicable);
}

}  // namespace
}  // namespace dlcert
