// SPDX-License-Identifier: Apache-2.0
#include "runner/programs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include <dlcert/suite/process_tree.hpp>
#include <dlcert/suite/program_step.hpp>

#include "report/counterexample.hpp"
#include "sample/sample.hpp"
#include "standalone/python_program.hpp"

namespace dlcert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view includes =
    "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n";

// A main() that prints a line, with the reference another one, and ends so.
std::string program(std::string_view line, std::string_view end, std::string_view reference = {}) {
  return fmt::format(
      "{}int main(int argc, char** argv) {{ (void)argv; "
      "printf(\"%s\\n\", argc == 1 ? \"{}\" : \"{}\"); fflush(stdout); {} }}\n",
      includes, line, reference, end);
}

class Programs : public testing::Test {
 protected:
  Programs() {
    fs::create_directories(folder_);
    options_.case_seconds = 2;
    options_.reference_adapter = folder_;  // anything that is there
  }
  ~Programs() override {
    fs::remove_all(folder_);
    ::setenv("PATH", path_.c_str(), 1);
  }

  // Adds a result with a program; what a worker wrote of the case is `message`.
  CheckResult& add(const std::string& text, Verdict verdict = Verdict::fail,
                   const std::string& message = "1 is not 2") {
    RequirementResult result = sample::result(fmt::format("kept.r{}", results_.results.size()),
                                              Level::must, verdict, message);
    result.checks.front().record.counterexample =
        Counterexample{{}, 0, 0, 0, {"call"}, {call_, judged_}};
    std::ofstream{folder_ / program_file(results_, result, result.checks.front())} << text;
    results_.results.push_back(std::move(result));
    return results_.results.back().checks.front();
  }
  std::string ran(std::size_t index = 0) {
    run_programs(results_, folder_, options_);
    const auto& run = results_.results.at(index).checks.front().program_run;
    return run ? to_text(*run) : "nothing";
  }
  std::string of(const std::string& text, Verdict verdict = Verdict::fail,
                 const std::string& message = "1 is not 2") {
    results_.results.clear();
    add(text, verdict, message);
    return ran();
  }

  const std::string call_ = to_line({.kind = ProgramStep::Kind::call, .code = "call()"});
  const std::string judged_ = to_line(to_step({.by = Judgement::By::refusal}));
  const std::string path_ = ::getenv("PATH");
  const fs::path folder_ =
      fs::temp_directory_path() / fmt::format("dlcert-programs-test-{}", ::getpid());
  Results results_;
  RunOptions options_;
};

TEST_F(Programs, ConfirmTheFaultByTheirExitCodeAndLastLine) {
  EXPECT_EQ(of(program(breaks_line, "return argc == 1;", keeps_line)), "confirmed");
  EXPECT_EQ(of(program(keeps_line, "return 0;")), "not confirmed without dlcert: exit code 0");
  EXPECT_EQ(of(program("libx.so: no such file", "return 2;")),
            "not confirmed without dlcert: exit code 2: libx.so: no such file");
  EXPECT_EQ(of(program("a runtime gives up", "return 1;")),
            "not confirmed without dlcert: exit code 1: a runtime gives up");
  EXPECT_EQ(of(program("", "abort();")), "not confirmed without dlcert: ended by SIGABRT");
}

TEST_F(Programs, MustNotAccuseTheReferenceInC) {
  EXPECT_EQ(of(program(breaks_line, "return 1;", "found: 2\\nthe library breaks the rule")),
            "not confirmed without dlcert: it shows the fault, but with dlcert's reference: "
            "found: 2");
  EXPECT_EQ(of(program(breaks_line, "return argc == 1 ? 1 : 2;", "unexpected: no such call")),
            "not confirmed without dlcert: it shows the fault, but with dlcert's reference: "
            "unexpected: no such call");
  options_.reference_adapter = "/nowhere/reference.so";
  EXPECT_EQ(
      of(program(breaks_line, "return argc == 1;", keeps_line)),
      "not confirmed without dlcert: it shows the fault, but dlcert's reference is not there");
}

TEST_F(Programs, ConfirmADeathByTheSameEnd) {
  const std::string abort = "ended by SIGABRT in case 3";
  const auto died = [](const std::string& how) {
    return program(how + "\\n" + std::string{breaks_line}, "return argc == 1;", keeps_line);
  };
  EXPECT_EQ(of(died("ended by SIGABRT"), Verdict::crash, abort), "confirmed");
  EXPECT_EQ(of(died("ended by SIGSEGV"), Verdict::crash, abort),
            "not confirmed without dlcert: ended by SIGSEGV");
  EXPECT_EQ(of(program(keeps_line, "return 0;"), Verdict::crash, abort),
            "not confirmed without dlcert: exit code 0");
  const std::string early = "ended early with exit status 0: the library called exit in case 3";
  EXPECT_EQ(of(died("ended early with exit status 0"), Verdict::crash, early), "confirmed");
}

TEST_F(Programs, ConfirmAHangByNotEnding) {
  options_.case_seconds = 0.1;
  const std::string hung = "case 3 took longer than 0.5 s";
  const std::string hangs = program("", "for (; argc == 1;) pause(); return 0;", keeps_line);
  EXPECT_EQ(of(hangs, Verdict::timeout, hung), "confirmed");
  EXPECT_EQ(of(hangs), "not confirmed without dlcert: the program did not end within 0.5 s");
  EXPECT_EQ(of(program(keeps_line, "return 0;"), Verdict::timeout, hung),
            "not confirmed without dlcert: exit code 0");
}

TEST_F(Programs, TellWhatACompilerHasAgainstThem) {
  EXPECT_EQ(of("int main(void) { return x; }\n").substr(0, 31), "not confirmed without dlcert: /");
  EXPECT_NE(of("int main(void) { return x; }\n").find("error"), std::string::npos);
}

TEST_F(Programs, AreNotRunWithoutACompiler) {
  ::setenv("PATH", "", 1);
  EXPECT_EQ(of(program(breaks_line, "return argc == 1;", keeps_line)), "not run: no C compiler");
}

TEST_F(Programs, AreNotRunWhereTheyCannotShowTheFault) {
  CheckResult& on_device = add(program(breaks_line, "return argc == 1;", keeps_line));
  on_device.platform = Platform::cuda;
  EXPECT_EQ(ran(), "not run: needs the simulated driver");
  results_.settings.driver = "cuda";
  EXPECT_EQ(ran(), "confirmed");
  results_.results.clear();
  add(program(breaks_line, "return argc == 1;", keeps_line)).record.counterexample->program = {
      to_line({.kind = ProgramStep::Kind::missing, .code = "a call"}), call_, judged_};
  EXPECT_EQ(ran(), "not run: no program: no program can do this: a call");
  EXPECT_EQ(of(program("", "for (;;) malloc(1);"), Verdict::crash,
               "allocated more than 2.0 GiB in case 1"),
            "not run: the program has no memory limit");
}

TEST_F(Programs, LeaveToARecordedStructWhatTheyCannotShow) {
  CheckResult& check = add(program(breaks_line, "return argc == 1;", keeps_line));
  check.platform = Platform::rocm;
  check.record.counterexample->recording = {"return 1;"};
  const fs::path recorded = folder_ / recorded_file(results_.results.front(), check);
  std::ofstream{recorded} << "int main(void) { return 1; }\n";
  EXPECT_EQ(ran(), "confirmed: by the recorded struct");
  std::ofstream{recorded} << "int main(void) { return 0; }\n";
  EXPECT_EQ(ran(), "not confirmed without dlcert: exit code 0");
}

TEST_F(Programs, AreAtMostAsManyAsWasSaid) {
  for (int i = 0; i < 4; ++i)
    add("int main(void) { return 0; }\n");
  options_.most_programs = 2;
  EXPECT_EQ(ran(1), "not confirmed without dlcert: exit code 0");
  EXPECT_EQ(ran(2), "not run: only the first 2 programs are run");
}

TEST_F(Programs, LeaveNoProcessAndNoFileBehind) {
  const fs::path built = folder_ / "built";
  fs::create_directories(built);
  ::setenv("TMPDIR", built.c_str(), 1);
  const auto children = children_of(::getpid());
  // One that outlives its parent, in the same session and in one of its own.
  EXPECT_EQ(of(program("",
                       "if (fork() == 0) for (;;) pause();"
                       "if (fork() == 0) { setsid(); for (;;) pause(); } return 0;")),
            "not confirmed without dlcert: exit code 0");
  ::unsetenv("TMPDIR");
  EXPECT_EQ(children_of(::getpid()), children);
  EXPECT_TRUE(fs::is_empty(built));
}

// As a library in Python has them. Their interpreter is a shell; a program for the reference, which
// is Python's, is replaced by what a test says.
class PythonPrograms : public Programs {
 protected:
  PythonPrograms() {
    AdapterInfo acme;
    acme.name = "acme";
    acme.path = "python:acme";
    results_.adapters = {acme};
    const fs::path interpreter = folder_ / "interpreter";
    std::ofstream{interpreter} << fmt::format(
        "#!/bin/sh\ngrep -q '^import dlcert_reference' $2 || exec /bin/sh $2\n"
        "exec /bin/sh {}\n",
        (folder_ / "reference").string());
    fs::permissions(interpreter, fs::perms::owner_all);
    results_.python = PythonFacts{interpreter.string(), "5.2"};
    reference_is(script(keeps_line, 0));
  }

  static std::string script(std::string_view line, int code) {
    return fmt::format("echo '{}'\nexit {}\n", line, code);
  }
  void reference_is(const std::string& text) const { std::ofstream{folder_ / "reference"} << text; }

  // Has the steps of a program that calls a library and judges the call.
  CheckResult& add_in_python(const std::string& text, Verdict verdict = Verdict::fail,
                             const std::string& message = "1 is not 2",
                             const std::string& reference = "dlcert_reference.one()") {
    results_.results.clear();
    CheckResult& check = add(text, verdict, message);
    check.record.counterexample->program = {
        to_line({.kind = ProgramStep::Kind::imports, .code = "import acme"}),
        to_line({.kind = ProgramStep::Kind::call, .code = "acme.one()", .reference = reference}),
        to_line(to_step({.by = Judgement::By::refusal}))};
    const RequirementResult& result = results_.results.front();
    std::ofstream{folder_ / program_file(results_, result, check)} << text;
    return check;
  }
  std::string of_python(const std::string& text, Verdict verdict = Verdict::fail,
                        const std::string& message = "1 is not 2") {
    add_in_python(text, verdict, message);
    return ran();
  }
};

TEST_F(PythonPrograms, AreRunByTheirInterpreter) {
  EXPECT_EQ(of_python(script(breaks_line, 1)), "confirmed");
  EXPECT_EQ(of_python("exit 1\n"), "not confirmed without dlcert: exit code 1");
  EXPECT_EQ(of_python(script("No module named acme", 2)),
            "not confirmed without dlcert: exit code 2: No module named acme");
  results_.python.reset();
  EXPECT_EQ(of_python(script(breaks_line, 1)), "not run: no interpreter");
}

TEST_F(PythonPrograms, MustNotAccuseTheReference) {
  reference_is("echo 'found: 2'\n" + script(breaks_line, 1));
  EXPECT_EQ(
      of_python(script(breaks_line, 1)),
      "not confirmed without dlcert: it shows the fault, but with dlcert's reference: found: 2");
  reference_is(script("NameError", 2));
  EXPECT_EQ(
      of_python(script(breaks_line, 1)),
      "not confirmed without dlcert: it shows the fault, but with dlcert's reference: NameError");
  add_in_python(script(breaks_line, 1), Verdict::fail, "1 is not 2", "-");
  EXPECT_EQ(ran(),
            "not confirmed without dlcert: it shows the fault, but dlcert's reference has no "
            "such calls");
}

TEST_F(PythonPrograms, AreNotThereWhereTheyCannotShowTheFault) {
  add_in_python(script(breaks_line, 1)).record.counterexample->program.pop_back();
  EXPECT_EQ(ran(), "not run: no program: no assertion is recorded");
}

TEST_F(PythonPrograms, TellHowTheirChildEnded) {
  const std::string died = "echo 'ended by SIGSEGV'\n" + script(breaks_line, 1);
  EXPECT_EQ(of_python(died, Verdict::crash, "ended by SIGSEGV in case 3"), "confirmed");
  EXPECT_EQ(of_python(died, Verdict::crash, "ended by SIGABRT in case 3"),
            "not confirmed without dlcert: ended by SIGSEGV");
  EXPECT_EQ(of_python(script(keeps_line, 0), Verdict::crash, "ended by SIGSEGV in case 3"),
            "not confirmed without dlcert: exit code 0");
  const std::string early = "echo 'ended early with exit status 3'\n" + script(breaks_line, 1);
  EXPECT_EQ(of_python(early, Verdict::crash, "ended early with exit status 3 in case 0"),
            "confirmed");
}

TEST_F(Programs, ChangeNoVerdict) {
  add(program(keeps_line, "return 0;"));
  ran();
  EXPECT_EQ(results_.results.front().verdict, Verdict::fail);
  EXPECT_EQ(results_.results.front().checks.front().verdict, Verdict::fail);
}

TEST_F(PythonPrograms, AreRunOverSimulatedDevicesWhereTheFaultNeedsThem) {
  const std::string needs_devices = "[ $HAS_DEVICES ] || exit 0\n" + script(breaks_line, 1);
  add_in_python(needs_devices).platform = Platform::cuda;
  EXPECT_EQ(ran(), "not run: needs the simulated driver");
  options_.over_simulated_devices = {"/usr/bin/env", "HAS_DEVICES=1"};
  EXPECT_EQ(ran(), "confirmed: with simulated devices");
  EXPECT_EQ(of_python(needs_devices), "confirmed: with simulated devices");
  EXPECT_EQ(of_python(script(breaks_line, 1)), "confirmed");
  EXPECT_EQ(of_python("exit 0\n"), "not confirmed without dlcert: exit code 0");
}

}  // namespace
}  // namespace dlcert
