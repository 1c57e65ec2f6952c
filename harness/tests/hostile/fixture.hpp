// SPDX-License-Identifier: Apache-2.0
//
// A test of the hostile library, with what it shall have left behind: nothing.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <dlcert/suite/process_tree.hpp>

#include "certification.hpp"
#include "sanitizers.hpp"

namespace dlcert::hostile {

// How a fault ends a process: a sanitizer reports it and exits.
inline constexpr std::string_view by_fault = sanitized ? "ended early" : "ended by SIG";

inline constexpr std::size_t all_checks = 7;  // of each of the two suites

class Hostile : public testing::Test {
 protected:
  Hostile() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that nothing hides by losing its parent
    std::string name = (std::filesystem::temp_directory_path() / "dlcert-hostile-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    mark_ = "DLCERT_HOSTILE_STATE=" + state().string();
    setenv("DLCERT_HOSTILE_STATE", state().c_str(), 1);
  }
  void TearDown() override {
    EXPECT_EQ(left_behind(), 0u);
    EXPECT_TRUE(children_of(getpid()).empty());
    std::filesystem::remove_all(folder_);
  }

  static void behave_as(const char* variant) { setenv("DLCERT_HOSTILE", variant, 1); }
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path results_file() const { return folder_ / "results.json"; }
  std::size_t left_behind() const { return processes_with(mark_).size(); }

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

  // Passes with all of its cases; it may have been slow, as machines are.
  static void expect_untouched(const Results& results, std::string_view requirement) {
    const CheckResult check = check_of(results, requirement);
    EXPECT_EQ(to_text(check.verdict), to_text(Verdict::pass))
        << requirement << ": " << check.record.message << check.reason << "\n"
        << check.output;
    EXPECT_GT(check.record.cases, 0u) << requirement;
    EXPECT_EQ(check.record.cases, check.record.requested) << requirement;
  }

  static void expect_all_untouched_but(const Results& results, std::string_view provoked) {
    EXPECT_TRUE(results.complete);
    EXPECT_EQ(results.results.size(), all_checks);
    for (const RequirementResult& result : results.results)
      if (result.requirement != provoked) expect_untouched(results, result.requirement);
  }

  // The result of the check that the variant is provoked by; the others must be untouched.
  static CheckResult provoke(const char* variant, const RunOptions& options = test_options()) {
    behave_as(variant);
    const Results results = certify(options, {});
    expect_all_untouched_but(results, "hostile.provoke");
    return check_of(results, "hostile.provoke");
  }

  std::filesystem::path folder_;
  std::string mark_;
};

}  // namespace dlcert::hostile
