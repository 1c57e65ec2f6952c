// SPDX-License-Identifier: Apache-2.0
//
// Bad input, through the real program: one line on standard error, the right exit code, and no file
// that looks like results.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "program.hpp"
#include "register/embedded.hpp"
#include "report/atomic_file.hpp"

namespace dlcert {
namespace {

class BadInput : public testing::Test {
 protected:
  // Runs the program with outputs that must not come to be, and expects one line that holds `part`.
  void expect_refused(int exit_code, const std::string& part, std::vector<std::string> arguments) {
    SCOPED_TRACE(part);
    arguments.insert(arguments.end(), {"--results", folder_.path("results.json"), "--junit",
                                       folder_.path("junit.xml"), "--cases", "1"});
    const Output output = dlcert_program(arguments);
    EXPECT_EQ(output.exit_code, exit_code) << output.out;
    EXPECT_EQ(std::ranges::count(output.err, '\n'), 1) << output.err;
    EXPECT_NE(output.err.find(part), std::string::npos) << output.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.path("results.json")));
    EXPECT_FALSE(std::filesystem::exists(folder_.path("junit.xml")));
  }

  TemporaryFolder folder_;
};

TEST_F(BadInput, AnAdapterThatIsMissing) {
  expect_refused(2, "adapter '/no/such.so': no such file", {"certify", "--adapter", "/no/such.so"});
  expect_refused(2, "expected --adapter", {"certify"});
}

TEST_F(BadInput, AnAdapterThatCannotBeLoaded) {
  const std::string text = folder_.write("text.so", "not a module");
  expect_refused(2, "text.so", {"certify", "--adapter", text});
  expect_refused(2, "dlcert_adapter_get", {"certify", "--adapter", BROKEN_NO_SYMBOL});
  expect_refused(2, BROKEN_ABORTS, {"certify", "--adapter", BROKEN_ABORTS});
}

TEST_F(BadInput, AnAdapterOfAnotherAbi) {
  expect_refused(2, "abi_major: expected 1 but found 99",
                 {"certify", "--adapter", BROKEN_OTHER_ABI});
  expect_refused(2, "ABI", {"certify", "--adapter", BROKEN_FUTURE_ABI});
}

TEST_F(BadInput, AnAdapterWithoutMandatoryFunctions) {
  expect_refused(2, "must have", {"certify", "--adapter", BROKEN_NO_FUNCTIONS});
}

TEST_F(BadInput, TwoAdaptersOfOneName) {
  expect_refused(2, "expected a unique name but found 'narray'",
                 {"certify", "--adapter", GOOD_ADAPTER, "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, AnUnknownSubcommand) {
  expect_refused(2, "dlcert: unknown subcommand 'certfy', did you mean 'certify'?\n", {"certfy"});
  expect_refused(2, "dlcert: unknown subcommand 'lsit', did you mean 'list'?\n", {"lsit"});
  expect_refused(2, "dlcert: unknown subcommand 'frobnicate', expected certify, run, ",
                 {"frobnicate"});
  expect_refused(2, "dlcert: unknown subcommand '', expected certify, run, ", {""});
}

TEST_F(BadInput, AnUnknownRequirement) {
  expect_refused(2, "unknown requirement 'abi.shape.rnk', did you mean 'abi.shape",
                 {"run", "abi.shape.rnk", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "did you mean 'lifetime'?", {"run", "lifetme", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "unknown requirement 'two\\nlines'",
                 {"run", "two\nlines", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, NothingSelected) {
  expect_refused(3, "nothing was selected", {"run", "nothing.*", "--adapter", GOOD_ADAPTER});
  expect_refused(3, "nothing was selected",
                 {"certify", "--area", "runtime", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, ADriverThatDoesNotExist) {
  expect_refused(2, "--driver", {"certify", "--driver", "vulkan", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, ADriverWithoutADevice) {
  setenv("HIP_VISIBLE_DEVICES", "-1", 1);
  expect_refused(2, "driver 'hip'", {"certify", "--driver", "hip", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, AnUnknownOptionOrValue) {
  expect_refused(2, "--frobnicate", {"certify", "--frobnicate", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "--spec", {"certify", "--spec", "7.0", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "unknown area 'abj': expected abi",
                 {"certify", "--area", "abj", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "unknown policy 'major-zer', did you mean 'major-zero'?",
                 {"certify", "--policy", "major-zer=record", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "policy major-zero: expected accept, record, refuse but found 'maybe'",
                 {"certify", "--policy", "major-zero=maybe", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, NoCaseAtAll) {
  const Output output = dlcert_program({"certify", "--cases", "0", "--adapter", GOOD_ADAPTER});
  EXPECT_EQ(output.exit_code, 2);
}

TEST_F(BadInput, ANumberThatIsNone) {
  const auto refused = [&](const char* option, const char* value, const char* expected) {
    expect_refused(2, fmt::format("{}: expected {} but found '{}'", option, expected, value),
                   {"certify", fmt::format("{}={}", option, value), "--adapter", GOOD_ADAPTER});
  };
  const char* const seconds = "seconds from 0.001 to 1000000";
  for (const char* const value :
       {"nan", "-nan", "inf", "1e300", "1e-300", "0", "-1", "0x1p3", "5s", "1,5", " 5"}) {
    refused("--case-seconds", value, seconds);
    refused("--load-seconds", value, seconds);
  }
  const char* const seed = "a whole number from 0 to 18446744073709551615";
  for (const char* const value : {"-1", "18446744073709551616", "0x10", "1e3", "7.5", "+7", "7 ",
                                  "seven", "0b1", "1'000", "\xd9\xa7"})
    refused("--seed", value, seed);
  refused("--cases", "-1", "a whole number from 1 to 1000000000");
  refused("--cases", "1000000001", "a whole number from 1 to 1000000000");
  refused("--repeat", "0x2", "a whole number from 1 to 1000000");
  refused("--programs", "-1", "a whole number from 0 to 10000");
  refused("--jobs", "0", "a whole number from 1 to 64");
  refused("--memory", "99999999999999999999", "a whole number from 1 to 1073741824");
}

TEST_F(BadInput, AnEmptyValue) {
  for (const char* const option : {"--adapter", "--worker", "--waivers", "--markdown", "--area",
                                   "--policy", "--write-waivers"})
    expect_refused(2, fmt::format("{}: expected a value but found ''", option),
                   {"certify", option, "", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, ATextOfAnyLength) {
  const std::string long_text(100'000, 'x');
  const Output id = dlcert_program({"run", long_text, "--adapter", GOOD_ADAPTER});
  EXPECT_EQ(id.exit_code, 2);
  EXPECT_LT(id.err.size(), 3'000u);
  const Output option = dlcert_program({"certify", "--spec", long_text});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_LT(option.err.size(), 3'000u);
  expect_refused(2, "two\\nlines", {"certify", "--spec", "two\nlines", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "a\\u202eb\\xff",
                 {"run",
                  "a\u202e"
                  "b\xff",
                  "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, AnInputThatIsNoFile) {
  const std::string fifo = folder_.path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string no_file = "': it is not a regular file";
  for (const std::string& path : {fifo, std::string{"/dev/zero"}, folder_.path("")}) {
    expect_refused(2, path + no_file, {"certify", "--waivers", path, "--adapter", GOOD_ADAPTER});
    expect_refused(2, path + no_file, {"run", "--replay", path, "--adapter", GOOD_ADAPTER});
  }
  expect_refused(2, "adapter '" + fifo + "': not a file", {"certify", "--adapter", fifo});
  const Output verdict = dlcert_program(
      {"verdict", "lifetime.deleter.exactly-once", "--adapter", GOOD_ADAPTER, "--results", fifo});
  EXPECT_EQ(verdict.exit_code, 0) << "the requirement is run alone";
  EXPECT_TRUE(contains(verdict.err, fifo + no_file)) << verdict.err;
}

TEST_F(BadInput, AnInputLargerThanSense) {
  const std::string large = folder_.write("large", "");
  std::filesystem::resize_file(large, std::uintmax_t{2} << 30);
  expect_refused(2, "expected at most 4194304 bytes but found 2147483648",
                 {"certify", "--waivers", large, "--adapter", GOOD_ADAPTER});
  expect_refused(2, "expected at most 67108864 bytes but found 2147483648",
                 {"run", "--replay", large, "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, AReplayOfWhatNobodyCouldAskFor) {
  dlcert_program({"run", "lifetime.deleter.exactly-once", "--adapter", DELETES_TWICE_ADAPTER,
                  "--cases", "20", "--results", folder_.path("r.json")});
  const std::string saved = read_file(folder_.path(
      "r.json.counterexamples/lifetime.deleter.exactly-once-dlcert-deletes_twice.json"));
  const auto refused = [&](const std::string& from, const std::string& to, const char* why) {
    std::string text = saved;
    ASSERT_NE(text.find(from), text.npos) << from;
    const std::string file =
        folder_.write("c.json", text.replace(text.find(from), from.size(), to));
    expect_refused(2, "c.json: " + std::string{why}, {"run", "--replay", file});
  };
  refused("\"spec\": \"declared\"", "\"spec\": \"0.0\"",
          "spec: expected 0.8, 1.0, 1.1, 1.2, 1.3, declared but");
  refused("\"major-zero\"", "\"major-zer\"", "unknown policy 'major-zer', did you mean");
  refused("\"driver\": \"simulated\"", "\"driver\": \"none\"", "driver: expected simulated,");
  refused("\"cases\": 20,", "\"cases\": 0,", "cases: expected 1 to 1000000000 but found 0");
  refused("\"started\": \"", "\"started\": \"x", "started: expected a time");
}

TEST_F(BadInput, AMalformedWaiver) {
  const std::string file = folder_.write("w.toml", "[[waiver]]\nrequirement = 7\n");
  expect_refused(2, "w.toml:2:15: requirement: expected a text",
                 {"certify", "--waivers", file, "--adapter", GOOD_ADAPTER});
  expect_refused(2, "cannot read '/no/w.toml'",
                 {"certify", "--waivers", "/no/w.toml", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, ResultsThatCannotBeWritten) {
  const Output output =
      dlcert_program({"certify", "--results", "/no/such/results.json", "--adapter", GOOD_ADAPTER});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_EQ(output.err,
            "dlcert: cannot write '/no/such/results.json': No such file or directory\n");
  EXPECT_EQ(output.out, "") << "found out before the run";
}

TEST_F(BadInput, AWorkerThatDoesNotWork) {
  expect_refused(2, "worker '/no/worker': not an executable file",
                 {"certify", "--worker", "/no/worker", "--adapter", GOOD_ADAPTER});
  expect_refused(2, "worker '/bin/false' does not work",
                 {"certify", "--worker", "/bin/false", "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, AWorkerOfAnotherBuild) {
  const std::filesystem::path lib = std::filesystem::path{GOOD_ADAPTER}.parent_path();
  const std::string library = read_file(lib / "libdlcert_worker.so");
  const auto build_with = [&](std::string_view from, std::string_view to) {
    std::string other = library;
    for (std::size_t at = 0; (at = other.find(from, at)) != std::string::npos; at += to.size())
      other.replace(at, to.size(), to);
    folder_.write("libdlcert_worker.so", other);
    return DLCERT_WORKER_PROGRAM;
  };
  const std::string digest{embedded_text("sha256")};
  ASSERT_EQ(digest.size(), 64u);
  setenv("LD_LIBRARY_PATH", fmt::format("{}:{}", folder_.path(""), lib.string()).c_str(), 1);
  expect_refused(2, "another build of dlcert: expected dlcert ",
                 {"certify", "--adapter", GOOD_ADAPTER, "--worker",
                  build_with(digest, std::string(digest.size(), '0'))});
  expect_refused(
      2, "another build of dlcert: inventory: ",
      {"certify", "--adapter", GOOD_ADAPTER, "--worker", build_with("modules", "modulos")});
  unsetenv("LD_LIBRARY_PATH");
}

TEST_F(BadInput, AReplayOfSomethingElse) {
  const std::string file = folder_.write("c.json", "{}");
  expect_refused(2, "c.json: expected a member \"schema_version\"", {"run", "--replay", file});
}

TEST_F(BadInput, WaiversForASelection) {
  expect_refused(
      2, "--write-waivers: expected a certification of all requirements but found a selection",
      {"run", "abi", "--write-waivers", folder_.path("w.toml"), "--adapter", GOOD_ADAPTER});
  expect_refused(2, "found a selection",
                 {"certify", "--level", "MUST", "--write-waivers", folder_.path("w.toml"),
                  "--adapter", GOOD_ADAPTER});
}

TEST_F(BadInput, OldResultsDoNotOutliveARunThatFails) {
  folder_.write("results.json", "old");
  folder_.write("junit.xml", "old");
  expect_refused(2, "must have", {"certify", "--adapter", BROKEN_NO_FUNCTIONS});
}

}  // namespace
}  // namespace dlcert
