// SPDX-License-Identifier: Apache-2.0
#include "party/fork_hooks.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include <dlcert/suite/forked.hpp>

namespace dlcert {
namespace {

// The calls of all hooks in this process, in order: "a<" before a fork, "a>" behind it in the
// parent, "a!" in the child.
std::string calls;

// An open library with hooks that write a letter.
struct Hooked : dlcert_adapter {
  explicit Hooked(char letter) : dlcert_adapter{}, letter_{letter} {
    struct_size = sizeof(dlcert_adapter);
    self = this;
    before_fork = [](void* hooked) { (calls += static_cast<Hooked*>(hooked)->letter_) += '<'; };
    after_fork = [](void* hooked, std::int32_t in_child) {
      (calls += static_cast<Hooked*>(hooked)->letter_) += in_child != 0 ? '!' : '>';
    };
    add_fork_hooks(*this);
    calls.clear();
  }
  Hooked(const Hooked&) = delete;
  Hooked& operator=(const Hooked&) = delete;
  ~Hooked() { remove_fork_hooks(*this); }

 private:
  char letter_;
};

std::string calls_in_a_child() {
  return run_forked([] { return calls; }).answer;
}

TEST(ForkHooks, AreCalledAroundAFork) {
  const Hooked one{'a'};
  EXPECT_EQ(calls_in_a_child(), "a<a!");
  EXPECT_EQ(calls, "a<a>");
}

TEST(ForkHooks, OfTheLastLibraryComeFirstBeforeAndLastBehind) {
  const Hooked first{'a'}, second{'b'};
  EXPECT_EQ(calls_in_a_child(), "b<a<a!b!");
  EXPECT_EQ(calls, "b<a<a>b>");
}

TEST(ForkHooks, AreThoseOfOpenLibraries) {
  { const Hooked closed{'a'}; }
  EXPECT_EQ(calls_in_a_child(), "");
  EXPECT_EQ(calls, "");
}

TEST(ForkHooks, OfAnOlderTableAreAbsent) {
  Hooked one{'a'};
  remove_fork_hooks(one);
  one.struct_size = offsetof(dlcert_adapter, before_fork);
  add_fork_hooks(one);
  EXPECT_EQ(calls_in_a_child(), "");
}

TEST(ForkHooks, AreCalledInEachForkOfAFork) {
  const Hooked one{'a'};
  EXPECT_EQ(run_forked([] { return calls_in_a_child(); }).answer, "a<a!a<a!");
}

// No more processes: root has no such limit, so that it becomes nobody first, in a child.
TEST(ForkHooks, AreCalledAsInTheParentWhereTheForkFails) {
  const Hooked one{'a'};
  const std::string told =
      run_forked([]() -> std::string {
        calls.clear();
        const rlimit none{0, 0};
        if (::setrlimit(RLIMIT_NPROC, &none) != 0 || (::geteuid() == 0 && ::setuid(65534) != 0))
          return "cannot be tried";
        if (fork_with_hooks() >= 0) return "forked";
        return calls + std::generic_category().message(errno);
      }).answer;
  EXPECT_EQ(told, "a<a>" + std::generic_category().message(EAGAIN));
}

}  // namespace
}  // namespace dlcert
