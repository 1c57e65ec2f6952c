// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <string>

#include "../programs/program.hpp"

namespace dlcert::driver::programs {
namespace {

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse("a.txt", text));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "none";
}

// Behind a program's first lines, with a stream and an event that exist.
std::string error_of_step(const std::string& step) {
  return error_of("program p\nbuffer b0 0\nt0 create_stream s0 blocking = 0\n" + step + "\n");
}

TEST(ProgramParser, GivesWhatItRead) {
  const auto programs = parse("a.txt",
                              "# a comment\n"
                              "program p_1\n"
                              "devices 2\n"
                              "buffer b0 1\n"
                              "\n"
                              "t0 create_stream s3 non_blocking = 0  # another\n"
                              "t1 query_stream per_thread = 0|600\n"
                              "final b0 = 1|2\n");
  ASSERT_EQ(programs.size(), 1u);
  const Program& program = programs[0];
  EXPECT_EQ(program.name, "p_1");
  EXPECT_EQ(program.devices, 2);
  ASSERT_EQ(program.buffers.size(), 1u);
  EXPECT_EQ(program.buffers[0].device, 1);
  EXPECT_EQ(program.buffers[0].recorded, (std::set{1, 2}));
  ASSERT_EQ(program.steps.size(), 2u);
  EXPECT_EQ(program.steps[1].line, 7);
  EXPECT_EQ(program.steps[1].thread, 1);
  EXPECT_EQ(program.steps[1].verb, VerbName::query_stream);
  EXPECT_EQ(program.steps[1].operands, std::vector{per_thread_stream});
  EXPECT_EQ(program.steps[1].recorded, (std::set<Outcome>{{.status = 0}, {.status = 600}}));
}

TEST(ProgramParser, ReadsWhatWasFound) {
  const auto programs = parse("a.txt", "program p\nt0 capture_status legacy = 0:active|906\n");
  EXPECT_EQ(programs[0].steps[0].recorded,
            (std::set<Outcome>{{.status = 0, .word = 1}, {.status = 906}}));
}

TEST(ProgramParser, ReadsWhoseMemoryABufferIs) {
  const std::string text =
      "program p\nbuffer b0 0\nbuffer b1 0 pinned\nbuffer b2 0 pageable\n"
      "t0 host_fill b1 3 = 0\nt0 copy_as b1 b2 host_to_device null = 0\n"
      "final b0 = 0\nfinal b1 = 0\nfinal b2 = 0\n";
  const Program program = parse("a.txt", text).at(0);
  EXPECT_EQ(program.buffers[0].kind, MemoryKind::device);
  EXPECT_EQ(program.buffers[1].kind, MemoryKind::pinned);
  EXPECT_EQ(program.buffers[2].kind, MemoryKind::pageable);
  EXPECT_EQ(to_text(program), text);
}

TEST(ProgramParser, SaysWhereSomethingElseWasExpected) {
  EXPECT_EQ(error_of("t0 take_error = 0\n"), "a.txt:1: expected 'program NAME' but found 't0'");
  EXPECT_EQ(error_of("program P\n"), "a.txt:1: expected a name of a-z, 0-9 and _ but found 'P'");
  EXPECT_EQ(error_of_step("t0 jump s0 = 0"),
            "a.txt:4: expected a step such as fill or wait but found 'jump'");
  EXPECT_EQ(error_of_step("t0 fill b1 1 s0 = 0"),
            "a.txt:4: expected a buffer of the program but found 'b1'");
  EXPECT_EQ(error_of_step("t0 fill b0 256 s0 = 0"),
            "a.txt:4: expected a byte below 256 but found '256'");
  EXPECT_EQ(error_of_step("t0 copy b0 b0 s0 = 0"),
            "a.txt:4: expected two buffers but found one twice");
  EXPECT_EQ(error_of_step("t0 blocking_copy_as b0 b0 host_to_host = 0"),
            "a.txt:4: expected two buffers but found one twice");
  EXPECT_EQ(error_of_step("t0 host_fill b0 1 = 0"),
            "a.txt:4: expected a buffer of the host's but found 'b0'");
  EXPECT_EQ(error_of("program p\nbuffer b0 0 managed\n"),
            "a.txt:2: expected pageable, device or pinned but found 'managed'");
  EXPECT_EQ(error_of_step("t0 query_stream s0"),
            "a.txt:4: expected '=' but found the end of the line");
  EXPECT_EQ(error_of_step("t0 query_stream s0 = ready"),
            "a.txt:4: expected status numbers below 1000, as in '0|600' but found 'ready'");
  EXPECT_EQ(error_of_step("t0 query_stream s0 = ?"),
            "a.txt:4: expected status numbers below 1000, as in '0|600' but found '?'");
  EXPECT_EQ(error_of_step("t0 capture_status s0 = 0"),
            "a.txt:4: expected '0:' and what was found but found '0'");
}

TEST(ProgramParser, KnowsWhichHandlesExist) {
  EXPECT_EQ(error_of_step("t0 query_stream s1 = 0"),
            "a.txt:4: expected a stream that an earlier step creates but found 's1'");
  EXPECT_EQ(error_of_step("t0 create_stream s0 blocking = 0"),
            "a.txt:4: expected a stream that is new but found 's0'");
  EXPECT_EQ(error_of_step("t0 destroy_stream s0 = 0\nt0 query_stream s0 = 400"),
            "a.txt:5: expected a stream that no earlier step destroys but found 's0'");
  EXPECT_EQ(error_of_step("t0 destroy_stream legacy = 0"),
            "a.txt:4: expected a stream such as s0 but found 'legacy'");
}

TEST(ProgramParser, NeedsTheEndOfEachBuffer) {
  EXPECT_EQ(error_of_step("t0 query_stream s0 = 0"),
            "a.txt:5: expected 'final b0 = ...' of program 'p' but found none");
  EXPECT_EQ(error_of_step("final b0 = 1\nfinal b0 = 1"),
            "a.txt:5: expected one end of b0 but found a second one after line 4");
  EXPECT_EQ(error_of("program p\n"), "a.txt:2: expected a step of program 'p' but found none");
}

TEST(ProgramParser, ReplacesWhatIsRecordedAndNothingElse) {
  const std::string text =
      "# a comment\nprogram p\nbuffer b0 0\nt0  take_error  = ?\nfinal b0 = 7\n";
  auto programs = parse("a.txt", text, Unrecorded::allowed);
  programs[0].steps[0].recorded = {{.status = 0}, {.status = 600}};
  programs[0].buffers[0].recorded = {1, 2};
  EXPECT_EQ(with_recorded(text, programs),
            "# a comment\nprogram p\nbuffer b0 0\nt0  take_error  = 0|600\nfinal b0 = 1|2\n");
}

}  // namespace
}  // namespace dlcert::driver::programs
