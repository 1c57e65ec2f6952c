// SPDX-License-Identifier: Apache-2.0
#include "worker/candidate.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>

namespace dlcert {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int poll_milliseconds = 50;

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

}  // namespace

CandidateRunner::CandidateRunner() {
  void* const memory = ::mmap(nullptr, sizeof(CandidateReport), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("the memory of candidates cannot be mapped");
  report_ = new (memory) CandidateReport;
}

CandidateRunner::~CandidateRunner() {
  ::munmap(report_, sizeof(CandidateReport));
}

CandidateEnd CandidateRunner::run(const std::function<void(CandidateReport&)>& act, double seconds,
                                  const std::function<void()>& waiting) {
  report_->survived = 0;
  report_->choices.count = 0;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw_errno("a candidate cannot be forked");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) act(*report_);
    ::_exit(0);
  }

  const auto deadline = Clock::now() + std::chrono::duration<double>{seconds};
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  bool hung = true;
  while (hung && Clock::now() < deadline) {
    pollfd ended{pidfd, POLLIN, 0};
    hung = ::poll(&ended, 1, poll_milliseconds) <= 0;
    waiting();
  }
  if (hung) ::kill(child, SIGKILL);
  ::close(pidfd);
  ::waitpid(child, nullptr, 0);
  if (report_->survived != 0) return CandidateEnd::survived;
  return hung ? CandidateEnd::hung : CandidateEnd::crashed;
}

Choices CandidateRunner::choices() const {
  const ChoiceLog& log = report_->choices;
  return {log.values, log.values + log.count.load(std::memory_order_acquire)};
}

bool single_threaded() {
  const std::filesystem::directory_iterator tasks{"/proc/self/task"};
  return std::distance(begin(tasks), end(tasks)) == 1;
}

}  // namespace dlcert
