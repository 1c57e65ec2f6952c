// SPDX-License-Identifier: Apache-2.0
#include "worker/crash_signature.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

namespace dlcert {
namespace {

struct Texts {
  char signature[160];
  char frames[400];
};

struct End {
  std::string signature, frames;
  int signal = 0;
};

// Runs `crash` in a process of its own, whose crashes are written down.
End end_of(const std::function<void()>& crash) {
  void* const room =
      ::mmap(nullptr, sizeof(Texts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const texts = static_cast<Texts*>(room);
  const pid_t child = ::fork();
  if (child == 0) {
    write_crashes_to({texts->signature, texts->frames});
    crash();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  End end{texts->signature, texts->frames, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  ::munmap(room, sizeof(Texts));
  return end;
}

// Where the optimiser does not see them.
volatile std::uintptr_t nowhere = 0;

void write_nowhere() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

void call_nothing() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  reinterpret_cast<void (*)()>(nowhere)();
  nowhere = 0;  // so that it is no tail call
}

class CrashSignature : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_write_crashes()) GTEST_SKIP() << "a sanitizer reports crashes itself";
  }
};

TEST_F(CrashSignature, IsTheSignalAndThePlace) {
  const End end = end_of(write_nowhere);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_TRUE(end.signature.starts_with("SIGSEGV in worker_test+0x")) << end.signature;
  EXPECT_TRUE(end.frames.starts_with("address 0x0: worker_test+0x")) << end.frames;
}

TEST_F(CrashSignature, OfTheSamePlaceIsTheSame) {
  EXPECT_EQ(end_of(write_nowhere).signature, end_of(write_nowhere).signature);
  EXPECT_NE(end_of(write_nowhere).signature, end_of(std::abort).signature);
}

TEST_F(CrashSignature, OfAnAbortIsThePlaceThatCalledIt) {
  const End end = end_of([] { std::abort(); });
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_TRUE(end.signature.starts_with("SIGABRT in worker_test+0x")) << end.signature;
  EXPECT_NE(end.frames.find("libc.so"), std::string::npos) << end.frames;
}

TEST_F(CrashSignature, OfACallOfNothingIsItsCaller) {
  const End end = end_of(call_nothing);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_TRUE(end.signature.starts_with("SIGSEGV in worker_test+0x")) << end.signature;
}

TEST_F(CrashSignature, AnEarlierOneStays) {
  const End end = end_of([] {
    if (::fork() == 0) std::abort();
    ::wait(nullptr);
    write_nowhere();
  });
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_TRUE(end.signature.starts_with("SIGABRT in ")) << end.signature;
}

TEST_F(CrashSignature, TheHandlerThatWasThereRunsAfterwards) {
  Texts texts{};
  const End end = end_of([&] {
    std::signal(SIGSEGV, [](int) { ::raise(SIGKILL); });
    write_crashes_to({texts.signature, texts.frames});
    write_nowhere();
  });
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(CrashSignature, AProcessThatEndsWithoutACrashHasNone) {
  const End end = end_of([] {});
  EXPECT_EQ(end.signal, 0);
  EXPECT_EQ(end.signature, "");
  EXPECT_EQ(end.frames, "");
}

}  // namespace
}  // namespace dlcert
