// SPDX-License-Identifier: Apache-2.0
#include "testbench/environment.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace dlcert::testbench {
namespace {

TEST(ForkedChild, AnswersFailsOrDies) {
  EXPECT_EQ(in_forked_child([] { return std::string{"yes"}; }).answer, "yes");
  EXPECT_EQ(in_forked_child([]() -> std::string { fail("broken"); }).answer, "broken");
  const ChildEnd killed = in_forked_child([]() -> std::string { std::abort(); });
  EXPECT_FALSE(killed.answered);
  EXPECT_EQ(killed.death, "was ended by signal 6");
  EXPECT_EQ(in_forked_child([]() -> std::string { ::_exit(7); }).death, "ended with status 7");
}

TEST(ForkedChild, ItsCopyHasNoSay) {
  const ChildEnd end = in_forked_child([] {
    if (const pid_t copy = ::fork(); copy != 0) {
      ::waitpid(copy, nullptr, 0);
      std::abort();
    }
    return std::string{"all is well"};
  });
  EXPECT_FALSE(end.answered) << end.answer;
}

TEST(ForkedChild, AnswersThoughNobodyWantsToHearOfChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(in_forked_child([] { return std::string{"yes"}; }).answered);
  EXPECT_THROW(in_forked_child([]() -> std::string { throw NotFormable{}; }), NotFormable);
  EXPECT_THROW(in_forked_child([]() -> std::string { throw Inconclusive{"dark"}; }), Inconclusive);
  EXPECT_EQ(in_forked_child([]() -> std::string { std::abort(); }).death, "was ended by signal 6");
  std::signal(SIGCHLD, before);
}

TEST(ForkedChild, DoesNotEndWhenItHangs) {
  const ChildEnd end = in_forked_child(
      []() -> std::string {
        for (;;)
          ::pause();
      },
      0.1);
  EXPECT_EQ(end.death, "did not end within 0.1 s");
}

}  // namespace
}  // namespace dlcert::testbench
