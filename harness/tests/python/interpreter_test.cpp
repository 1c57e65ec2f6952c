// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "planted.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class InterpreterTest : public Planted {
 protected:
  // Why the planted interpreter cannot serve.
  std::string problem(const nlohmann::json& answer) const {
    const std::string python = interpreter(answer);
    return refusal([&] { serving(ask_python(python)); });
  }
};

// ---- which program ------------------------------------------------------------------------------

TEST_F(InterpreterTest, TheOneThatIsGivenByItsPath) {
  const std::string python = program("python", "");
  EXPECT_EQ(find_python(python), python);
  fs::current_path(folder_);
  EXPECT_EQ(find_python("./python"), (fs::current_path() / "./python").string());
}

TEST_F(InterpreterTest, OfAVirtualEnvironmentTheLinkAndNotWhatIsBehindIt) {
  fs::create_symlink(program("real/python", ""), folder_ / "python");
  EXPECT_EQ(find_python((folder_ / "python").string()), (folder_ / "python").string());
}

TEST_F(InterpreterTest, TheFirstOfThatNameOnPath) {
  write("a/snake", "not executable");
  const std::string python = program("b/snake", "");
  program("c/snake", "");
  const std::string base = folder_.string();
  setenv("PATH", (base + "/a:" + base + "/b:" + base + "/c").c_str(), 1);
  EXPECT_EQ(find_python("snake"), python);
  EXPECT_EQ(refusal([] { find_python("cobra"); }),
            "python 'cobra': no such program on PATH: give one with --python");
}

TEST_F(InterpreterTest, WithoutOneThatOfTheActiveEnvironmentElsePython3) {
  const std::string on_path = program("bin/python3", ""), active = program("venv/bin/python", "");
  setenv("PATH", (folder_ / "bin").c_str(), 1);
  EXPECT_EQ(find_python(""), on_path);
  const std::string of_wheel = program("wheel/python", "");
  setenv("DLCERT_PYTHON", of_wheel.c_str(), 1);
  EXPECT_EQ(find_python(""), of_wheel) << "that started the command of a wheel";
  setenv("VIRTUAL_ENV", (folder_ / "venv").c_str(), 1);
  EXPECT_EQ(find_python(""), active);
  EXPECT_EQ(find_python("python3"), on_path) << "what is given comes first";
  setenv("VIRTUAL_ENV", "/gone", 1);
  EXPECT_EQ(refusal([] { find_python(""); }),
            "python '/gone/bin/python': no such program in the active virtual environment "
            "(VIRTUAL_ENV)");
  unsetenv("DLCERT_PYTHON");
}

TEST_F(InterpreterTest, AFileThatIsNoneIsRefusedByItsName) {
  const std::string text = write("text", "");
  program("venv/bin/python", "");
  const std::string venv = (folder_ / "venv").string();
  EXPECT_EQ(refusal([&] { find_python(text); }), "python '" + text + "': not an executable file");
  EXPECT_EQ(refusal([] { find_python("/no/python"); }), "python '/no/python': no such file");
  EXPECT_EQ(refusal([&] { find_python(venv); }),
            "python '" + venv + "': expected a program but found a folder: give '" + venv +
                "/bin/python'");
}

// ---- what it answers ----------------------------------------------------------------------------

TEST_F(InterpreterTest, ItIsAskedOnce) {
  const std::string count = (folder_ / "count").string();
  const std::string python =
      program("python", "echo asked >> " + count + "\n" +
                            lines_that_print("dlcert-answer:" + answer().dump()));
  EXPECT_EQ(ask_python(python).version, "3.12.1");
  EXPECT_EQ(fs::file_size(count), 6u);
}

TEST_F(InterpreterTest, WhatStartUpFilesPrintDoesNotHideTheAnswer) {
  const std::string noise = "printf 'hello from sitecustomize '\necho warning: old >&2\n";
  const std::string python =
      program("python", noise + lines_that_print("x dlcert-answer:" + answer().dump() + "\nbye"));
  EXPECT_EQ(ask_python(python).program, own_program());
}

TEST_F(InterpreterTest, WhatHangsIsEndedWithWhatItStarted) {
  const std::string started = (folder_ / "started").string();
  const std::string python = program("python", "sleep 1000 &\necho $! > " + started + "\nwait\n");
  EXPECT_EQ(refusal([&] { ask_python(python, {}, 500ms); }),
            "python '" + python + "': expected an answer within 0.5 s but found none");
  pid_t sleeper = 0;
  std::ifstream{started} >> sleeper;
  ASSERT_GT(sleeper, 0);
  // It is nobody's child here: a process may take a moment to be gone.
  for (int i = 0; i < 500 && kill(sleeper, 0) == 0; ++i)
    usleep(10'000);
  std::string state;
  std::ifstream stat{"/proc/" + std::to_string(sleeper) + "/stat"};
  for (int field = 0; field < 3; ++field)
    stat >> state;
  EXPECT_TRUE(!stat || state == "Z") << "it lives: " << state;
}

TEST_F(InterpreterTest, WhatPrintsForeverIsEnded) {
  const std::string python = program("python", "yes");
  EXPECT_TRUE(contains(refusal([&] { ask_python(python, {}, 300ms); }), "within 0.3 s"));
}

TEST_F(InterpreterTest, WhatIsNoPythonIsRefusedWithWhatItPrinted) {
  const std::string silent = program("silent", ""),
                    talks = program("talks", "echo; echo 'usage: talks FILE'; exit 3");
  EXPECT_EQ(refusal([&] { ask_python(silent); }),
            "python '" + silent + "': expected an interpreter of Python, but it printed nothing");
  EXPECT_EQ(refusal([&] { ask_python(talks); }),
            "python '" + talks +
                "': expected an interpreter of Python, but it printed 'usage: talks FILE'");
  const std::string broken = write("broken", "\x7f\x45LF");
  fs::permissions(broken, fs::perms::owner_all);
  EXPECT_TRUE(contains(refusal([&] { ask_python(broken); }), "cannot be started"));
}

TEST_F(InterpreterTest, AnAnswerThatIsNoneIsRefused) {
  for (const char* const text : {"", "{", "{}", "[1]", "{\"program\": 3}", "\xff"})
    EXPECT_TRUE(contains(refusal([&] {
                           ask_python(program(
                               "python", lines_that_print(std::string{"dlcert-answer:"} + text)));
                         }),
                         "its answer cannot be understood: "))
        << text;
}

TEST_F(InterpreterTest, TheOneOfThisMachineAnswers) {
  const InterpreterAnswer python = ask_python(PYTHON, {"json", "no_such_package"});
  EXPECT_EQ(python.implementation, "cpython");
  EXPECT_EQ(python.major, 3);
  EXPECT_TRUE(python.version.starts_with("3." + std::to_string(python.minor))) << python.version;
  EXPECT_TRUE(fs::path{python.program}.is_absolute()) << python.program;
  EXPECT_EQ(python.packages, (std::map<std::string, std::string>{{"json", ""}}));
}

TEST_F(InterpreterTest, FilesOfTheWorkingFolderAreNotItsModules) {
  write("json.py", "raise SystemExit('the wrong json')");
  write("sysconfig.py", "raise SystemExit('the wrong sysconfig')");
  fs::current_path(folder_);
  EXPECT_EQ(ask_python(PYTHON).major, 3);
  EXPECT_FALSE(fs::exists(folder_ / "__pycache__"));
}

// ---- whether it can serve -----------------------------------------------------------------------

TEST_F(InterpreterTest, AnotherVersionIsRefused) {
  nlohmann::json other = answer();
  const auto expect = [&](int major, int minor, const std::string& version) {
    other["major"] = major;
    other["minor"] = minor;
    other["version"] = version;
    EXPECT_EQ(problem(other),
              fmt::format("python '{}': expected CPython 3.10 to 3.14 but found CPython {}",
                          own_program(), version));
  };
  expect(2, 7, "2.7.18");
  expect(3, 9, "3.9.18");
  expect(3, 15, "3.15.0a1");
  expect(4, 0, "4.0.0");
  for (const int minor : {10, 14}) {
    other["major"] = 3;
    other["minor"] = minor;
    EXPECT_EQ(problem(other), "none") << minor;
  }
}

TEST_F(InterpreterTest, AnotherImplementationIsRefused) {
  nlohmann::json other = answer();
  other["implementation"] = "pypy";
  EXPECT_TRUE(contains(problem(other), "expected CPython 3.10 to 3.14 but found pypy 3.12.1"));
}

TEST_F(InterpreterTest, AFreeThreadedBuildIsRefused) {
  nlohmann::json other = answer();
  other["free_threaded"] = true;
  EXPECT_TRUE(contains(problem(other), "found a free-threaded build, 3.12.1"));
}

// The worker is loaded into its program.
TEST_F(InterpreterTest, AProgramThatLoadsNothingIsRefused) {
  nlohmann::json other = answer();
  other["program"] = write("bin/static", "");
  EXPECT_EQ(
      problem(other),
      fmt::format("python '{0}': no worker can run inside it: '{0}' is not a program: neither "
                  "ELF nor a script that begins with #!",
                  (folder_ / "bin/static").string()));
}

TEST_F(InterpreterTest, AScriptIsRefused) {
  nlohmann::json other = answer();
  other["program"] = program("bin/wrapper", "exec python3");
  EXPECT_EQ(problem(other), "python '" + (folder_ / "bin/wrapper").string() +
                                "': expected the interpreter's own program but found a script");
}

TEST_F(InterpreterTest, ItsCodeIsInItsProgramOrInTheLibraryThatItUses) {
  const Interpreter python = serving(ask_python(PYTHON));
  EXPECT_TRUE(fs::is_regular_file(python.code)) << python.code;
  EXPECT_TRUE(contains(python.code, "python3")) << python.code;
}

}  // namespace
}  // namespace dlcert
