// SPDX-License-Identifier: Apache-2.0
//
// The requirements in a GoogleTest program of your own, one test for each, judged by the runner
// program `dlcert`:
//
//   int main(int argc, char** argv) {
//     testing::InitGoogleTest(&argc, argv);
//     dlcert::register_certification("./acme_adapter.so");
//     return RUN_ALL_TESTS();
//   }
//
// It links dlcert::gtest, a CMake target that is there where GoogleTest is found, and that knows
// where `dlcert` is; without it the shell finds `dlcert`, or CertificationOptions::program names
// it.
//
// Tests are named "<suite>.<requirement>", with _ for the hyphens of an ID, which --gtest_filter
// would misread. The first test that runs has `dlcert` certify the adapter, or under a filter judge
// what was selected; each then reports its requirement's verdict. One that is not applicable is
// skipped with the reason; a SHOULD or MAY that fails is a warning: it passes, prints what failed,
// and has the property "warning". "<suite>.certify" fails for what no requirement tells, as a role
// without evidence or a library that dies outside of checks. The implementation is never loaded
// into this process.
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
  std::string suite = "Certification";   // of the tests' names; one for each adapter
  std::string program = DLCERT_PROGRAM;  // a path, or a name that the shell finds
  std::vector<std::string> arguments{};  // more options of `dlcert certify`: {"--cases", "100"}
};

namespace gtest_detail {

struct Output {
  int exit_code = -1;  // -1: the program did not exit by itself
  std::string text;    // standard output and standard error
};

// The name of the test of what no requirement tells.
inline constexpr const char* whole = "certify";

inline std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text)
    word += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return word + "'";
}

// Runs a program as a child of this process: `exec`, for dlcert knows its invocation by its parent.
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

// One adapter's certification, run when the first of its tests needs it. Its results live in a
// folder of their own, as long as the tests.
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

  // Says which requirement the test of that name reports.
  void add(const std::string& name, const std::string& requirement) {
    requirements_.emplace(name, requirement);
  }

  // The requirements that have a check. Throws std::runtime_error when the program does not work.
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

  // What `dlcert verdict` says of the requirement.
  Output verdict(const std::string& requirement) {
    certified();
    return run(command({"verdict", requirement}));
  }

  // What `dlcert certify` says beside the requirements' verdicts, or `dlcert run` of a selection.
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

  // Of all requirements, or of those that --gtest_filter and shards leave; the test `whole` is
  // about all of them.
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
    // Requirements that failed stand before it, and have tests of their own.
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

// Registers a test for each requirement that dlcert tests, and the test `certify` for what none of
// them tells; `adapter` is the path of an adapter module, which is looked for when the first test
// runs. Call it once for each adapter, before RUN_ALL_TESTS, each with an options.suite of its own.
// Throws std::runtime_error when the program cannot be run or no temporary folder can be made.
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
