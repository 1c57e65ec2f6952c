// SPDX-License-Identifier: Apache-2.0
#include "standalone/standalone.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <dlcert/suite/recording.hpp>
#include <dlcert/suite/spy.hpp>

#include "worker/parties.hpp"
#include "worker/unit.hpp"

namespace dlcert {
namespace {

struct Ran {
  int status = -1;
  std::string output;
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
  std::ofstream{base + ".c"} << to_source(program);
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
  program.library = "narray";
  program.message = record.message;
  program.adapter = C_EXAMPLE;
  program.statements = record.counterexample.value().program;
  return program;
}

TEST(Standalone, RepeatsAnExport) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
        const Tensor made = require(c.producer.create(spec, Bytes(24, std::byte{7})), "create");
        static_cast<void>(require(c.producer.describe(made), "describe"));
        const Managed managed =
            require(c.producer.export_managed(made, request_version(1, 3)), "export");
        fail("always");
      },
      Role::producer);
  const Ran ran = compile_and_run("repeats_an_export", program_of(record));
  EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
  EXPECT_NE(ran.output.find("create\n  ok"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("export_managed\n  ok"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("shape [2, 3]"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("call the deleter"), std::string::npos) << ran.output;
}

// A recording travels with its failure, also from a process of the case's own.
TEST(Standalone, LeavesAStructThatBreaksARuleToAProgramWithoutTheLibrary) {
  for (const Isolation isolation : {Isolation::shared, Isolation::process_per_case}) {
    const UnitRecord record = failing_record(
        [](Case& c) {
          const TensorSpec spec = compact_spec({2, 32, 1}, {2, 3});
          const Tensor made = require(c.producer.create(spec, Bytes(24)), "create");
          const Managed managed =
              require(c.producer.export_managed(made, request_version(1, 3)), "export");
          expect_field(managed, false, "exported.dl_tensor.ndim == 7", "wrong");
        },
        Role::producer, 0, isolation);
    const std::vector<std::string>& recording = record.counterexample.value().recording;
    ASSERT_FALSE(recording.empty());
    EXPECT_EQ(recording.front(), "static int64_t shape[] = {2, 3};");
    EXPECT_EQ(recording.back(), "return MUST(exported.dl_tensor.ndim == 7);");
  }
}

TEST(Standalone, RepeatsAnImportAndCountsDeleterCalls) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const TensorSpec spec = compact_spec({2, 32, 1}, {2, 2});
        const auto offer = make_offer(spec, Bytes(16, std::byte{5}), Form::versioned);
        {
          const Tensor taken = require(c.consumer.import_managed(offer->managed()), "import");
          static_cast<void>(require(c.consumer.read(taken, 16), "read"));
        }
        expect_equal("deleter calls", 2, offer->deleter_calls());
      },
      Role::consumer);
  EXPECT_EQ(record.message, "deleter calls: expected 2 but found 1");
  const Ran ran = compile_and_run("repeats_an_import", program_of(record));
  EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
  EXPECT_NE(ran.output.find("import_managed\n  ok"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("05050505050505050505050505050505"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("m1: 1 deleter calls"), std::string::npos) << ran.output;
}

TEST(Standalone, RepeatsARefusal) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        Descriptor descriptor;
        descriptor.ndim = -1;
        Offer offer{descriptor, Bytes(4)};
        const Outcome<Tensor> outcome = c.consumer.import_managed(offer.managed());
        const bool refused = !outcome.ok();
        offer.release_from_harness();
        expect(!refused, "refused");
      },
      Role::consumer);
  const Ran ran = compile_and_run("repeats_a_refusal", program_of(record));
  EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
  EXPECT_NE(ran.output.find("import_managed\n  error kind"), std::string::npos) << ran.output;
}

// Such a call has an answer of its own: the next call's is not taken for it.
TEST(Standalone, RepeatsACallThatCannotBeFormed) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const TensorSpec spec = compact_spec({2, 32, 1}, {2});
        const Tensor made = require(c.producer.create(spec, Bytes(8)), "create");
        dlcert_request to_a_device = request_version(1, 3);
        to_a_device.dl_device.tag = DLCERT_PAIR;
        to_a_device.dl_device.first = kDLCPU;
        try {
          static_cast<void>(c.producer.export_managed(made, to_a_device));
        } catch (const NotFormable&) {
          static_cast<void>(require(c.producer.describe(made), "describe"));
          fail("the next call");
        }
      },
      Role::producer);
  EXPECT_EQ(record.message, "the next call");
  const Ran ran = compile_and_run("repeats_a_call_not_formed", program_of(record));
  EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
  EXPECT_NE(ran.output.find("not formable"), std::string::npos) << ran.output;
}

TEST(Standalone, RepeatsAnImportFromAnObject) {
  const UnitRecord record = failing_record(
      [](Case& c) {
        const TensorSpec spec = compact_spec({2, 32, 1}, {1});
        const auto offer = make_offer(spec, Bytes(4), Form::versioned);
        SpyProducer object{{1, 0}, offer.get(), c.consumer, false};
        {
          const Tensor taken =
              require(c.consumer.import_from(object.c(), import_request()), "import");
        }
        fail("always");
      },
      Role::consumer, 1);
  StandaloneProgram program = program_of(record);
  program.adapter = REFERENCE;
  const Ran ran = compile_and_run("repeats_an_import_from", program);
  EXPECT_EQ(WEXITSTATUS(ran.status), 1) << ran.output;
  EXPECT_NE(ran.output.find("dlpack() is called"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("m1: 1 deleter calls"), std::string::npos) << ran.output;
}

// The program's own answers are what it compares: of a library that was mended, one differs.
TEST(Standalone, ExitsWithZeroWhereTheLibraryAnswersOtherwise) {
  StandaloneProgram program;
  program.adapter = C_EXAMPLE;
  program.statements = {"saw(\"refused\");"};
  EXPECT_EQ(compile_and_run("answers_otherwise", program).status, 0);
}

TEST(Standalone, EndsAsTheLibraryEndsItOrWithZero) {
  StandaloneProgram program;
  program.adapter = C_EXAMPLE;
  program.ends_process = true;
  program.statements = {"drop(library, NULL);"};
  EXPECT_EQ(compile_and_run("does_not_crash", program).status, 0);
  program.statements = {"abort();"};
  EXPECT_EQ(WEXITSTATUS(compile_and_run("crashes", program).status), 128 + SIGABRT);
}

TEST(Standalone, IsOnePageHoweverManyStepsThereAre) {
  const std::string message = std::string(10'000, 'x') + "\nmore\nlines";
  StandaloneProgram program;
  program.adapter = C_EXAMPLE;
  program.message = message;
  for (int i = 0; i < 500; ++i) {
    program.statements.push_back("drop(library, NULL);");
    program.statements.push_back("saw(\"no answer\");");
  }
  const std::string source = to_source(program);
  EXPECT_LE(std::ranges::count(source, '\n'), 80) << source;
  EXPECT_EQ(WEXITSTATUS(compile_and_run("one_page", program).status), 1);
}

TEST(Standalone, IsCWhateverTheTextsHold) {
  const std::string hostile = "*/ int x = 1; /* ?\?/\n\" \\ \t \x01 \u202e */ #error\n#error";
  StandaloneProgram program;
  program.requirement = program.sentence = program.library = program.message = hostile;
  const std::string path = "/no where/\"q\"\n?\?/\\x.so";
  program.adapter = path;
  const Ran ran = compile_and_run("hostile_texts", program);
  EXPECT_EQ(WEXITSTATUS(ran.status), 2) << ran.output;
  EXPECT_NE(ran.output.find(path), std::string::npos) << ran.output;
}

TEST(Standalone, SaysWhichModuleItCannotLoad) {
  StandaloneProgram program;
  program.adapter = "/nowhere/x.so";
  const Ran ran = compile_and_run("cannot_load", program);
  EXPECT_EQ(WEXITSTATUS(ran.status), 2);
  EXPECT_NE(ran.output.find("/nowhere/x.so"), std::string::npos) << ran.output;
}

}  // namespace
}  // namespace dlcert
