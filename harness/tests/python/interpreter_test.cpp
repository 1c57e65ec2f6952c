// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter.hpp"

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
  std::string found_library(const nlohmann::json& answer) const {
    return serving(ask_python(interpreter(answer))).library;
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
  setenv("VIRTUAL_ENV", (folder_ / "venv").c_str(), 1);
  EXPECT_EQ(find_python(""), active);
  EXPECT_EQ(find_python("python3"), on_path) << "what is given comes first";
  setenv("VIRTUAL_ENV", "/gone", 1);
  EXPECT_EQ(refusal([] { find_python(""); }),
            "python '/gone/bin/python': no such program in the active virtual environment "
            "(VIRTUAL_ENV)");
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
  EXPECT_EQ(ask_python(python).program, (folder_ / "bin/python").string());
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
  EXPECT_TRUE(fs::is_directory(python.base)) << python.base;
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
    EXPECT_EQ(problem(other), "python '" + (folder_ / "bin/python").string() +
                                  "': expected CPython 3.10 to 3.14 but found CPython " + version);
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

TEST_F(InterpreterTest, OneWithoutASharedLibraryIsRefused) {
  nlohmann::json other = answer();
  other["shared_library"] = "";
  EXPECT_EQ(problem(other), "python '" + (folder_ / "bin/python").string() +
                                "': 3.12.1 was built without a shared library: build it with "
                                "--enable-shared, or give another interpreter with --python");
}

TEST_F(InterpreterTest, AMissingSharedLibraryIsNamedWithWhereItIsNot) {
  nlohmann::json other = answer();
  other["shared_library"] = "libgone3.12.so.1.0";
  const std::string lib = (folder_ / "lib").string();
  EXPECT_EQ(problem(other), "python '" + (folder_ / "bin/python").string() +
                                "': its shared library libgone3.12.so.1.0 is missing, in " + lib +
                                " and " + lib +
                                "/x86_64-linux-gnu: give another interpreter with --python");
}

TEST_F(InterpreterTest, OfTheSystemsInterpreterThePackageIsNamed) {
  nlohmann::json other = answer();
  other["base"] = "/usr";
  other["folder"] = "/usr/lib/no-such-machine";
  other["shared_library"] = "libgone3.12.so.1.0";
  const std::string remedy = fs::exists("/etc/debian_version")
                                 ? "install the package libpython3.12"
                                 : "install the system package that contains libgone3.12";
  EXPECT_TRUE(contains(problem(other), remedy)) << problem(other);
}

// ---- which file ---------------------------------------------------------------------------------

TEST_F(InterpreterTest, TheLibraryIsThatBelowItsOwnBase) {
  const std::string own = (folder_ / "lib/libplanted3.12.so.1.0").string();
  EXPECT_EQ(found_library(answer()), own);
  nlohmann::json moved = answer();
  moved["folder"] = "/install/lib";  // of the machine where it was built
  EXPECT_EQ(found_library(moved), own);
}

TEST_F(InterpreterTest, TheLibraryIsNotAnotherPythonsWhereThisOneWasBuiltToBeInstalled) {
  const std::string own = write("moved/lib/libplanted3.12.so.1.0", "");
  write("other/lib/libplanted3.12.so.1.0", "");
  nlohmann::json moved = answer();
  moved["base"] = (folder_ / "moved").string();
  moved["folder"] = (folder_ / "other/lib").string();
  EXPECT_EQ(found_library(moved), own);
}

TEST_F(InterpreterTest, TheLibraryMayLieInAFolderOfTheMachine) {
  const std::string library = write("usr/lib/x86_64-linux-gnu/libplanted3.11.so.1.0", "");
  nlohmann::json debian = answer();
  debian["base"] = (folder_ / "usr").string();
  debian["shared_library"] = "libplanted3.11.so.1.0";
  for (const char* const libdir : {"usr/lib/x86_64-linux-gnu", "usr/lib"}) {
    debian["folder"] = (folder_ / libdir).string();
    EXPECT_EQ(found_library(debian), library) << libdir;
  }
}

TEST_F(InterpreterTest, TheLibraryOfAnotherWordSizeIsNotTaken) {
  write("usr/lib/libplanted3.11.so.1.0", "of 32 bits");
  const std::string library = write("usr/lib64/libplanted3.11.so.1.0", "");
  nlohmann::json fedora = answer();
  fedora["base"] = (folder_ / "usr").string();
  fedora["folder"] = (folder_ / "usr/lib64").string();
  fedora["shared_library"] = "libplanted3.11.so.1.0";
  EXPECT_EQ(found_library(fedora), library);
}

TEST_F(InterpreterTest, TheLibraryThatTheProgramRunsOnComesFirst) {
  nlohmann::json running = answer();
  running["mapped"] = write("other/libplanted3.12.so.1.0", "");
  EXPECT_EQ(found_library(running), running["mapped"]);
}

}  // namespace
}  // namespace dlcert
