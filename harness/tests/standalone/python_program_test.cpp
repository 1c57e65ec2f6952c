// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include <dlcert/suite/program_step.hpp>

#include "standalone/python_layout.hpp"

namespace dlcert {
namespace {

using Kind = ProgramStep::Kind;
using By = Judgement::By;
using Steps = std::vector<ProgramStep>;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

ProgramStep call(std::string code, std::string name = {}, std::string reference = {}) {
  return {.kind = Kind::call,
          .code = std::move(code),
          .name = std::move(name),
          .reference = std::move(reference)};
}

ProgramStep own(std::string code, std::string name = {}) {
  return {.kind = Kind::own, .code = std::move(code), .name = std::move(name)};
}

ProgramStep of(Kind kind, std::string code) {
  return {.kind = kind, .code = std::move(code)};
}

// What a worker writes of a case: the lines of its steps behind the imports.
std::vector<std::string> lines_of(const Steps& steps) {
  std::vector<std::string> lines{to_line(of(Kind::imports, "import acme")),
                                 to_line(of(Kind::imports, "from acme import from_dlpack"))};
  for (const ProgramStep& one : steps)
    lines.push_back(to_line(one));
  return lines;
}

std::string text_of(const Steps& steps, CalledLibrary library = CalledLibrary::tested) {
  PythonProgram program;
  program.requirement = "test.requirement";
  program.sentence = "it holds";
  program.library = "acme 2.1";
  program.message = "expected 1\nbut found 2";
  program.source = "a page";
  program.steps = lines_of(steps);
  return to_source(program, library);
}

std::string why_not(const Steps& steps, bool ends_process = false) {
  return why_not_in_python(lines_of(steps), ends_process);
}

const ProgramStep zeros = call("acme.zeros(3)", "tensor1", "dlcert_reference.Array(b\"\")");
const ProgramStep ends_so = of(Kind::required, {});
const ProgramStep refusal = to_step({.by = By::refusal});

TEST(PythonProgram, SaysWhatIsWrongAndHowItEnds) {
  const std::string text = text_of({zeros, call("tensor1.__dlpack__(stream=3)"), refusal});
  EXPECT_TRUE(
      text.starts_with("# acme 2.1: expected 1 but found 2\n#\n"
                       "# Rule (test.requirement): it holds.\n# Source: a page\n"
                       "# Exit code: 1 if the library breaks the rule"))
      << text;
  EXPECT_TRUE(contains(text, "\nimport acme\nfrom acme import from_dlpack\n")) << text;
  EXPECT_TRUE(contains(text,
                       "\n\ntensor1 = acme.zeros(3)\n"
                       "judge_refusal(lambda: tensor1.__dlpack__(stream=3))\n"))
      << text;
  EXPECT_FALSE(contains(text, "ctypes")) << "it needs none: " << text;
}

TEST(PythonProgram, CallsTheReferenceAlike) {
  const Steps steps{zeros, call("tensor1.__dlpack__(stream=3)"), refusal};
  const std::string text = text_of(steps, CalledLibrary::reference);
  EXPECT_TRUE(contains(text, "\nimport dlcert_reference\n")) << text;
  EXPECT_TRUE(contains(text, "\ntensor1 = dlcert_reference.Array(b\"\")\n")) << text;
  EXPECT_FALSE(contains(text, "acme.zeros")) << text;
  const ProgramStep lazy = call("acme.lazy()", "tensor1", "-");
  EXPECT_EQ(text_of({lazy, refusal}, CalledLibrary::reference), "");
}

TEST(PythonProgram, ComparesOnlyWhatTheAssertionCompared) {
  const Steps steps{zeros,
                    ends_so,
                    of(Kind::question, "tensor1.size"),
                    of(Kind::answered, "3"),
                    of(Kind::question, "tensor1.hex()"),
                    of(Kind::answered, "\"0100\""),
                    to_step({.by = By::answer, .expected = "\"0000\"", .found = "\"0100\""}),
                    of(Kind::dropped, "tensor1")};
  const std::string text = text_of(steps);
  EXPECT_TRUE(contains(text, "\ntensor1 = acme.zeros(3)\njudge(tensor1.hex(), \"0000\")\n"))
      << text;
  EXPECT_FALSE(contains(text, "tensor1.size")) << text;
  EXPECT_TRUE(text.ends_with("\"0000\")\n")) << text;
}

TEST(PythonProgram, TakesARefusalThatTheCheckTakes) {
  const ProgramStep wrong = to_step({.by = By::value, .expected = "1", .code = "capsule1.size"});
  const ProgramStep exported = call("tensor1.__dlpack__(copy=True)", "capsule1");
  EXPECT_TRUE(contains(text_of({zeros, exported, wrong}),
                       "\ncapsule1 = unless_refused(lambda: tensor1.__dlpack__(copy=True))\n"));
  EXPECT_TRUE(contains(text_of({zeros, exported, ends_so, wrong}),
                       "\ncapsule1 = tensor1.__dlpack__(copy=True)\n"));
}

TEST(PythonProgram, JudgesAValueByItsExpression) {
  const Steps steps{own("offer(b\"\")", "managed1"), own("Producer((1, 0), managed1)", "producer1"),
                    call("from_dlpack(producer1)", "tensor1"), of(Kind::raised, "ValueError"),
                    to_step({.by = By::value, .expected = "1", .code = "deletions(managed1)"})};
  const std::string text = text_of(steps);
  EXPECT_TRUE(contains(text,
                       "\nrefused(lambda: from_dlpack(producer1))\n"
                       "judge(deletions(managed1), 1)\n"))
      << text;
  for (const std::string_view part : {"class Producer:", "def deletions(", "def new_capsule(",
                                      "def offer(", "class DLTensor(", "import gc\n"})
    EXPECT_TRUE(contains(text, part)) << part;
  EXPECT_FALSE(contains(text, "def elements(")) << text;
}

TEST(PythonProgram, JudgesHowTheLastRefusedCallIsRefused) {
  const Steps steps{zeros, call("tensor1.__dlpack__(copy=False)"), of(Kind::raised, "TypeError")};
  Steps kind = steps, success = steps;
  kind.push_back(to_step({.by = By::kind, .expected = "BufferError"}));
  success.push_back(to_step({.by = By::success}));
  EXPECT_TRUE(contains(text_of(kind),
                       "\njudge_kind_of_refusal(lambda: "
                       "tensor1.__dlpack__(copy=False), BufferError)\n"));
  kind.insert(kind.end() - 1, ends_so);  // it had to end as it did
  EXPECT_TRUE(contains(text_of(kind),
                       "\njudge_refusal(lambda: "
                       "tensor1.__dlpack__(copy=False), BufferError)\n"));
  EXPECT_TRUE(
      contains(text_of(success), "\njudge_success(lambda: tensor1.__dlpack__(copy=False))\n"));
}

TEST(PythonProgram, TakesNothingButACapsuleForOne) {
  const std::string text = text_of({zeros, call("tensor1.__dlpack__()", "capsule1"),
                                    of(Kind::raised, "TypeError"), to_step({.by = By::success})});
  EXPECT_TRUE(contains(text, "\njudge_capsule(lambda: tensor1.__dlpack__())\n")) << text;
}

TEST(PythonProgram, ImportsALibraryOnce) {
  const auto imports = [](std::string line) { return of(Kind::imports, std::move(line)); };
  const std::string once = text_of({imports("from acme import from_dlpack"), zeros, refusal});
  EXPECT_EQ(once.find("from acme import"), once.rfind("from acme import")) << once;
  const std::string again = text_of({imports("from other import from_dlpack"),
                                     imports("from acme import from_dlpack"), zeros, refusal});
  EXPECT_NE(again.find("from acme import"), again.rfind("from acme import")) << again;
}

TEST(PythonProgram, TakesTheLastFailure) {
  const Steps steps{zeros, call("tensor1.one()"), refusal, call("tensor1.two()"), refusal};
  EXPECT_TRUE(contains(text_of(steps), "judge_refusal(lambda: tensor1.two())"));
}

TEST(PythonProgram, HasNothingThatItDoesNotNeed) {
  const Steps steps{zeros,
                    own("offer(b\"\")", "managed1"),
                    call("tensor1.__dlpack__()", "capsule1"),
                    own("managed_in(capsule1)", "managed2"),
                    call("acme.never()", "tensor2"),
                    of(Kind::not_made, ""),
                    of(Kind::dropped, "tensor2"),
                    of(Kind::dropped, "managed1"),
                    call("tensor1.one()"),
                    refusal};
  const std::string text = text_of(steps);
  for (const std::string_view part : {"managed1", "managed2", "acme.never", "del ", "def offer("})
    EXPECT_FALSE(contains(text, part)) << part << text;
}

TEST(PythonProgram, TellsWhyThereIsNone) {
  EXPECT_EQ(why_not({zeros, call("tensor1.one()"), refusal}), "");
  EXPECT_EQ(why_not({zeros}), "no assertion is recorded");
  EXPECT_EQ(why_not({zeros, to_step({})}), "only dlcert can see what is wrong");
  EXPECT_EQ(why_not({zeros, refusal, of(Kind::missing, "later")}), "");
  EXPECT_EQ(why_not({zeros, of(Kind::missing, "a thread ends"), call("acme.one()"), refusal}),
            "no program can do this: a thread ends");
  EXPECT_EQ(why_not({zeros, of(Kind::missing, "a thread ends")}, true),
            "no program can do this: a thread ends");
  EXPECT_EQ(why_not({zeros, call("acme.one(unknown)"), refusal}),
            "no program can make an object of this call: acme.one(unknown)");
  const ProgramStep otherwise{.kind = Kind::otherwise, .code = "its own way"};
  EXPECT_EQ(why_not({zeros, otherwise, call("acme.one()"), refusal}),
            "no program can do this: its own way");
  EXPECT_EQ(why_not({zeros, otherwise, call("acme.one()")}, true), "") << "it crashes alike";
}

TEST(PythonProgram, TakesAnAssertionOfAFalseAnswerForOneOfATrueOne) {
  const Steps steps{zeros, of(Kind::question, "str(callable(tensor1.one))"),
                    of(Kind::answered, "\"False\""), to_step({})};
  EXPECT_TRUE(contains(text_of(steps), "\njudge(str(callable(tensor1.one)), \"True\")\n"));
}

TEST(PythonProgram, LeavesToAChildWhatEndsTheProcess) {
  PythonProgram program;
  program.steps =
      lines_of({own("offer(b\"\")", "managed1"), own("Producer((1, 0), managed1)", "producer1"),
                call("from_dlpack(producer1)", "tensor1"), of(Kind::question, "tensor1.hex()")});
  program.ends_process = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text, "subprocess.run(command, timeout=")) << text;
  EXPECT_TRUE(contains(text,
                       "\ntry:\n    tensor1 = from_dlpack(producer1)\n    tensor1.hex()\n"
                       "except (AttributeError, NameError):\n    raise\n"))
      << text;
  EXPECT_TRUE(contains(text, "for page in (begin, end):")) << "its memory is guarded on both sides";
}

TEST(PythonProgram, NamesTheCommandForProgramsOnDevices) {
  PythonProgram program;
  program.steps = lines_of({call("acme.one()"), refusal});
  program.on_devices = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(
      text, "\n# Without a GPU: dlcert with-simulated-gpu --devices 2 python THIS_FILE.\n"))
      << text;
}

TEST(PythonProgram, SaysWhereTheFaultIsOneOfOrder) {
  PythonProgram program;
  program.steps = lines_of({own("write_later(0, 4096, 4, 60)"), call("acme.one()"), refusal});
  program.on_devices = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text, "python THIS_FILE. A real GPU may not show the\n# fault, because"))
      << text;
}

TEST(PythonProgram, CallsTheRuntimeOfTheVendor) {
  PythonProgram program;
  program.steps = lines_of(
      {own("new_stream(non_blocking=True)", "stream1"), call("acme.one(stream1)"), refusal});
  program.on_devices = true;
  const std::string cuda = to_source(program);
  EXPECT_TRUE(contains(cuda, "cudart.cudaStreamCreateWithFlags(")) << cuda;
  EXPECT_FALSE(contains(cuda, "hip")) << cuda;
  program.on_rocm = true;
  const std::string rocm = to_source(program);
  EXPECT_TRUE(contains(rocm, "python THIS_FILE")) << rocm;
  EXPECT_TRUE(contains(rocm, "with-simulated-gpu --vendor rocm ")) << rocm;
  EXPECT_TRUE(contains(rocm, "hip.hipStreamCreateWithFlags(")) << rocm;
  EXPECT_FALSE(contains(rocm, "cudart")) << rocm;
}

TEST(PythonProgram, WritesWhatHappensInsideAContextManagerAsABlock) {
  const ProgramStep begins{.kind = Kind::begins,
                           .code = "acme.stream(stream1)",
                           .reference = "dlcert_reference.stream((2, 0), stream1)"};
  const ProgramStep ends{.kind = Kind::ends};
  const Steps steps{own("new_stream(non_blocking=True)", "stream1"),
                    begins,
                    ends,
                    begins,
                    zeros,
                    begins,
                    call("tensor1.__dlpack__()", "capsule1"),
                    ends,
                    ends,
                    own("managed_in(capsule1)", "managed1"),
                    of(Kind::question, "read_on(0, managed1)"),
                    of(Kind::answered, "\"01\""),
                    to_step({.by = By::answer, .expected = "\"00\"", .found = "\"01\""})};
  const std::string text = text_of(steps);
  EXPECT_TRUE(contains(text,
                       "\n\nstream1 = new_stream(non_blocking=True)\n"
                       "with acme.stream(stream1):\n"
                       "    tensor1 = acme.zeros(3)\n"
                       "    with acme.stream(stream1):\n"
                       "        capsule1 = unless_refused(lambda: tensor1.__dlpack__())\n"
                       "managed1 = managed_in(capsule1)\n"
                       "judge(read_on(0, managed1), \"00\")\n"))
      << text;
  EXPECT_TRUE(contains(text_of(steps, CalledLibrary::reference),
                       "\nwith dlcert_reference.stream((2, 0), stream1):\n"));
}

TEST(PythonProgram, PutsBlankLinesAroundAClassAndItsMethods) {
  const std::string text =
      text_of({own("class Object:"), own("    one = 1"), own("    def two(self):"),
               own("        pass"), call("acme.one(Object())", "tensor1"), refusal});
  EXPECT_TRUE(contains(text,
                       "\n\n\nclass Object:\n    one = 1\n\n    def two(self):\n        pass\n\n\n"
                       "judge_refusal("))
      << text;
}

TEST(PythonProgram, LeavesABlockToTheChildToo) {
  PythonProgram program;
  program.steps = lines_of({{.kind = Kind::begins, .code = "acme.stream(0)"}, call("acme.one()")});
  program.ends_process = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text,
                       "\ntry:\n    with acme.stream(0):\n        acme.one()\n"
                       "except (AttributeError, NameError):\n"))
      << text;
}

TEST(PythonProgram, MakesNoDeviceCurrentForNothing) {
  const auto current = [](int device) { return own("set_device(" + std::to_string(device) + ")"); };
  const std::string text = text_of({current(1), own("new_stream(non_blocking=True)", "stream1"),
                                    current(0), call("acme.one()"), refusal});
  EXPECT_TRUE(contains(text, "\n\nset_device(0)\njudge_refusal(lambda: acme.one())\n")) << text;
  EXPECT_FALSE(contains(text, "set_device(1)")) << text;
}

TEST(PythonProgram, StaysWithinItsColumns) {
  const std::string bytes = "bytes.fromhex(\"" + std::string(400, '0') + "\")";
  const std::string text = text_of(
      {call("acme.array(" + bytes + ", dtype=acme.int8).view((2, 3)).as_strided((), ())",
            "tensor1"),
       own("offer(DLManagedTensorVersioned, " + bytes +
               ", dtype=(2, 32, 1), device=(1, 0), "
               "shape=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], strides=None, ndim=12, flags=3)",
           "managed1"),
       call("from_dlpack(managed1, name=\"" + std::string(300, 'x') + "\")"), refusal});
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 100u) << line;
}

TEST(PythonLayout, BreaksLinesInBrackets) {
  const std::string argument(60, 'a');
  EXPECT_EQ(python_lines("f(" + argument + ")", 0), std::vector{"f(" + argument + ")"});
  EXPECT_EQ(python_lines("x = f(" + argument + ", " + argument + ").g(1)", 4),
            (std::vector<std::string>{"    x = f(", "        " + argument + ",",
                                      "        " + argument + ",", "    ).g(1)"}));
}

TEST(PythonLayout, KeepsAComprehensionTogether) {
  const std::string code = "[one(i, v) for i, v in zip(" + std::string(90, 'x') + ", y)]";
  const std::vector<std::string> lines = python_lines(code, 0);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], "    one(i, v) for i, v in zip(");
  EXPECT_EQ(lines[4], "    )");
}

TEST(PythonLayout, KeepsTheParametersOfALambdaTogether) {
  const std::string code = "(lambda p, d: " + std::string(90, 'x') + ")(1)";
  const std::vector<std::string> lines = python_lines(code, 0);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "    lambda p, d: " + std::string(90, 'x'));
}

TEST(PythonLayout, BreaksConditions) {
  const std::string one = "managed1.dl_tensor.dtype.code == 2";
  EXPECT_EQ(python_lines("judge(" + one + " and " + one + " and " + one + ", True)", 0),
            (std::vector<std::string>{"judge(", "    " + one, "    and " + one,
                                      "    and " + one + ",", "    True,", ")"}));
}

TEST(ProgramStep, IsALineWhateverItHolds) {
  const ProgramStep one{
      .kind = Kind::call, .code = "a | b % c", .name = "|", .reference = "%%", .expected = "|%|"};
  const ProgramStep back = step_from_line(to_line(one));
  EXPECT_EQ(back.code, one.code);
  EXPECT_EQ(back.name, one.name);
  EXPECT_EQ(back.reference, one.reference);
  EXPECT_EQ(back.expected, one.expected);
  EXPECT_EQ(step_from_line("/* words */").kind, Kind::missing);
}

}  // namespace
}  // namespace dlcert
