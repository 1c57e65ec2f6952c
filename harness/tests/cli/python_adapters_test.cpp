// SPDX-License-Identifier: Apache-2.0
//
// Adapters in Python and their interpreter, as the command line names them.
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"

namespace dlcert {
namespace {

class PythonAdapters : public testing::Test {
 protected:
  // One line that holds `part`, and exit code 2.
  static void expect_refused(const std::string& part, const std::vector<std::string>& arguments) {
    SCOPED_TRACE(part);
    const Output output = dlcert_program(arguments);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
    EXPECT_TRUE(contains(output.err, part)) << output.err;
  }

  // An executable file.
  std::string program(const std::string& name, const std::string& lines) const {
    std::string path = folder_.write(name, "#!/bin/sh\n" + lines);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(PythonAdapters, OneThatIsNotThereIsRefusedByEachCommand) {
  for (const char* const command : {"certify", "smoke"}) {
    expect_refused("adapter 'python:nothing': no adapter of that name comes with dlcert",
                   {command, "--adapter", "python:nothing"});
    expect_refused("adapter 'python:./gone.py': no such file",
                   {command, "--adapter", "python:./gone.py"});
    expect_refused("expected python:NAME, python:./FILE.py or python:PACKAGE.MODULE",
                   {command, "--adapter", "python:a b"});
  }
}

TEST_F(PythonAdapters, AnInterpreterWithoutOneOfThemIsRefused) {
  expect_refused("--python /usr/bin/python3: expected an adapter 'python:...' beside it",
                 {"certify", "--adapter", GOOD_ADAPTER, "--python", "/usr/bin/python3"});
}

TEST_F(PythonAdapters, TheWorkerRefusesThemAlike) {
  const Output output =
      run_program(DLCERT_WORKER_PROGRAM, {"--local", "--adapter", "python:nothing"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(contains(output.err, "no adapter of that name comes with dlcert")) << output.err;
}

TEST_F(PythonAdapters, DoctorShowsTheInterpreterAndWhatItCanServe) {
  const Output output = dlcert_program({"doctor", "--python", PYTHON});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(contains(output.out, "\npython         /")) << output.out;
  EXPECT_TRUE(contains(output.out, "\nlibpython      ")) << output.out;
  EXPECT_TRUE(contains(output.out, "\npython:NAME    ")) << output.out;
}

TEST_F(PythonAdapters, DoctorSaysWhyAnInterpreterCannotServe) {
  const std::string silent = program("silent", "");
  EXPECT_TRUE(contains(dlcert_program({"doctor", "--python", silent}).out,
                       "\npython         python '" + silent +
                           "': expected an interpreter of Python, but it printed nothing\n"));
  const std::string old = program(
      "old",
      R"(echo 'dlcert-answer:{"program": "/old", "implementation": "cpython", "version": "2.7.18", )"
      R"("major": 2, "minor": 7, "base": "/", "shared_library": "", "mapped": "", "folder": "", )"
      R"("multiarch": "", "free_threaded": false, "packages": {}}')");
  EXPECT_TRUE(contains(dlcert_program({"doctor", "--python", old}).out,
                       "\npython         /old 2.7.18\nlibpython      python '/old': expected "
                       "CPython 3.10 to 3.14 but found CPython 2.7.18\n"));
}

}  // namespace
}  // namespace dlcert
