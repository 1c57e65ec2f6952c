// SPDX-License-Identifier: Apache-2.0
#include "standalone/recorded.hpp"

#include <dlpack/dlpack.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/spy.hpp>
#include <dlcert/suite/trace.hpp>

namespace dlcert {
namespace {

using Statements = std::vector<std::string>;

class Ignored : public TraceSink {
 public:
  void event(std::string_view, std::string_view) override {}
  std::size_t told() const override { return 0; }
  void withdraw_behind(std::size_t) override {}
};

// A case is being described.
class Recorded : public testing::Test {
 protected:
  void SetUp() override { set_trace(&sink_); }
  void TearDown() override { set_trace(nullptr); }

 private:
  Ignored sink_;
};

// A managed tensor of ours, whose fields a test sets.
struct Given {
  std::vector<std::int64_t> shape, strides;
  std::vector<unsigned char> memory;
  DLManagedTensorVersioned head{};

  Given(DLDataType dtype, std::vector<std::int64_t> extents, std::vector<std::int64_t> steps,
        std::vector<unsigned char> bytes)
      : shape{std::move(extents)}, strides{std::move(steps)}, memory{std::move(bytes)} {
    head.version = {1, 3};
    head.dl_tensor = {memory.data(),
                      {kDLCPU, 0},
                      static_cast<std::int32_t>(shape.size()),
                      dtype,
                      shape.data(),
                      strides.empty() ? nullptr : strides.data(),
                      0};
  }

  dlcert_managed managed() { return {DLCERT_VERSIONED, 0, &head}; }
};

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values)
    out.push_back(static_cast<std::byte>(value));
  return out;
}

RecordedProgram program_of(Statements statements) {
  RecordedProgram program;
  program.requirement = "test.requirement";
  program.sentence = "a sentence";
  program.library = "narray";
  program.message = "expected 1 but found 2";
  program.program = "x.c";
  program.trace = {"t1 = create()", "m1 = export()"};
  program.statements = std::move(statements);
  return program;
}

// The exit code of the program, compiled as strictly as C11 goes; -1 where it does not compile.
int exit_code(const RecordedProgram& program, const std::string& options = {}) {
  const std::string folder = testing::TempDir() + "recorded_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string base = folder + "/recorded";
  std::ofstream{folder + "/" + std::string{recorded_header_name}} << recorded_header();
  std::ofstream{base + ".c"} << to_source(program);
  const std::string compile = std::string{C_COMPILER} +
                              " -std=c11 -pedantic-errors -Wall -Wextra -Werror " + options +
                              " -o " + base + " " + base + ".c";
  const int code = std::system(compile.c_str()) != 0
                       ? -1
                       : WEXITSTATUS(std::system((base + " >/dev/null").c_str()));
  std::filesystem::remove_all(folder);
  return code;
}

int exit_code(const Statements& statements) {
  return exit_code(program_of(statements));
}

Statements corrected(Statements statements, std::string_view wrong, std::string_view right) {
  int corrections = 0;
  for (std::string& statement : statements)
    if (const std::size_t place = statement.find(wrong); place != std::string::npos) {
      statement.replace(place, wrong.size(), right);
      ++corrections;
    }
  EXPECT_EQ(corrections, 1) << wrong;
  return statements;
}

TEST_F(Recorded, FieldsBreakTheRuleUntilTheyAreCorrected) {
  Given given{{0, 32, 1}, {2}, {1}, std::vector<unsigned char>(8)};
  const Statements statements =
      recorded_fields(given.managed(), "exported.dl_tensor.dtype.code == 1");
  EXPECT_EQ(exit_code(statements), 1);
  EXPECT_EQ(exit_code(corrected(statements, ".code = 0", ".code = 1")), 0);
}

TEST_F(Recorded, StructsAreThoseOfDlpack) {
  Given given{{0, 32, 1}, {2}, {1}, std::vector<unsigned char>(8)};
  const auto program = program_of(recorded_fields(given.managed(), "exported.flags == 1"));
  EXPECT_EQ(exit_code(program, "-I" DLPACK_INCLUDE " -include dlpack/dlpack.h"), 1);
}

TEST_F(Recorded, StridesInBytesShowInTheElements) {
  std::vector<unsigned char> memory(32);
  std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(0));
  Given given{{1, 16, 1}, {2, 2}, {4, 2}, memory};
  const Statements statements = recorded_elements(given.managed(), bytes({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(exit_code(statements), 1);
  EXPECT_EQ(exit_code(corrected(statements, "{4, 2}", "{2, 1}")), 0);
}

TEST_F(Recorded, ElementsOfALegacyTensorWithoutStrides) {
  std::vector<unsigned char> memory{9, 9, 1, 2, 3, 4};
  DLManagedTensor head{};
  std::int64_t shape[] = {2, 2};
  head.dl_tensor = {memory.data(), {kDLCPU, 0}, 2, {1, 8, 1}, shape, nullptr, 0};
  const Statements statements = recorded_elements({DLCERT_LEGACY, 0, &head}, bytes({1, 2, 3, 4}));
  EXPECT_EQ(exit_code(statements), 1);
  head.dl_tensor.byte_offset = 2;
  EXPECT_EQ(exit_code(recorded_elements({DLCERT_LEGACY, 0, &head}, bytes({1, 2, 3, 4}))), 0);
}

TEST_F(Recorded, ElementsBeforeData) {
  std::vector<unsigned char> memory{1, 2, 3};
  Given given{{1, 8, 1}, {3}, {-1}, memory};
  given.head.dl_tensor.data = given.memory.data() + 2;
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), bytes({3, 2, 1}))), 0);
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), bytes({1, 2, 3}))), 1);
  given.head.dl_tensor.data = given.memory.data() + 4;
  given.head.dl_tensor.byte_offset = UINT64_MAX - 1;
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), bytes({3, 2, 1}))), 0);
}

TEST_F(Recorded, SmallElementsArePackedUnlessTheFlagSaysSo) {
  Given packed{{kDLFloat4_e2m1fn, 4, 1}, {3}, {1}, {0x21, 0x03}};
  const Statements statements = recorded_elements(packed.managed(), bytes({1, 2, 3}));
  EXPECT_EQ(exit_code(statements), 0);
  EXPECT_EQ(exit_code(recorded_elements(packed.managed(), bytes({2, 1, 3}))), 1);
  Given padded{{kDLFloat4_e2m1fn, 4, 1}, {3}, {1}, {1, 2, 3}};
  EXPECT_EQ(exit_code(recorded_elements(padded.managed(), bytes({1, 2, 3}))), 1);
  padded.head.flags = DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED;
  EXPECT_EQ(exit_code(recorded_elements(padded.managed(), bytes({1, 2, 3}))), 0);
}

// The harness's own reading and the program's are the same.
TEST_F(Recorded, ElementsAreWhatTheHarnessGathers) {
  std::vector<unsigned char> memory(64);
  std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(7));
  for (const DLDataType dtype : {DLDataType{1, 8, 1},
                                 {2, 32, 1},
                                 {0, 16, 2},
                                 {15, 6, 1},
                                 {1, 1, 1},
                                 {1, 2, 2},
                                 {5, 64, 1}}) {
    TensorSpec spec = compact_spec({dtype.code, dtype.bits, dtype.lanes}, {2, 1, 3});
    spec.strides = {1, INT64_MIN, 2};
    Given given{dtype, spec.shape, spec.strides, memory};
    const Bytes logical = gather(spec, reinterpret_cast<const std::byte*>(given.memory.data()));
    EXPECT_EQ(exit_code(recorded_elements(given.managed(), logical)), 0) << to_text(spec.dtype);
  }
}

TEST_F(Recorded, AnotherNumberOfElementsNeedsNoMemory) {
  Given given{{1, 8, 1}, {3}, {1}, {1, 2, 3}};
  given.head.dl_tensor.data = nullptr;
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), bytes({1, 2}))), 1);
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), {})), 1);
  given.head.dl_tensor.ndim = -1;
  EXPECT_EQ(exit_code(recorded_elements(given.managed(), bytes({1, 2, 3}))), 1);
  EXPECT_EQ(exit_code(recorded_fields(given.managed(), "exported.dl_tensor.ndim >= 0")), 1);
}

TEST_F(Recorded, NothingWhereNothingCanBeRead) {
  Given given{{1, 8, 1}, {3}, {1}, {1, 2, 3}};
  auto* const nowhere = reinterpret_cast<std::int64_t*>(std::uintptr_t{16});
  EXPECT_TRUE(recorded_fields({DLCERT_VERSIONED, 0, nowhere}, "1").empty());
  EXPECT_TRUE(recorded_fields({DLCERT_LEGACY, 0, nullptr}, "1").empty());
  given.head.dl_tensor.data = nowhere;
  EXPECT_FALSE(recorded_fields(given.managed(), "1").empty());
  EXPECT_TRUE(recorded_elements(given.managed(), bytes({1, 2, 3})).empty());
  given.head.dl_tensor.shape = nowhere;
  EXPECT_TRUE(recorded_fields(given.managed(), "1").empty());
}

TEST_F(Recorded, NothingThatIsTooLarge) {
  Given far{{1, 8, 1}, {2}, {INT64_MAX}, {1, 2}};
  EXPECT_TRUE(recorded_elements(far.managed(), bytes({1, 2})).empty());
  Given large{{1, 8, 1}, {600}, {1}, std::vector<unsigned char>(600)};
  EXPECT_TRUE(recorded_elements(large.managed(), Bytes(600)).empty());
  Given apart{{1, 8, 1}, {2}, {1}, {1, 2}};
  apart.head.dl_tensor.data = apart.memory.data() - 4096;
  apart.head.dl_tensor.byte_offset = 4096;
  EXPECT_TRUE(recorded_elements(apart.managed(), bytes({1, 2})).empty());
  Given deep{{1, 8, 1}, std::vector<std::int64_t>(65, 1), {}, {1}};
  EXPECT_TRUE(recorded_fields(deep.managed(), "1").empty());
}

TEST(RecordedAtAll, OnlyWhileACaseIsDescribed) {
  Given given{{1, 8, 1}, {3}, {1}, {1, 2, 3}};
  EXPECT_TRUE(recorded_fields(given.managed(), "1").empty());
  EXPECT_TRUE(recorded_elements(given.managed(), bytes({1, 2, 3})).empty());
}

TEST_F(Recorded, ShowsAllCallsHoweverManyThereAre) {
  Given given{{1, 8, 1}, {250}, {1}, std::vector<unsigned char>(250)};
  RecordedProgram program = program_of(recorded_elements(given.managed(), Bytes(250)));
  ASSERT_FALSE(program.statements.empty());
  const std::string message = std::string(10'000, 'x') + "\nmore\nlines";
  program.message = message;
  program.trace = Statements(500, "t1 = create()");
  const std::string source = to_source(program);
  std::istringstream lines{source};
  int calls = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    calls += line == " *   t1 = create()" ? 1 : 0;
  }
  EXPECT_EQ(calls, 500);
  EXPECT_EQ(exit_code(program), 0);
}

TEST_F(Recorded, HasALineForEachRowOfBytes) {
  Given given{{1, 8, 1}, {256}, {1}, std::vector<unsigned char>(256, 0xdb)};
  const std::string source =
      to_source(program_of(recorded_elements(given.managed(), Bytes(256, std::byte{0xdb}))));
  std::istringstream lines{source};
  int rows = 0;
  for (std::string line; std::getline(lines, line);)
    rows += line.starts_with("    0xdb, ") ? 1 : 0;
  EXPECT_EQ(rows, 2 * 256 / 16) << source;
  EXPECT_LE(std::ranges::count(source, '\n'), 80);
}

TEST_F(Recorded, IsCWhateverTheTextsHold) {
  Given given{{0, 32, 1}, {2}, {1}, std::vector<unsigned char>(8)};
  RecordedProgram program = program_of(recorded_fields(given.managed(), "exported.flags == 1"));
  const std::string hostile = "*/ int x = 1; /* ?\?/\n\" \\ \t \x01 \u202e */ #error\n#error";
  program.requirement = program.sentence = program.library = program.message = program.program =
      hostile;
  program.trace = {hostile, hostile};
  EXPECT_EQ(exit_code(program), 1);
}

}  // namespace
}  // namespace dlcert
