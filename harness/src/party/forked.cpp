// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <dlcert/suite/forked.hpp>
#include <dlcert/suite/process_tree.hpp>

#include "party/fork_hooks.hpp"
#include "party/formed.hpp"
#include "party/stacks_signal.hpp"

namespace dlcert {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_milliseconds = 50;
// After its end, or its being killed, a child that still cannot be waited for is given up.
constexpr std::chrono::seconds patience{5};
// For a child that hangs, to write where its threads are.
constexpr double seconds_for_stacks = 0.2;

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

// Memory in which the child leaves its answer: no library closes it, as it may a descriptor.
class Page {
 public:
  Page() {
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw_errno("cannot map the memory of a child's answer");
    shared_ = new (memory) Shared;
  }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { ::munmap(shared_, sizeof(Shared)); }

  void clear() {
    shared_->answered = false;
    shared_->size = 0;
  }
  void write(std::string_view text) {
    shared_->size = std::min(text.size(), sizeof(shared_->text));
    std::copy_n(text.data(), shared_->size, shared_->text);
    shared_->answered = true;
  }
  bool answered() const { return shared_->answered; }
  // Whatever the child has written there, its library's stray writes included.
  std::string read() const {
    return {shared_->text, std::min<std::size_t>(shared_->size, capacity)};
  }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;
  struct Shared {
    std::atomic<bool> answered{false};
    std::size_t size = 0;
    char text[capacity];
  };
  Shared* shared_ = nullptr;
};

// The page of this thread: to map one takes longer than to write an answer. A forked process gets
// another one than it answers on.
Page& own_page() {
  thread_local std::unique_ptr<Page> page;
  thread_local pid_t owner = 0;
  if (owner != ::getpid()) {
    static_cast<void>(page.release());  // its process's
    page = std::make_unique<Page>();
    owner = ::getpid();
  }
  page->clear();
  return *page;
}

// While it lives the end of a child is told to those who wait for it, and to nobody else, whatever
// the library has made of SIGCHLD.
class PlainChildSignal {
 public:
  PlainChildSignal() {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &before_);
  }
  PlainChildSignal(const PlainChildSignal&) = delete;
  PlainChildSignal& operator=(const PlainChildSignal&) = delete;
  ~PlainChildSignal() { give_back(); }
  void give_back() const { ::sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

[[noreturn]] void run_here(const std::function<std::string()>& body, Page& page) {
  const pid_t self = ::getpid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  note_forked();
  std::string text;
  try {
    text = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(EXIT_FAILURE);
  }
  if (::getpid() != self) ::_exit(EXIT_FAILURE);
  ::signal(SIGCHLD, SIG_DFL);
  end_children();
  page.write(text);
  ::_exit(EXIT_SUCCESS);
}

class Waiter {
 public:
  Waiter(pid_t child, const std::function<double()>& seconds, const std::function<void()>& waiting)
      : child_{child},
        waiting_{waiting},
        pidfd_{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))},
        seconds_{seconds} {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    if (pidfd_ >= 0) ::close(pidfd_);
  }

  Forked wait() {
    Forked forked;
    while (!waited(forked)) {
      if (ended()) {
        if (waited(forked)) return forked;
        // Somebody else traces it: it is not ours to wait for yet.
        if (given_up()) return forked;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
      } else if (!killed_ && seconds_left() <= 0) {
        end_hung(forked);
      } else if (killed_ && given_up()) {
        return forked;
      }
      if (waiting_) waiting_();
    }
    return forked;
  }

 private:
  // Whether there is nothing more to wait for.
  bool waited(Forked& forked) const {
    int status = 0;
    const pid_t found = ::waitpid(child_, &status, WNOHANG);
    if (found < 0) return errno != EINTR;
    if (found == 0) return false;
    if (WIFSTOPPED(status)) {
      continue_traced(child_, status);
      return false;
    }
    forked.wait_status = status;
    return true;
  }
  bool ended() const {
    const double left = seconds_left();
    pollfd event{pidfd_, POLLIN, 0};
    return ::poll(&event, 1,
                  left > 0 && left < 0.001 * poll_milliseconds ? static_cast<int>(left * 1000) + 1
                                                               : poll_milliseconds) > 0;
  }
  // At first it is asked where it is.
  void end_hung(Forked& forked) {
    if (!std::exchange(forked.hung, true) && ask_for_stacks(child_)) {
      for_stacks_ = seconds_for_stacks;
      return;
    }
    ::kill(child_, SIGKILL);
    killed_ = true;
  }
  bool given_up() {
    if (!first_seen_) first_seen_ = Clock::now();
    return Clock::now() - *first_seen_ > patience;
  }
  double seconds_left() const {
    const double since_start = std::chrono::duration<double>(Clock::now() - start_).count();
    return seconds_() + for_stacks_ - since_start;
  }

  pid_t child_;
  const std::function<void()>& waiting_;
  int pidfd_;
  const std::function<double()>& seconds_;
  double for_stacks_ = 0;
  bool killed_ = false;
  const Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> first_seen_;
};

}  // namespace

Forked run_forked(const std::function<std::string()>& body, double seconds,
                  const std::function<void()>& waiting) {
  return run_forked(
      body, [seconds] { return seconds; }, waiting);
}

Forked run_forked(const std::function<std::string()>& body, const std::function<double()>& seconds,
                  const std::function<void()>& waiting) {
  Page& page = own_page();
  const PlainChildSignal plain;
  const pid_t parent = ::getpid();
  const pid_t child = fork_with_hooks();
  if (child < 0) throw_errno("cannot fork a process");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    plain.give_back();
    run_here(body, page);
  }
  Forked forked = Waiter{child, seconds, waiting}.wait();
  // What was written before a death is no answer. Where somebody else has waited, the answer is the
  // last that the child did.
  const int status = forked.wait_status.value_or(0);
  forked.answered =
      page.answered() && !forked.hung && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (forked.answered) forked.answer = page.read();
  return forked;
}

void continue_traced(int child, int wait_status) {
  const int signal = WSTOPSIG(wait_status);
  const bool meant_for_it = signal != SIGTRAP && signal != SIGSTOP;
  ::ptrace(PTRACE_CONT, child, nullptr, static_cast<long>(meant_for_it ? signal : 0));
}

}  // namespace dlcert
