// SPDX-License-Identifier: Apache-2.0
//
// The order of work: timelines of operations, what each waits for, what each knows to have happened
// before, and when it runs. Knows nothing of streams' handles, of memory or of capture.
//
// Not thread-safe: every function is called under the driver's lock. Those that take the lock
// release it while they wait for a host function: streams, events and allocations that the caller
// has found may be gone when they return.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "dlcert/driver/simulated.hpp"

#include "simulated/clock.hpp"
#include "simulated/host_rest.hpp"

namespace dlcert::driver::simulated {

using Lock = std::unique_lock<std::mutex>;

/// What an operation does when it runs.
struct Work {
  std::function<void()> effect = {};  ///< under the lock
  HostFunction function = nullptr;    ///< on the driver's thread, without the lock
  void* data = nullptr;
};

/// One operation that was submitted and has not run. Most have neither work to do nor anything to
/// wait for, and a million of them may be queued.
struct Operation {
  struct Details {
    Work work = {};
    std::vector<Position> after = {};  ///< of other timelines
    SharedClock known = {};            ///< of a host function: what has happened before it
  };
  bool is_work = false;  ///< can fail, unlike what only orders
  std::unique_ptr<Details> details = {};
};

/// A queue of operations that run one after the other: a stream, or a branch of a graph. The host
/// has timelines too, without a device, whose operations are over at once.
struct Timeline {
  std::uint32_t index = 0;
  int device = 0;
  bool legacy = false;    ///< a legacy default stream
  bool blocking = false;  ///< waits for the legacy default stream of its device, and the other way
  SharedClock clock;      ///< what the next operation will know of other timelines
  std::uint64_t submitted = 0;
  std::uint64_t done = 0;
  std::deque<Operation> waiting;     ///< numbers done + 1 to submitted
  std::vector<Position> next_after;  ///< what the next operation waits for
  std::uint64_t barrier = 0;         ///< the last legacy operation that it waits for
  std::uint64_t fence = 0;           ///< the last fence of its device that it waits for
  bool active = false;               ///< has worked since the last legacy operation
  bool touched = false;              ///< has worked since the device was synchronised
  bool running = false;              ///< its first operation is a host function that runs now
  int polls = 0;

  [[nodiscard]] Position last() const noexcept { return {index, submitted}; }
};

/// A moment of a timeline, and what is known there.
struct Moment {
  Position position{};
  SharedClock clock = {};
};

class Engine {
 public:
  /// `mutex` is the driver's lock.
  Engine(std::mutex& mutex, const SimulatedOptions& options);
  /// Ends as stop() does. What has not run never will.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void set_schedule(Schedule schedule, std::uint64_t seed) {
    schedule_ = schedule;
    if (schedule == Schedule::seeded) random_.seed(seed);
  }

  Timeline& add_timeline(int device, bool legacy, bool blocking);
  /// Nothing more will be submitted to it. Used again once all that it did is past for everybody.
  void retire(Timeline& timeline);
  [[nodiscard]] Timeline& timeline(std::uint32_t index) noexcept { return *timelines_[index]; }
  [[nodiscard]] Timeline& legacy(int device) noexcept {
    return *devices_[static_cast<std::size_t>(device)].legacy;
  }

  /// Makes everything that `timeline` does from now on wait for that moment.
  void wait(Timeline& timeline, const Moment& moment);
  /// Makes only its next operation run behind that one: what the driver does for itself orders
  /// nothing for the program.
  void run_behind(Timeline& timeline, Position earlier) {
    if (earlier.timeline != timeline.index && !is_done(earlier))
      timeline.next_after.push_back(earlier);
  }
  /// Appends an operation, with the waits between legacy default and blocking streams.
  void submit(Timeline& timeline, bool is_work, Work work);
  /// Orders all that was submitted to the device so far before all that will be.
  void fence(int device);
  /// After a submission to `timeline`: lets the schedule run what it wants to.
  void progress(Timeline& timeline, Lock& lock);

  /// As progress() after submissions to several timelines.
  void progress_all(Lock& lock);

  [[nodiscard]] Moment now(const Timeline& timeline) const {
    return {timeline.last(), timeline.clock};
  }
  [[nodiscard]] bool is_done(Position position) noexcept {
    return timeline(position.timeline).done >= position.number;
  }
  /// Blocks the host until the moment has been reached, which it then knows.
  void synchronize(const Moment& moment, Lock& lock);
  /// Whether all have been reached; if so the host knows it. A program that keeps asking gets
  /// there.
  bool query(const std::vector<Moment>& moments, Lock& lock);
  /// As synchronize() for all that was submitted to the device so far.
  void synchronize_device(int device, Lock& lock);
  /// Runs all before the moment without telling the host.
  void run(const Moment& moment, Lock& lock);
  /// Waits for the host function that runs, and runs no further one. Without the lock.
  void stop();
  /// Runs everything of a device without telling the host.
  void run_device(int device, Lock& lock);
  /// Has the driver's thread call a function, at some time; nothing waits for that.
  void call_later(HostFunction function, void* data);
  /// Whether the caller is a host function.
  [[nodiscard]] bool on_own_thread() const noexcept;
  /// The host calls the driver.
  void note_call() noexcept { ++calls_; }

  /// While `apart`, each host thread has a timeline of its own for what it knows, and what it
  /// submits knows as much. When that ends, what one thread knows all do. No other thread may be
  /// inside the driver.
  void set_threads_apart(bool apart);
  /// The timeline of the host; while threads are apart, that of the calling one.
  [[nodiscard]] Timeline& host() { return apart_ ? own_timeline() : *timelines_.front(); }
  [[nodiscard]] bool is_host(Position position) const noexcept {
    return timelines_[position.timeline]->device < 0;
  }

  /// Whether the operation at `earlier` happens before whatever `timeline` does next; before what
  /// any thread of the host does next.
  [[nodiscard]] bool is_before(Position earlier, const Timeline& timeline) const noexcept {
    return earlier.timeline == timeline.index || known_by_host(earlier) ||
           timeline.clock.get().knows(earlier);
  }
  [[nodiscard]] bool known_by_host(Position earlier) const noexcept {
    return host_knows_[earlier.timeline] >= earlier.number;
  }
  /// A step of the host's own: all that it submits later comes after it.
  Position host_step();

  /// The blocking timelines of a device that worked since its last legacy operation.
  [[nodiscard]] const std::vector<Timeline*>& active(int device) const noexcept {
    return devices_[static_cast<std::size_t>(device)].active;
  }
  [[nodiscard]] std::size_t pending() const noexcept { return pending_; }
  [[nodiscard]] std::uint64_t operations_run() const noexcept { return operations_run_; }
  [[nodiscard]] Status device_error(int device) const noexcept {
    return devices_[static_cast<std::size_t>(device)].error;
  }
  void fail_next(int device, Status error) noexcept {
    devices_[static_cast<std::size_t>(device)].next_error = error;
  }

 private:
  struct Device {
    Timeline* legacy = nullptr;
    Moment fence;  // of the legacy default stream
    std::vector<Timeline*> active;
    std::vector<Timeline*> touched;
    std::deque<Timeline*> retired;
    Status error = Status::success;
    Status next_error = Status::success;
  };
  Timeline* retired_timeline(int device);
  [[nodiscard]] bool is_past(const Timeline& timeline) const noexcept;
  void order_with_legacy(Timeline& timeline);
  Timeline& own_timeline();
  void host_learns(const Moment& moment);
  void all_learn(const Moment& moment);
  void touch(Timeline& timeline);
  [[nodiscard]] const Position* missing(const Timeline& timeline) noexcept;
  [[nodiscard]] bool is_ready(const Timeline& timeline) noexcept;
  [[nodiscard]] bool runs_by_itself(const Timeline& timeline) noexcept;
  void run_until(Position goal, Lock& lock, bool may_wait = true);
  void give_way(Lock& lock);
  void run_first(Timeline& timeline, Lock& lock);
  void finish_first(Timeline& timeline);
  bool may_run(Device& device);
  void run_ready(Lock& lock);
  void run_some(Lock& lock);
  void wake_thread();
  void start_function(Timeline& timeline);
  void await_function(Timeline& timeline, Lock& lock);
  void call_function(Timeline& timeline, Lock& lock);
  void serve_functions();
  bool host_rests(Lock& lock);

  std::mutex& mutex_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Timeline>> timelines_;
  std::vector<std::uint64_t> host_knows_;  // by timeline; all threads do
  bool apart_ = false;
  std::map<std::uint64_t, Timeline*> threads_;  // what each knows beside that, while apart
  std::vector<Device> devices_;
  std::vector<Timeline*> busy_;          // those with waiting operations, unordered
  std::vector<std::size_t> busy_place_;  // by timeline
  std::size_t pending_ = 0;
  std::uint64_t operations_run_ = 0;

  // Host functions run on a thread of their own, one after the other.
  std::deque<Timeline*> functions_;
  std::deque<Position> late_functions_;  // that nothing has waited for yet
  std::deque<std::pair<HostFunction, void*>> last_calls_;
  HostRest rest_;
  std::uint64_t calls_ = 0;
  std::condition_variable changed_;
  bool ending_ = false;
  std::thread thread_;  // started by the first host function
};

}  // namespace dlcert::driver::simulated
