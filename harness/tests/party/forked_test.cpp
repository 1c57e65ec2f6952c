// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <dlcert/suite/forked.hpp>
#include <dlcert/suite/process_tree.hpp>

#include "party/stacks_signal.hpp"

namespace dlcert {
namespace {

using namespace std::chrono_literals;

TEST(Forked, AnswersInOneText) {
  const Forked forked = run_forked([] { return std::string(1000, 'x'); });
  EXPECT_TRUE(forked.answered);
  EXPECT_EQ(forked.answer, std::string(1000, 'x'));
  EXPECT_FALSE(forked.hung);
}

TEST(Forked, SaysHowItEnded) {
  const Forked killed = run_forked([]() -> std::string { std::abort(); });
  EXPECT_FALSE(killed.answered);
  ASSERT_TRUE(killed.wait_status);
  EXPECT_TRUE(WIFSIGNALED(*killed.wait_status));
  const Forked left = run_forked([]() -> std::string { ::_exit(7); });
  ASSERT_TRUE(left.wait_status);
  EXPECT_EQ(WEXITSTATUS(*left.wait_status), 7);
}

TEST(Forked, ACopyOfTheChildHasNoSay) {
  const Forked forked = run_forked([] {
    if (const pid_t copy = ::fork(); copy != 0) {
      ::waitpid(copy, nullptr, 0);
      std::abort();
    }
    return std::string{"all is well"};
  });
  EXPECT_FALSE(forked.answered);
  EXPECT_EQ(forked.answer, "");
}

TEST(Forked, IsEndedWhenItsTimeIsUp) {
  int waited = 0;
  const auto start = std::chrono::steady_clock::now();
  const Forked forked = run_forked(
      [] {
        ::pause();
        return std::string{};
      },
      0.2, [&] { ++waited; });
  EXPECT_TRUE(forked.hung);
  EXPECT_FALSE(forked.answered);
  EXPECT_GE(waited, 2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

// Asks once, with a signal that this process catches.
struct Stacks {
  explicit Stacks(void (*handler)(int)) : table{} {
    table.struct_size = sizeof(table);
    table.stacks_signal = SIGUSR2;
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigaction(SIGUSR2, &action, &before);
    note_stacks_signal(table);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() { ::sigaction(SIGUSR2, &before, nullptr); }
  dlcert_adapter table;
  struct sigaction before {};
};

std::atomic<int>& asked() {
  static auto* const shared = static_cast<std::atomic<int>*>(
      ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  return *shared;
}

std::string hang() {
  for (;;)
    ::pause();
}

TEST(Forked, OneThatHangsIsAskedWhereItIs) {
  const Stacks stacks{[](int) { ++asked(); }};
  asked() = 0;
  const Forked forked = run_forked(hang, 0.1);
  EXPECT_TRUE(forked.hung);
  EXPECT_EQ(asked(), 1);
  ASSERT_TRUE(forked.wait_status);
  EXPECT_EQ(WTERMSIG(*forked.wait_status), SIGKILL);
}

TEST(Forked, OneThatEndsWhenItIsAskedHasHungAllTheSame) {
  const Stacks stacks{[](int) { ::_exit(0); }};
  EXPECT_TRUE(run_forked(hang, 0.1).hung);
}

TEST(Forked, OneWithoutAHandlerIsNotAsked) {
  const Stacks stacks{SIG_DFL};
  const Forked forked = run_forked(hang, 0.1);
  EXPECT_TRUE(forked.hung);
  ASSERT_TRUE(forked.wait_status);
  EXPECT_EQ(WTERMSIG(*forked.wait_status), SIGKILL);
}

TEST(Forked, ItsTimeCanGrowMeanwhile) {
  int looks = 0;
  const Forked forked = run_forked(
      [] {
        std::this_thread::sleep_for(300ms);
        return std::string{"done"};
      },
      [&] { return ++looks < 3 ? 0.2 : 10.0; }, {});
  EXPECT_EQ(forked.answer, "done");
}

TEST(Forked, InterruptionsAreNoEnd) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 1000}, {0, 1000}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const Forked forked = run_forked([] {
    std::this_thread::sleep_for(200ms);
    return std::string{"done"};
  });
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(forked.answer, "done");
}

TEST(Forked, OneThatAsksToBeTracedIsLetGoOn) {
  const Forked forked = run_forked(
      [] {
        ::signal(SIGUSR1, [](int) {});
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGUSR1);
        return std::string{"went on"};
      },
      5);
  EXPECT_EQ(forked.answer, "went on");
}

TEST(ProcessTree, KnowsWhatAProcessCatches) {
  EXPECT_FALSE(catches(::getpid(), SIGUSR2));
  const Stacks stacks{[](int) {}};
  EXPECT_TRUE(catches(::getpid(), SIGUSR2));
  EXPECT_FALSE(catches(::getpid(), SIGUSR1));
  EXPECT_FALSE(catches(0x7ffffff0, SIGUSR2));
}

TEST(ProcessTree, HasSizesWhileItIsThere) {
  EXPECT_GT(resident_bytes(::getpid()), std::uint64_t{1} << 20);
  EXPECT_EQ(resident_bytes(0x7ffffff0), 0u);
  EXPECT_EQ(proportional_bytes(0x7ffffff0), 0u);
  EXPECT_TRUE(children_of(0x7ffffff0).empty());
}

TEST(ProcessTree, CountsPagesThatAreSharedOnce) {
  constexpr std::size_t size = std::size_t{64} << 20;
  std::string block(size, 'x');
  ASSERT_EQ(block[size - 1], 'x');
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() == 0) ::pause();
    ::pause();
  }
  while (children_of(child).empty())
    std::this_thread::sleep_for(1ms);
  EXPECT_GT(resident_bytes(::getpid()), 3 * size);
  EXPECT_LT(2 * proportional_bytes(::getpid()), resident_bytes(::getpid()));
  EXPECT_GT(proportional_bytes(::getpid()), size);
  ::kill(children_of(child).at(0), SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace dlcert
