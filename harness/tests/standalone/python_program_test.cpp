// SPDX-License-Identifier: Apache-2.0
#include "standalone/python_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "standalone/standalone.hpp"

namespace dlcert {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

PythonProgram program_of(std::vector<std::string> statements) {
  PythonProgram program;
  program.requirement = "test.requirement";
  program.sentence = "it holds";
  program.library = "acme 2.1";
  program.message = "expected 1\nbut found 2";
  program.source = "a page";
  program.statements = {"import acme", "from acme import from_dlpack"};
  program.statements.insert(program.statements.end(), statements.begin(), statements.end());
  return program;
}

TEST(PythonProgram, TellsWhatItIsAboutAndImportsTheLibraryAlone) {
  const std::string text = to_source(program_of({"t1 = acme.zeros(3)", "del t1"}));
  EXPECT_TRUE(text.starts_with(
      "# test.requirement (acme 2.1): it holds\n# expected 1 but found 2\n# Rule: a page\n"))
      << text;
  EXPECT_TRUE(contains(text, "    import acme\n    from acme import from_dlpack\n")) << text;
  EXPECT_TRUE(contains(text, "t1 = acme.zeros(3)\ndel t1\nprint(\"" + std::string{shown_line}))
      << text;
  EXPECT_FALSE(contains(text, "ctypes")) << text;
}

TEST(PythonProgram, SaysThatAnUndefinedNameIsNoAnswer) {
  const std::string text = to_source(program_of({"t1 = acme.zeros(3)"}));
  EXPECT_TRUE(contains(text, "os._exit(2 if issubclass(error[0], NameError) else 0)")) << text;
}

TEST(PythonProgram, PutsAnswersBesideTheirCalls) {
  const std::string text = to_source(
      program_of({"found = t1.tobytes().hex()", "saw(found, \"00\")", "pass",
                  "t2 = from_dlpack(t1)", "saw(calls(m1), 1)", "raised(\"BufferError\")"}));
  EXPECT_TRUE(contains(text, "\nsaw(t1.tobytes().hex(), \"00\")\n")) << text;
  EXPECT_TRUE(contains(text, "\nsaw(error_of(lambda: from_dlpack(t1)), \"BufferError\")\n"))
      << text;
  EXPECT_FALSE(contains(text, "\npass")) << text;
  EXPECT_TRUE(contains(text, "\ndef error_of(")) << text;
}

TEST(PythonProgram, AsksWhatRaised) {
  const std::string text = to_source(program_of(
      {"t2 = from_dlpack(t1)", "ask(str(t2.dtype))", "saw(str(t2.dtype), 'int8')",
       "t3 = from_dlpack(t2)", "ask(str(t3.dtype))", "raised(\"ValueError\")", "del t3"}));
  EXPECT_TRUE(contains(text,
                       "\nt2 = from_dlpack(t1)\nsaw(str(t2.dtype), 'int8')\nt3 = from_dlpack(t2)\n"
                       "saw(error_of(lambda: str(t3.dtype)), \"ValueError\")\ndel t3\n"))
      << text;
  EXPECT_FALSE(contains(text, "ask(")) << text;
}

TEST(PythonProgram, AsksWhereTheProcessEnded) {
  PythonProgram program =
      program_of({"t1 = acme.zeros(3)", "ask(str(t1.dtype))", "saw(str(t1.dtype), 'int8')",
                  "t2 = from_dlpack(t1)", "ask(str(t2.dtype))"});
  program.ends_process = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text, "\nt1 = acme.zeros(3)\nt2 = from_dlpack(t1)\nstr(t2.dtype)\n"))
      << text;
}

// Warp gives the functions of ctypes.pythonapi types of its own.
TEST(PythonProgram, SharesNoFunctionOfTheInterpreterWithTheLibrary) {
  const std::string text =
      to_source(program_of({"c1 = acme.zeros(3).__dlpack__()", "saw(name_of(c1), b\"dltensor\")"}));
  EXPECT_TRUE(contains(text, "api = ctypes.PyDLL(None)")) << text;
}

TEST(PythonProgram, JudgesElementsByWhatTheyOughtToBe) {
  PythonProgram program = program_of({"saw(elements(m1), \"0100\")", "found = t1.tobytes().hex()",
                                      "saw(found, \"0100\")", "del t1"});
  program.expected = "2 bytes 0000";
  program.found = "2 bytes 0100";
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text, "\nsaw(elements(m1), \"0100\")\n")) << "the last shows the fault";
  EXPECT_TRUE(contains(text, "\ndiffers(t1.tobytes().hex(), \"0000\")\ndel t1\n")) << text;
  EXPECT_TRUE(contains(text, "\ndef differs(")) << text;
  program.expected = "40 bytes 0000...0000";
  EXPECT_FALSE(contains(to_source(program), "differs")) << "not all of them are told";
  program.expected = "2 bytes 0000";
  program.found = "2 bytes 0200";
  EXPECT_FALSE(contains(to_source(program), "differs")) << "no answer of the program's";
}

TEST(PythonProgram, LeavesOutWhatWasNotMade) {
  const std::string text = to_source(
      program_of({"t1 = acme.zeros(3)", "c1 = t1.__dlpack__(copy=True)", "not_formed()"}));
  EXPECT_TRUE(contains(text, "t1 = acme.zeros(3)\nprint(")) << text;
}

TEST(PythonProgram, CountsTheDeletersOfItsOffersAtTheEnd) {
  const std::string text = to_source(
      program_of({"m1 = offer(Legacy, b\"\", [], [])", "m2 = offer(Legacy, b\"\", [], [])",
                  "t1 = from_dlpack(Producer((1, 0), m2))", "saw(calls(m2), 1)", "del t1"}));
  EXPECT_TRUE(contains(text, "saw(calls(m1), 0)\nsaw(calls(m2), 1)\nprint(")) << text;
}

TEST(PythonProgram, CountsThoseOfSealedOffersAsWell) {
  const std::string text = to_source(program_of({"m1 = sealed(offer(Versioned, b\"\", [], []))"}));
  EXPECT_TRUE(contains(text, "saw(calls(m1), 0)\nprint(")) << text;
  EXPECT_TRUE(contains(text, "def sealed(m):")) << text;
}

TEST(PythonProgram, SaysWhatItCannotDo) {
  const std::vector<std::string> statements{"/* t1.current_stream() */"};
  EXPECT_FALSE(makes_all_calls(statements));
  const std::string text = to_source(program_of(statements));
  EXPECT_TRUE(contains(text, "# cannot be shown without dlcert: t1.current_stream()\n")) << text;
}

TEST(PythonProgram, LeavesToAChildWhatEndsTheProcess) {
  PythonProgram program =
      program_of({"m1 = offer(Versioned, b\"\", [], [])", "t1 = from_dlpack(Producer((1, 0), m1))",
                  "saw(calls(m1), 1)", "found = t1.crash()"});
  program.ends_process = true;
  const std::string text = to_source(program);
  EXPECT_TRUE(contains(text, "subprocess.run([sys.executable, __file__, \"--child\"])")) << text;
  EXPECT_TRUE(contains(text, std::string{survived_line})) << text;
  EXPECT_FALSE(contains(text, "saw(")) << "where the process ends, answers are not compared";
  EXPECT_TRUE(contains(text, "for page in (begin, end):")) << "its memory is guarded on both sides";
}

TEST(PythonProgram, FitsOnAPageWhateverItNeeds) {
  std::vector<std::string> statements{"m1 = offer(Versioned, b\"\", [], [])",
                                      "m2 = offer(Legacy, b\"\", [], [])",
                                      "p1 = Producer((1, 0), m1)",
                                      "t1 = from_dlpack(p1)",
                                      "raised(\"BufferError\")",
                                      "c1 = t1.__dlpack__()",
                                      "m3 = inside(c1); saw(text(m3), \"\")",
                                      "saw(elements(m3), \"\")",
                                      "del t1",
                                      "del c1"};
  for (int i = 0; i < 40; ++i)
    statements.emplace_back("saw(name_of(c1), b\"dltensor\")");
  const std::string text = to_source(program_of(statements));
  EXPECT_LE(std::ranges::count(text, '\n'), 60) << text;
}

}  // namespace
}  // namespace dlcert
