// SPDX-License-Identifier: Apache-2.0
//
// Adapters in Python and their interpreter, as the command line names them.
#include <gtest/gtest.h>

#include <algorithm>

#include "program.hpp"
#include "report/atomic_file.hpp"
#include "report/results.hpp"

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
    expect_refused("adapter 'python:nothing': dlcert has no adapter of that name",
                   {command, "--adapter", "python:nothing"});
    expect_refused("adapter 'python:./gone.py': no such file",
                   {command, "--adapter", "python:./gone.py"});
    expect_refused("expected python:NAME, python:./FILE.py or python:PACKAGE.MODULE",
                   {command, "--adapter", "python:a b"});
  }
}

TEST_F(PythonAdapters, AnInterpreterWithoutOneOfThemIsRefused) {
  expect_refused("--python /usr/bin/python3: expected an adapter 'python:...'",
                 {"certify", "--adapter", GOOD_ADAPTER, "--python", "/usr/bin/python3"});
}

TEST_F(PythonAdapters, TheWorkerRefusesThemAlike) {
  const Output output =
      run_program(DLCERT_WORKER_PROGRAM, {"--local", "--adapter", "python:nothing"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(contains(output.err, "dlcert has no adapter of that name")) << output.err;
}

TEST_F(PythonAdapters, DoctorShowsTheInterpreterAndWhatItCanServe) {
  const Output output = dlcert_program({"doctor", "--python", PYTHON});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_TRUE(contains(output.out, "\npython         /")) << output.out;
  EXPECT_TRUE(contains(output.out, "\npython code    ")) << output.out;
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
      R"("major": 2, "minor": 7, "code": "/old", )"
      R"("free_threaded": false, "packages": {}}')");
  EXPECT_TRUE(contains(dlcert_program({"doctor", "--python", old}).out,
                       "\npython         /old 2.7.18\npython code    python '/old': expected "
                       "CPython 3.10 to 3.14 but found CPython 2.7.18\n"));
}

// ---- adapters that work -------------------------------------------------------------------------

constexpr const char* rule = "abi.dtype.int";

class PythonLibrary : public PythonAdapters {
 protected:
  // The adapter of acme.py, which is NumPy with these lines.
  void write_adapter(const std::string& lines = "") const {
    folder_.write("acme.py",
                  "import dlcert\nimport numpy\n\n\nclass Acme(dlcert.Adapter):\n"
                  "    library = numpy\n    name = 'acme'\n" +
                      lines);
  }
  Output run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--cases", "5", "--results", results_});
    return dlcert_program(words);
  }

  std::string adapter_ = "python:" + folder_.path("acme.py");
  std::string results_ = folder_.path("results.json");
};

TEST_F(PythonLibrary, IsJudgedInTheInterpreterThatIsNamed) {
  write_adapter();
  const Output output = run({"run", rule, "--adapter", adapter_, "--python", PYTHON_WITH_NUMPY});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  const Results results = results_from_json(read_file(results_));
  EXPECT_EQ(results.adapters.at(0).path, adapter_);
  ASSERT_TRUE(results.python);
  EXPECT_EQ(results.python->path, PYTHON_WITH_NUMPY);
  EXPECT_TRUE(contains(output.out, ", Python " + results.python->version + ", "));
  const auto holds = [&](const std::string& what, const std::string& end) {
    return std::ranges::any_of(results.identity->files, [&](const FileIdentity& file) {
      return file.what == what && file.path.ends_with(end) && !file.sha256.empty();
    });
  };
  EXPECT_TRUE(holds("adapter", "/acme.py"));
  EXPECT_TRUE(holds("adapter", "/libdlcert_python_adapter.so"));
  EXPECT_TRUE(holds("adapter", "/dlcert/adapter.py"));
  EXPECT_TRUE(holds("interpreter", ""));
}

TEST_F(PythonLibrary, IsCertifiedByItsAdapterAndItsInterpreterAlone) {
  const auto command = [&](std::vector<std::string> words, const std::string& python) {
    words.insert(words.end(), {"--area", "abi", "--adapter", adapter_, "--python", python});
    return run(words);
  };
  const std::string other = folder_.path("python");
  std::filesystem::create_symlink(PYTHON_WITH_NUMPY, other);
  write_adapter();
  EXPECT_EQ(command({"certify", "--fixture"}, PYTHON_WITH_NUMPY).exit_code, 0);
  EXPECT_EQ(command({"verdict", rule}, PYTHON_WITH_NUMPY).err, "");
  EXPECT_TRUE(
      contains(command({"verdict", rule}, other).err, "but this run has --python " + other));
  write_adapter("    # other bytes\n");
  EXPECT_TRUE(contains(command({"verdict", rule}, PYTHON_WITH_NUMPY).err, "/acme.py' has changed"));
}

TEST_F(PythonLibrary, IsFoundAgainByASavedCounterexample) {
  write_adapter(
      "    def export_capsule(self, tensor, **arguments):\n"
      "        return numpy.zeros(3).__dlpack__(**arguments)\n");
  const Output failed = run({"run", rule, "--role", "producer", "--no-preflight", "--adapter",
                             adapter_, "--python", PYTHON_WITH_NUMPY});
  ASSERT_EQ(failed.exit_code, 1) << failed.out << failed.err;
  EXPECT_TRUE(contains(failed.out, " --adapter " + adapter_ + " --python " PYTHON_WITH_NUMPY " "));
  const std::string saved =
      results_ + ".counterexamples/" + std::string{rule} + "-acme-dlcert.json";
  setenv("VIRTUAL_ENV", "/gone", 1);
  const Output again = dlcert_program({"run", "--replay", saved, "--no-preflight"});
  unsetenv("VIRTUAL_ENV");
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_TRUE(contains(again.out, "acme")) << again.out;
}

}  // namespace
}  // namespace dlcert
