// SPDX-License-Identifier: Apache-2.0
//
// The processes that a runner starts, and what they print and leave behind.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dlcert {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_{number} {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_{other.release()} {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return number_; }
  int release();

 private:
  int number_;
};

// The end of what a process printed: any amount of output costs the same memory.
class OutputTail {
 public:
  static constexpr std::size_t capacity = 64 * 1024;

  void append(std::string_view bytes);
  // How many bytes were appended.
  std::size_t total() const { return dropped_ + bytes_.size(); }
  // As UTF-8 that is safe to show and to store: other bytes and control characters become "\xNN".
  // Says how much is missing at its start.
  std::string text() const;

 private:
  std::string bytes_;
  std::size_t dropped_ = 0;
};

// A worker's supervisor (worker/supervisor.hpp), which ends with everything that its worker
// started.
class Process {
 public:
  // Starts the program in a session of its own: stdin is /dev/null, stdout and stderr go to
  // output(), `inherited` becomes descriptor 3, and no other descriptor crosses. `environment`:
  // "NAME=value". The calling thread must outlive the process: when it ends, the process does.
  // Throws std::system_error that names the program.
  Process(const std::vector<std::string>& arguments, int inherited,
          const std::vector<std::string>& environment);
  // Stops the process if it has not been reaped, and waits for its end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  int end_event() const { return pidfd_.get(); }      // readable once the process has ended
  int output_event() const { return output_.get(); }  // -1 once the other end is closed

  // Reads what was printed, a bounded amount at a time. Never blocks.
  void drain();
  const OutputTail& printed() const { return printed_; }

  // Asks the supervisor (SIGTERM) to end the worker and its processes. Called again when that
  // should long be done, kills the supervisor.
  void stop();
  // Whether the process has ended; its wait status is then in wait_status().
  bool reap();
  int wait_status() const { return wait_status_; }

 private:
  pid_t pid_ = -1;
  Descriptor pidfd_;
  Descriptor output_;
  OutputTail printed_;
  bool reaped_ = false;
  int wait_status_ = 0;
  std::chrono::steady_clock::time_point stop_asked_{};
};

// Makes this process a child subreaper (prctl(2)) until it is destroyed: processes whose supervisor
// was killed become children of this process. The children that the process had before are left
// alone. Until then SIGCHLD is as by default, or nobody could wait for a child.
class Subreaper {
 public:
  Subreaper();
  ~Subreaper();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

  // Kills and reaps all children but the earlier ones and `supervisors`, then the children of
  // these, which become children of this process, and so on.
  void reap_orphans(std::set<pid_t> supervisors) const;

 private:
  int was_subreaper_ = 0;
  struct sigaction child_signal_ {};
  std::set<pid_t> earlier_;
};

// "ended by SIGSEGV", "ended early with exit status 0: the library called exit".
std::string describe_end(int wait_status);

}  // namespace dlcert
