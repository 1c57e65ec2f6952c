// SPDX-License-Identifier: Apache-2.0
#include "standalone/standalone.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dlcert/suite/program_step.hpp>
#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/spy.hpp>

#include "standalone/c_layout.hpp"
#include "standalone/python_program.hpp"
#include "worker/parties.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

struct Ran {
  int status = -1;
  std::string output;

  int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
  bool says(std::string_view text) const { return output.find(text) != std::string::npos; }
};

Ran shell(const std::string& command) {
  Ran ran;
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> chunk;
  while (const std::size_t length = std::fread(chunk.data(), 1, chunk.size(), pipe))
    ran.output.append(chunk.data(), length);
  ran.status = ::pclose(pipe);
  return ran;
}

// Compiled as strictly as C11 goes, then run.
Ran compile_and_run(const std::string& name, const StandaloneProgram& program) {
  const std::string folder = testing::TempDir() + name + "_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string base = folder + "/" + name;
  std::ofstream{folder + "/" + std::string{standalone_header_name}} << standalone_header();
  const std::string source = to_source(program);
  std::ofstream{base + ".c"} << source;
  std::istringstream lines{source};
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 100u) << line;
  const Ran compiled = shell(std::string{C_COMPILER} +
                             " -std=c11 -pedantic-errors -Wall -Wextra -Wno-unused-variable "
                             "-Wno-unused-function -Werror -o " +
                             base + " " + base + ".c -ldl");
  Ran ran = compiled.status == 0 ? shell(base) : compiled;
  std::filesystem::remove_all(folder);
  return ran;
}

UnitRecord failing_record(void (*body)(Case&), Role role, int adapter = 0,
                          Isolation isolation = Isolation::shared) {
  static const Settings settings;
  static Parties parties{std::vector<AdapterSource>{C_EXAMPLE, REFERENCE}};
  Unit unit{.seed = 1, .cases = 10};
  (role == Role::producer ? unit.producer : unit.consumer) = adapter;
  const Check check{.sentence = "it holds", .role = role, .isolation = isolation, .body = body};
  const Binding binding = parties.bind(unit, role, settings);
  Position position{};
  return run_unit(check, binding, unit, {.position = position});
}

StandaloneProgram program_of(const UnitRecord& record) {
  StandaloneProgram program;
  program.requirement = "test.requirement";
  program.sentence = "a sentence that tries to end the comment */ early";
  program.library = "narray 1.0";
  program.message = record.message;
  program.adapter = C_EXAMPLE;
  program.steps = record.counterexample.value().program;
  EXPECT_EQ(why_not_in_c(program.steps, false), "");
  return program;
}

// It breaks the rule, or keeps it, and says what was expected and found.
void expect_judgement(const Ran& ran, int code, std::string_view expected, std::string_view found) {
  EXPECT_EQ(ran.code(), code) << ran.output;
  EXPECT_TRUE(ran.says(code == 1 ? breaks_line : keeps_line)) << ran.output;
  EXPECT_TRUE(ran.says("expected: " + std::string{expected} + "\n")) << ran.output;
  EXPECT_TRUE(ran.says("found:    " + std::string{found} + "\n")) << ran.output;
}

Tensor made(const Case& c, const Bytes& logical = Bytes(24, std::byte{7})) {
  return require(c.producer.create(compact_spec({2, 32, 1}, {2, 3}), logical), "create");
}

TEST(Standalone, JudgesTheElementsThatTheLibraryReads) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const Tensor tensor = made(c);
        static_cast<void>(require(c.producer.describe(tensor), "describe"));
        expect_equal("elements", Bytes(24, std::byte{8}),
                     require(c.producer.read(tensor, 24), "read"));
      },
      Role::producer);
  StandaloneProgram program = program_of(record);
  // What is not judged makes no difference.
  EXPECT_EQ(to_source(program).find("describe"), std::string::npos);
  expect_judgement(compile_and_run("reads", program), 1,
                   "080808080808080808080808080808080808080808080808",
                   "070707070707070707070707070707070707070707070707");
}

TEST(Standalone, JudgesADescription) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const Tensor tensor = made(c);
        const Description found = require(c.producer.describe(tensor), "describe");
        expect_equal("shape", std::vector<std::int64_t>{3, 2}, found.shape);
      },
      Role::producer);
  expect_judgement(compile_and_run("describes", program_of(record)), 1, "[3, 2]", "[2, 3]");
}

TEST(Standalone, JudgesAFieldOfAnExport) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const Tensor tensor = made(c);
        const Managed managed =
            require(c.producer.export_managed(tensor, request_version(1, 3)), "export");
        expect_field(managed, false, "exported.dl_tensor.ndim == 7", "wrong");
      },
      Role::producer);
  expect_judgement(compile_and_run("field", program_of(record)), 1,
                   "versioned(m1)->dl_tensor.ndim == 7", "that does not hold");
}

TEST(Standalone, JudgesHowOftenADeleterIsCalled) {
  const auto body = [](Case& c) {
    const TensorSpec spec = compact_spec({2, 32, 1}, {2, 2});
    const auto offer = make_offer(spec, Bytes(16, std::byte{5}), Form::versioned);
    { const Tensor taken = require(c.consumer.import_managed(offer->managed()), "import"); }
    expect_deletions(2, *offer);
  };
  StandaloneProgram program = program_of(failing_record(body, Role::consumer));
  expect_judgement(compile_and_run("deletions", program), 1, "2", "1");
}

TEST(Standalone, JudgesARefusalThatIsMissing) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const auto offer = make_offer(compact_spec({2, 32, 1}, {1}), Bytes(4), Form::versioned);
        const Outcome<Tensor> outcome = c.consumer.import_managed(offer->managed());
        expect_refusal(!outcome.ok(), "accepted");
      },
      Role::consumer);
  expect_judgement(compile_and_run("no_refusal", program_of(record)), 1, "an error", "success");
}

Error refusal_of(Case& c) {
  Descriptor descriptor;
  descriptor.ndim = -1;
  Offer offer{descriptor, Bytes(4)};
  const Outcome<Tensor> outcome = c.consumer.import_managed(offer.managed());
  offer.release_from_harness();
  if (outcome.ok()) fail("accepted");
  return outcome.error();
}

TEST(Standalone, JudgesARefusalThatMustNotBe) {
  const UnitRecord record =
      failing_record([](Case& c) { fail_by_error(refusal_of(c).message); }, Role::consumer);
  const Ran ran = compile_and_run("refusal", program_of(record));
  EXPECT_EQ(ran.code(), 1) << ran.output;
  EXPECT_TRUE(ran.says("expected: success\n")) << ran.output;
}

TEST(Standalone, JudgesTheKindOfARefusal) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        static_cast<void>(refusal_of(c));
        fail("kind", {.by = Judgement::By::kind, .expected = "OSError, IndexError"});
      },
      Role::consumer);
  StandaloneProgram program = program_of(record);
  const Ran ran = compile_and_run("kind", program);
  EXPECT_EQ(ran.code(), 1) << ran.output;
  EXPECT_TRUE(ran.says("expected: OSError, IndexError\n")) << ran.output;
}

TEST(Standalone, CallsAnObjectOfItsOwn) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const auto offer = make_offer(compact_spec({2, 32, 1}, {1}), Bytes(4), Form::versioned);
        SpyProducer object{{1, 0}, offer.get(), c.consumer, false};
        {
          const Tensor taken =
              require(c.consumer.import_from(object.c(), import_request()), "import");
        }
        expect_deletions(3, *offer);
      },
      Role::consumer, 1);
  StandaloneProgram program = program_of(record);
  program.adapter = REFERENCE;
  const Ran ran = compile_and_run("calls_an_object", program);
  expect_judgement(ran, 1, "3", "1");
  EXPECT_TRUE(ran.says("dlpack() is called")) << ran.output;
}

// A recording travels with its failure, also from a process of the case's own.
TEST(Standalone, LeavesAStructThatBreaksARuleToAProgramWithoutTheLibrary) {
  for (const Isolation isolation : {Isolation::shared, Isolation::process_per_case}) {
    const UnitRecord record = failing_record(
        [](Case& c) {
          const Tensor tensor = made(c);
          const Managed managed =
              require(c.producer.export_managed(tensor, request_version(1, 3)), "export");
          expect_field(managed, false, "exported.dl_tensor.ndim == 7", "wrong");
        },
        Role::producer, 0, isolation);
    const std::vector<std::string>& recording = record.counterexample.value().recording;
    ASSERT_FALSE(recording.empty());
    EXPECT_EQ(recording.front(), "static int64_t shape[] = {2, 3};");
    EXPECT_EQ(recording.back(), "return MUST(exported.dl_tensor.ndim == 7);");
  }
}

// ---- steps by hand ----

std::string call(std::string code, std::string name = {}, std::string type = {}) {
  return to_line({.kind = ProgramStep::Kind::call,
                  .code = std::move(code),
                  .name = std::move(name),
                  .type = std::move(type)});
}

StandaloneProgram program_with(std::vector<std::string> steps) {
  StandaloneProgram program;
  program.requirement = "test.requirement";
  program.sentence = "it holds";
  program.library = "narray 1.0";
  program.message = "it does not";
  program.adapter = C_EXAMPLE;
  program.steps = std::move(steps);
  return program;
}

std::string judged(std::string code) {
  return to_line(to_step(
      {.by = Judgement::By::condition, .code = std::move(code), .type = "judge_condition"}));
}

const std::string refused_import =
    "import_managed(library, offer(OFFER(.form = DLCERT_VERSIONED, .major = 1, .minor = 3, "
    ".dtype = {2, 32, 1}, .device = {1, 0}, .ndim = -1), \"00000000\"))";
const std::string refused = to_line({.kind = ProgramStep::Kind::raised, .code = "ValueError"});
const std::string required = to_line({.kind = ProgramStep::Kind::required});

TEST(Standalone, KeepsTheRuleIfTheLastCallMayBeRefused) {
  const StandaloneProgram program = program_with({call(refused_import), judged("1 == 2")});
  EXPECT_EQ(compile_and_run("may_be_refused", program).code(), 0);
  StandaloneProgram other = program_with({call(refused_import), required, judged("1 == 2")});
  const Ran ran = compile_and_run("must_be_accepted", other);
  EXPECT_EQ(ran.code(), 2) << ran.output;
  EXPECT_TRUE(ran.says("unexpected: import_managed: expected success")) << ran.output;
}

// A library that reads there must not find right values by chance.
TEST(Standalone, HasNoZerosBeforeItsOffers) {
  const std::string offer = to_line(
      {.kind = ProgramStep::Kind::own,
       .code =
           "offer(OFFER(.form = DLCERT_VERSIONED, .dtype = {1, 8, 1}, .device = {1, 0}), \"00\")",
       .name = "m1",
       .type = "dlcert_managed"});
  const std::string before = "((const unsigned char*)versioned(m1)->dl_tensor.data)[-1]";
  const Ran ran =
      compile_and_run("before_offers", program_with({offer, judged(before + " == NO_ELEMENT")}));
  EXPECT_EQ(ran.code(), 0) << ran.output;
}

TEST(Standalone, GoesOnBehindARefusalThatWasThere) {
  const StandaloneProgram program = program_with({call(refused_import), refused, judged("1 == 2")});
  EXPECT_EQ(compile_and_run("was_refused", program).code(), 1);
}

TEST(Standalone, MakesItsCallsInAProcessOfTheirOwn) {
  const std::vector<std::string> crash{call("abort()")};
  StandaloneProgram program = program_with(crash);
  program.ends_process = true;
  Ran ran = compile_and_run("crashes", program);
  EXPECT_EQ(ran.code(), 1) << ran.output;
  EXPECT_TRUE(ran.says("ended by SIGABRT\nthe library breaks the rule")) << ran.output;
  program.steps = {call("_exit(3)")};
  ran = compile_and_run("exits", program);
  EXPECT_EQ(ran.code(), 1) << ran.output;
  EXPECT_TRUE(ran.says("ended early with exit status 3\n")) << ran.output;
  program.steps = {call("drop(library, NULL)")};
  EXPECT_EQ(compile_and_run("survives", program).code(), 0);
  // Where the fault is no crash, that is something else.
  program = program_with({call("abort()"), judged("1 == 2")});
  EXPECT_EQ(compile_and_run("crashes_before", program).code(), 2);
}

TEST(Standalone, SaysWhyThereIsNoProgram) {
  EXPECT_EQ(why_not_in_c({call(refused_import)}, false), "no assertion is recorded");
  EXPECT_EQ(why_not_in_c({call(refused_import), to_line(to_step({}))}, false),
            "only dlcert can see what is wrong");
  const std::string missing =
      to_line({.kind = ProgramStep::Kind::missing, .code = "library.synchronize()"});
  EXPECT_EQ(why_not_in_c({missing, judged("1 == 2")}, false),
            "no program can do this: library.synchronize()");
  EXPECT_EQ(why_not_in_c({missing, call(refused_import)}, true),
            "no program can do this: library.synchronize()");
  EXPECT_EQ(why_not_in_c({judged("1 == 2"), missing}, false), "");
}

TEST(Standalone, HasAStatementForEachLineHoweverManyThereAre) {
  std::vector<std::string> steps(500, call("drop(library, NULL)"));
  steps.push_back(judged("1 == 2"));
  const std::string source = to_source(program_with(std::move(steps)));
  std::istringstream lines{source};
  int statements = 0;
  for (std::string line; std::getline(lines, line);)
    statements += line == "  drop(library, NULL);" ? 1 : 0;
  EXPECT_EQ(statements, 499);  // the last one may be refused
}

TEST(Standalone, BreaksLongLinesBehindCommasAndWithinStrings) {
  const std::string hex(150, 'a');
  const auto lines = c_lines(
      "dlcert_tensor* t1 = create(library, SPEC(.dtype = {2, 32, 1}, .device = {1, 0}, .ndim "
      "= 2, .shape = LIST(2, 3), .strides = LIST(3, 1), .storage_size = 6), \"" +
          hex + "\");",
      2);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(
      lines[0],
      "  dlcert_tensor* t1 = create(library, SPEC(.dtype = {2, 32, 1}, .device = {1, 0}, .ndim "
      "= 2,");
  EXPECT_EQ(lines[1].find(".shape"), lines[0].find(".dtype"));
  for (const std::string& line : lines)
    EXPECT_LE(line.size(), 100u) << line;
}

TEST(Standalone, IsCWhateverTheTextsHold) {
  const std::string hostile = "*/ int x = 1; /* ?\?/\n\" \\ \t \x01 \u202e */ #error\n#error";
  StandaloneProgram program = program_with({judged("1 == 2")});
  program.requirement = program.sentence = program.library = program.message = hostile;
  const std::string path = "/no where/\"q\"\n?\?/\\x.so";
  program.adapter = path;
  const Ran ran = compile_and_run("hostile_texts", program);
  EXPECT_EQ(ran.code(), 2) << ran.output;
  EXPECT_TRUE(ran.says(path)) << ran.output;
}

TEST(Standalone, SaysWhichModuleItCannotLoad) {
  StandaloneProgram program = program_with({judged("1 == 2")});
  program.adapter = "/nowhere/x.so";
  const Ran ran = compile_and_run("cannot_load", program);
  EXPECT_EQ(ran.code(), 2);
  EXPECT_TRUE(ran.says("/nowhere/x.so")) << ran.output;
}

}  // namespace
}  // namespace dlcert
