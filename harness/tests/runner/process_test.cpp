// SPDX-License-Identifier: Apache-2.0
#include "runner/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "runner/environment.hpp"

namespace dlcert {
namespace {

Descriptor something() {
  return Descriptor{open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

// Runs a shell's command to its end; what it prints is in printed().
class Shell : public Process {
 public:
  explicit Shell(const std::string& command)
      : Process{{"/bin/sh", "-c", command}, something().get(), worker_environment("simulated")} {}

  std::string finish() {
    while (!reap()) {
      pollfd events[] = {{end_event(), POLLIN, 0}, {output_event(), POLLIN, 0}};
      poll(events, 2, 1000);
      drain();
    }
    drain();
    return printed().text();
  }
};

TEST(OutputTail, KeepsTheEndAndSaysWhatIsMissing) {
  OutputTail tail;
  const std::string line(1023, '.');
  for (int i = 0; i < 1024; ++i)
    tail.append(line + "\n");
  tail.append("the end");
  const std::string text = tail.text();
  const std::string notice = "... 983047 earlier bytes are left out ...\n";
  EXPECT_EQ(text.substr(0, notice.size()), notice);
  EXPECT_EQ(text.size(), notice.size() + OutputTail::capacity);
  EXPECT_TRUE(text.ends_with("\nthe end"));
}

TEST(OutputTail, KeepsWhatFitsAsItIs) {
  OutputTail tail;
  tail.append("tab\tline\n");
  tail.append("\u00e9\u20ac\U0001f600");
  EXPECT_EQ(tail.text(), "tab    line\n\u00e9\u20ac\U0001f600");
}

TEST(OutputTail, EscapesWhatIsNotText) {
  OutputTail tail;
  tail.append(std::string_view{"\0\x1b[31m\x7f\xff", 8});
  tail.append("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xc2\x9b\xe2\x82");
  EXPECT_EQ(
      tail.text(),
      "\\x00\\x1b[31m\\x7f\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\u009b\\xe2\\x82");
}

TEST(Process, HearsBothStreams) {
  Shell shell{"echo out; echo err >&2"};
  EXPECT_EQ(shell.finish(), "out\nerr\n");
  EXPECT_EQ(shell.wait_status(), 0);
}

TEST(Process, HasASessionOfItsOwnAndNoInput) {
  Shell shell{"cat; test $(ps -o sid= -p $$) -eq $$ && echo leader"};
  EXPECT_EQ(shell.finish(), "leader\n");
}

TEST(Process, InheritsOneDescriptorOnly) {
  const Descriptor open_here{fcntl(something().get(), F_DUPFD, 7)};
  ASSERT_GE(open_here.get(), 7);
  Shell shell{"for n in $(seq 0 40); do [ -e /proc/$$/fd/$n ] && echo $n; done"};
  EXPECT_EQ(shell.finish(), "0\n1\n2\n3\n");
}

TEST(Process, StartsWithDefaultSignals) {
  signal(SIGUSR1, SIG_IGN);
  Shell shell{"kill -USR1 $$; echo ignored"};
  EXPECT_EQ(shell.finish(), "");
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(describe_end(shell.wait_status()), "ended by SIGUSR1");
}

TEST(Process, EndIsSeenWhileAnotherHoldsTheOutput) {
  const Subreaper subreaper;
  Shell shell{"sleep 1000 & exit 7"};
  shell.finish();
  EXPECT_EQ(describe_end(shell.wait_status()), "ended early with exit status 7");
  EXPECT_GE(shell.output_event(), 0);
  subreaper.reap_orphans({});
}

TEST(Process, DestructionEndsIt) {
  pid_t pid = 0;
  {
    Shell shell{"sleep 1000"};
    pid = shell.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Process, MissingProgramIsNamed) {
  try {
    Process{{"/nonexistent/worker"}, something().get(), {}};
    FAIL() << "started";
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot start worker '/nonexistent/worker': No such file or directory");
  }
}

TEST(Subreaper, FindsWhoLeftTheSession) {
  const Subreaper subreaper;
  Shell shell{"setsid sh -c 'sleep 1000 & echo $!'"};
  const std::string printed = shell.finish();
  const pid_t grandchild = std::stoi(printed);
  ASSERT_EQ(kill(grandchild, 0), 0);
  subreaper.reap_orphans({});
  EXPECT_EQ(kill(grandchild, 0), -1);
}

TEST(Subreaper, LeavesOthersAlone) {
  Shell earlier{"sleep 1000"};
  const Subreaper subreaper;
  Shell supervisor{"sleep 1000"};
  subreaper.reap_orphans({supervisor.pid()});
  EXPECT_FALSE(earlier.reap());
  EXPECT_FALSE(supervisor.reap());
}

TEST(DescribeEnd, TellsAQuietExit) {
  EXPECT_EQ(describe_end(0), "ended early with exit status 0: the library called exit");
  EXPECT_EQ(describe_end(SIGSEGV), "ended by SIGSEGV");
  EXPECT_EQ(describe_end(SIGRTMIN + 1), "ended by signal " + std::to_string(SIGRTMIN + 1));
}

}  // namespace
}  // namespace dlcert
