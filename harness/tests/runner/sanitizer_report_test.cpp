// SPDX-License-Identifier: Apache-2.0
#include "runner/sanitizer_report.hpp"

#include <gtest/gtest.h>

namespace dlcert {
namespace {

constexpr std::string_view project = "/build/dlcert/";

std::string fault(std::string_view output) {
  return fault_of_harness(output, project);
}

constexpr std::string_view wrong_type =
    "/build/dlcert/conformance/abi/layout.cpp:77:3: runtime error: call to function (unknown) "
    "through pointer to incorrect function type 'void (*)(void *)'\n";

TEST(FaultOfHarness, IsACallThroughAWrongType) {
  EXPECT_EQ(fault(wrong_type),
            "a fault of dlcert, not of the library: conformance/abi/layout.cpp:77:3: call to "
            "function (unknown) through pointer to incorrect function type 'void (*)(void *)'");
}

TEST(FaultOfHarness, IsFoundBehindOtherOutputAndBeforeItsFrames) {
  // clang, symbolized
  EXPECT_NE(fault("the library says hello\n" + std::string{wrong_type} +
                  "/acme/tensor.cpp:4: note: (unknown) defined here\n"
                  "    #0 0x55d8f3ead614 in dlcert::abi::f(dlcert::Case&) "
                  "/build/dlcert/conformance/abi/layout.cpp:77:3\n"
                  "    #1 0x7fbb82b65304 in __libc_start_main csu/../csu/libc-start.c:360:3\n"
                  "\n"
                  "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior "
                  "/build/dlcert/conformance/abi/layout.cpp:77:3 in \n"),
            "");
  // gcc, not symbolized
  EXPECT_NE(fault("/build/dlcert/harness/src/spy/elements.cpp:6:41: runtime error: signed integer "
                  "overflow: 2147483647 + 2 cannot be represented in type 'int'\n"
                  "    #0 0x5599f69de1d6  (/build/dlcert/bin/dlcert-worker+0x11d6)\n"
                  "    #1 0x7f1125e45249  (/lib/x86_64-linux-gnu/libc.so.6+0x27249)\n\n"),
            "");
}

TEST(FaultOfHarness, IsArithmeticInTheDriverOrAShim) {
  EXPECT_NE(fault("/build/dlcert/reference/driver/src/simulated/engine.cpp:5:3: runtime error: "
                  "division by zero\n"),
            "");
  EXPECT_NE(fault("/build/dlcert/harness/shims/cuda/cuda.cpp:5:3: runtime error: shift exponent 64 "
                  "is too large for 64-bit type 'long'\n"),
            "");
}

TEST(FaultOfHarness, IsNoneWithoutAReport) {
  EXPECT_EQ(fault(""), "");
  EXPECT_EQ(fault("ended by SIGSEGV\n"), "");
  EXPECT_EQ(fault(": runtime error: "), "");
}

TEST(FaultOfHarness, IsNeverInSourcesOfALibrary) {
  for (const std::string_view place :
       {"/acme/tensor.cpp", "/acme/conformance/abi/layout.cpp", "conformance/abi/layout.cpp",
        "/build/dlcert/reference/tensor/src/export.cpp", "/build/dlcert/harness/adapters/a.cpp",
        "/build/dlcert/harness/include/dlcert/adapter.hpp", "<unknown>"})
    EXPECT_EQ(fault(std::string{place} + ":77:3: runtime error: division by zero\n"), "") << place;
}

// Checks read through pointers that libraries give.
TEST(FaultOfHarness, IsNeverAboutMemory) {
  for (const std::string_view what :
       {"load of null pointer of type 'int'", "member access within null pointer of type 'Tensor'",
        "load of misaligned address 0x7f01 for type 'long', which requires 8 byte alignment",
        "load of value 190, which is not a valid value for type 'bool'",
        "applying non-zero offset 4 to null pointer",
        "reference binding to null pointer of type 'int'",
        "member call on address 0x602000000010 which does not point to an object of type 'T'"})
    EXPECT_EQ(fault("/build/dlcert/conformance/abi/data.cpp:7:3: runtime error: " +
                    std::string{what} + "\n"),
              "")
        << what;
}

TEST(FaultOfHarness, IsNotWhatSomethingElseWasPrintedBehind) {
  for (const std::string_view more :
       {"terminate called after throwing an instance of 'acme::Error'\n",
        "AddressSanitizer:DEADLYSIGNAL\n",
        "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010\n",
        "/acme/tensor.cpp:1:1: runtime error: division by zero\n"})
    EXPECT_EQ(fault(std::string{wrong_type} + std::string{more}), "") << more;
}

// The first frame is a check's that reads what the library freed: clang's format, then gcc's.
TEST(FaultOfHarness, IsNoReportOfAddressSanitizer) {
  EXPECT_EQ(fault("=================================================================\n"
                  "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at "
                  "pc 0x55d8 bp 0x7ffc sp 0x7ffc\n"
                  "READ of size 8 at 0x602000000010 thread T0\n"
                  "    #0 0x55d8f3ead614 in dlcert::abi::f(dlcert::Case&) "
                  "/build/dlcert/conformance/abi/layout.cpp:77:3\n"
                  "SUMMARY: AddressSanitizer: heap-use-after-free "
                  "/build/dlcert/conformance/abi/layout.cpp:77:3 in dlcert::abi::f\n"),
            "");
  EXPECT_EQ(fault("==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffc\n"
                  "    #0 0x55d8f3ead614 in f /build/dlcert/harness/src/spy/elements.cpp:7\n"
                  "    #1 0x55d8f3ead614  (/build/dlcert/bin/dlcert-worker+0x11d6)\n"
                  "==7==ABORTING\n"),
            "");
}

TEST(FaultOfHarness, IsNoReportOfThreadSanitizer) {
  EXPECT_EQ(fault("WARNING: ThreadSanitizer: data race (pid=7)\n"
                  "  Write of size 8 at 0x7b0400000800 by thread T1:\n"
                  "    #0 f /build/dlcert/harness/src/spy/account.cpp:7 (dlcert-worker+0x4a)\n"
                  "SUMMARY: ThreadSanitizer: data race "
                  "/build/dlcert/harness/src/spy/account.cpp:7 in f\n"),
            "");
}

TEST(FaultOfHarness, IsInTheFolderThatThisWasCompiledFrom) {
  const std::string_view here = __FILE__;
  const std::string root{here.substr(0, here.rfind("harness/"))};
  EXPECT_NE(
      fault_of_harness(root + "conformance/abi/data.cpp:7:3: runtime error: division by zero\n"),
      "");
}

TEST(LeaksWereNotLookedFor, WhereAnotherProcessTracesThisOne) {
  EXPECT_TRUE(
      leaks_were_not_looked_for("==7==LeakSanitizer has encountered a fatal error.\n"
                                "==7==HINT: LeakSanitizer does not work under ptrace\n"));
  EXPECT_FALSE(leaks_were_not_looked_for("==7==ERROR: LeakSanitizer: detected memory leaks\n"));
}

}  // namespace
}  // namespace dlcert
