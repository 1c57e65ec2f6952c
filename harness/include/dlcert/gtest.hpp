// SPDX-License-Identifier: Apache-2.0
//
// Runs the requirements as tests of your own GoogleTest program, one test each. The program
// `dlcert` judges them:
//
//   int main(int argc, char** argv) {
//     testing::InitGoogleTest(&argc, argv);
//     dlcert::register_certification("./acme_adapter.so");
//     return RUN_ALL_TESTS();
//   }
//
// Link dlcert::gtest. This CMake target exists if CMake finds GoogleTest, and it knows the path of
// `dlcert`. Without the target, the shell finds `dlcert`, or you set CertificationOptions::program.
//
// Tests are named "<suite>.<requirement>". A hyphen of an ID becomes _, because --gtest_filter
// would misread it. The first test that runs has `dlcert` certify the adapter, or under a filter
// judge only the selected requirements. Then each test reports the verdict of its requirement:
// - not applicable or not judged: the test is skipped, with the reason;
// - a SHOULD or MAY fails: the test passes, prints the warning, and has the property "warning".
//
// "<suite>.certify" fails for failures that belong to no requirement, such as a role without
// evidence, or a library that dies outside of checks. The library is never loaded into this
// process.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if !defined(DLCERT_PROGRAM)
#define DLCERT_PROGRAM "dlcert"
#endif

namespace dlcert {

struct CertificationOptions {
  std::string suite = "Certification";   // the test suite's name; each adapter needs its own
  std::string program = DLCERT_PROGRAM;  // a path, or a name that the shell finds
  std::vector<std::string> arguments{};  // more options of `dlcert certify`: {"--cases", "100"}
};

namespace gtest_detail {

struct Output {
  int exit_code = -1;  // -1: the program did not exit by itself
  std::string text;    // standard output and standard error
};

// The name of the test for failures that belong to no requirement.
inline constexpr const char* whole = "certify";

inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text)
    word += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return word + "'";
}

// Runs a program and waits for it. The program is a direct child of this process (`exec`), because
// dlcert recognizes its invocation by its parent. Throws std::runtime_error if no shell starts.
inline Output run(const std::vector<std::string>& command) {
  std::string line = "exec";
  for (const std::string& word : command)
    line += " " + shell_word(word);
  Output output;
  FILE* const pipe = popen((line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error{"cannot start a shell"};
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  return output;
}

// The certification of one adapter. It runs when the first of its tests needs it. Its results lie
// in a temporary folder, which is removed with the tests.
class Certification {
 public:
  Certification(std::string adapter, CertificationOptions options)
      : adapter_{std::move(adapter)}, options_{std::move(options)} {
    std::string folder = (std::filesystem::temp_directory_path() / "dlcert-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      throw std::runtime_error{"cannot make a folder like '" + folder + "'"};
    folder_ = folder;
  }
  Certification(const Certification&) = delete;
  Certification& operator=(const Certification&) = delete;
  ~Certification() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // Registers which requirement the test of that name reports.
  void add(const std::string& name, const std::string& requirement) {
    requirements_.emplace(name, requirement);
  }

  // Returns the requirements that have a check. Throws std::runtime_error if the program fails.
  std::vector<std::string> listed() const {
    const Output list = run({options_.program, "list", "--tested"});
    if (list.exit_code != 0)
      throw std::runtime_error{"'" + options_.program + " list' failed: " + list.text};
    std::vector<std::string> ids;
    std::istringstream lines{list.text};
    for (std::string line; std::getline(lines, line);)
      ids.push_back(line.substr(0, line.find(' ')));
    return ids;
  }

  // Returns the output of `dlcert verdict` for the requirement.
  Output verdict(const std::string& requirement) {
    certified();
    return run(command({"verdict", requirement}));
  }

  // Returns the output of the certification, which it runs at the first call.
  const Output& certified() {
    if (!std::exchange(started_, true)) certified_ = run(certification());
    return certified_;
  }

 private:
  std::vector<std::string> command(std::vector<std::string> words) const {
    words.insert(words.begin(), options_.program);
    words.insert(words.end(),
                 {"--adapter", adapter_, "--results", (folder_ / "results.json").string()});
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    return words;
  }

  // Returns the command that judges all requirements if the test `whole` runs, else the command
  // that judges those that --gtest_filter and sharding select.
  std::vector<std::string> certification() const {
    const testing::TestSuite* suite = nullptr;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i)
      if (all.GetTestSuite(i)->name() == options_.suite) suite = all.GetTestSuite(i);
    std::vector<std::string> words{"run"};
    for (int i = 0; suite != nullptr && i < suite->total_test_count(); ++i) {
      const testing::TestInfo& test = *suite->GetTestInfo(i);
      if (!test.should_run()) continue;
      if (test.name() == std::string{whole}) return command({"certify", "--fixture"});
      words.push_back(requirements_.at(test.name()));
    }
    return command(std::move(words));
  }

  std::string adapter_;
  CertificationOptions options_;
  std::filesystem::path folder_;
  std::map<std::string, std::string> requirements_;  // by test name
  bool started_ = false;
  Output certified_;
};

class WholeTest : public testing::Test {
 public:
  explicit WholeTest(std::shared_ptr<Certification> certification)
      : certification_{std::move(certification)} {}

  void TestBody() override {
    const Output& judged = certification_->certified();
    // Failed requirements stand before this line and have their own tests.
    const std::size_t verdict = judged.text.rfind("not certified");
    EXPECT_EQ(0, judged.exit_code)
        << (verdict == std::string::npos ? judged.text : judged.text.substr(verdict));
  }

 private:
  std::shared_ptr<Certification> certification_;
};

class RequirementTest : public testing::Test {
 public:
  RequirementTest(std::shared_ptr<Certification> certification, std::string requirement)
      : certification_{std::move(certification)}, requirement_{std::move(requirement)} {}

  void TestBody() override {
    constexpr int not_applicable = 77;
    const Output judged = certification_->verdict(requirement_);
    if (judged.exit_code == not_applicable) GTEST_SKIP() << judged.text;
    EXPECT_EQ(0, judged.exit_code) << judged.text;
    if (judged.text.rfind("warning: ", 0) == 0) {
      RecordProperty("warning", judged.text);
      std::fputs(judged.text.c_str(), stdout);
    }
  }

 private:
  std::shared_ptr<Certification> certification_;
  std::string requirement_;
};

}  // namespace gtest_detail

// Registers a test for each requirement that dlcert tests, and the test `certify` for failures that
// belong to no requirement. `adapter` is the path of an adapter module; the first test that runs
// opens it. Call this before RUN_ALL_TESTS, once for each adapter, each with its own options.suite.
// Throws std::runtime_error if the program cannot run or if no temporary folder can be made.
inline void register_certification(const std::string& adapter,
                                   const CertificationOptions& options = {}) {
  const auto certification = std::make_shared<gtest_detail::Certification>(adapter, options);
  testing::RegisterTest(
      options.suite.c_str(), gtest_detail::whole, nullptr, nullptr, __FILE__, __LINE__,
      [certification]() -> testing::Test* { return new gtest_detail::WholeTest{certification}; });
  for (const std::string& requirement : certification->listed()) {
    std::string name = requirement;
    std::replace(name.begin(), name.end(), '-', '_');
    certification->add(name, requirement);
    testing::RegisterTest(options.suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [certification, requirement]() -> testing::Test* {
                            return new gtest_detail::RequirementTest{certification, requirement};
                          });
  }
}

}  // namespace dlcert
