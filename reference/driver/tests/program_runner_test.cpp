// SPDX-License-Identifier: Apache-2.0
//
// Recorded programs on the simulated driver: what disagrees is seen, and what agrees is not told.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "dlcert/driver/simulated.hpp"

#include "../programs/recorder.hpp"
#include "../programs/runner.hpp"

namespace dlcert::driver::programs {
namespace {

using Lines = std::vector<std::string>;

Lines check_text(std::string_view text) {
  simulated_driver().restart({.devices = 2});
  return check("a.txt", parse("a.txt", text).at(0), simulated_driver());
}

std::string program_with(const std::string& status, const std::string& bytes) {
  return "program p\n"
         "buffer b0 0\n"
         "t0 create_stream s0 non_blocking = 0\n"
         "t0 fill b0 7 s0 = 0\n"
         "t0 end_capture s0 g0 = " +
         status +
         "\n"
         "final b0 = " +
         bytes + "\n";
}

TEST(ProgramRunner, IsSilentWhereTheDriverAgrees) {
  EXPECT_EQ(check_text(program_with("401", "7")), Lines{});
}

TEST(ProgramRunner, FindsAPlantedStatus) {
  EXPECT_EQ(check_text(program_with("903|908", "7")),
            Lines{"a.txt:5: cudaStreamEndCapture: recorded 903|908 but found 401"});
}

TEST(ProgramRunner, FindsPlantedBytes) {
  EXPECT_EQ(check_text(program_with("401", "6|8")),
            Lines{"a.txt:6: final b0: recorded 6|8 but found 7"});
}

TEST(ProgramRunner, FindsAPlantedWord) {
  EXPECT_EQ(check_text("program p\nt0 capture_status per_thread = 0:active\n"),
            Lines{"a.txt:2: cudaStreamIsCapturing: recorded 0:active but found 0:none"});
}

TEST(ProgramRunner, TellsWhichProgramCouldNotBeRun) {
  EXPECT_EQ(check_text("program p\ndevices 3\nt0 take_error = 0\n"),
            Lines{"a.txt:1: program 'p': expected success of set_device but found "
                  "cudaErrorInvalidDevice"});
}

TEST(ProgramRunner, EndsACaptureThatTheProgramLeavesOpen) {
  const std::string text =
      "program p\nt0 create_stream s0 blocking = 0\n"
      "t1 begin_capture s0 global = 0\n";
  EXPECT_EQ(check_text(text), Lines{});
  EXPECT_EQ(simulated_driver().synchronize_device(), Status::success);
}

TEST(ProgramRecorder, FindsBothOrdersOfARace) {
  const std::string text =
      "program p\nbuffer b0 0\n"
      "t0 create_stream s0 non_blocking = ?\n"
      "t0 create_stream s1 non_blocking = ?\n"
      "t0 fill b0 1 s0 = ?\nt0 fill b0 2 s1 = ?\nfinal b0 = ?\n";
  Program program = parse("a.txt", text, Unrecorded::allowed).at(0);
  EXPECT_FALSE(record(program));
  EXPECT_EQ(program.buffers[0].recorded, (std::set{1, 2}));
  EXPECT_EQ(program.steps[2].recorded, (std::set<Outcome>{{.status = 0}}));
}

TEST(ProgramRecorder, LeavesOpenWhetherPendingWorkHasRun) {
  const std::string text =
      "program p\nbuffer b0 0\nt0 fill b0 1 per_thread = ?\n"
      "t0 query_stream per_thread = ?\nfinal b0 = ?\n";
  Program program = parse("a.txt", text, Unrecorded::allowed).at(0);
  EXPECT_TRUE(record(program));
  EXPECT_EQ(to_text(VerbName::query_stream, program.steps[1].recorded), "0|600");
}

std::string without_recorded(Program program) {
  for (Step& step : program.steps)
    step.recorded.clear();
  for (Buffer& buffer : program.buffers)
    buffer.recorded.clear();
  return to_text(program);
}

TEST(ProgramGenerator, DrawsTheFixturesPrograms) {
  std::ifstream stream{DLCERT_PROGRAM_FIXTURES "/generated.txt"};
  const std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
  const auto programs = parse("generated.txt", text);
  EXPECT_GE(programs.size(), 20u);
  for (const Program& program : programs) {
    const int number = std::stoi(program.name.substr(std::string_view{"seed_7_"}.size()));
    EXPECT_EQ(without_recorded(program), without_recorded(generate(7, number)));
    EXPECT_TRUE(depends_on_order(program));
    for (const Buffer& buffer : program.buffers)
      EXPECT_EQ(buffer.recorded.size(), 1u) << program.name;
  }
}

}  // namespace
}  // namespace dlcert::driver::programs
