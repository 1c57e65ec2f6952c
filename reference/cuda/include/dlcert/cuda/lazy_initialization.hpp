// SPDX-License-Identifier: Apache-2.0
//
// When the GPU runtime starts: at the first operation that needs it, once, and never in a forked
// child of a process that has used it. Source: torch 2.4, torch/cuda/__init__.py, _lazy_init and
// _lazy_call.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "dlcert/cuda/build.hpp"
#include "dlcert/cuda/enumeration.hpp"
#include "dlcert/cuda/queued_calls.hpp"
#include "dlcert/driver/status.hpp"

namespace dlcert::cuda {

/// Of one library instance. Any thread may call it, also while another initializes or forks.
class LazyInitialization : public InitializationState {
 public:
  /// Starts nothing. Throws std::bad_alloc.
  explicit LazyInitialization(Build build);
  LazyInitialization(const LazyInitialization&) = delete;
  LazyInitialization& operator=(const LazyInitialization&) = delete;
  ~LazyInitialization() override;

  /// Initializes unless that is done. Returns at once when the calling thread is initializing;
  /// waits while another one is. Throws a RuntimeError in a child that was forked after the runtime
  /// was used, without a driver or a device, and for every other failure of the driver; an
  /// AssertionError when the build lacks the GPU or the bindings; a DeferredCudaCallError when a
  /// queued call fails. After a failure the library is not initialized, all calls are still queued,
  /// and the next attempt starts again.
  virtual void initialize();

  /// Whether all of it has succeeded in this process.
  [[nodiscard]] bool initialized() const noexcept override;
  /// Whether the calling thread is initializing.
  [[nodiscard]] bool initializing() const;
  /// Whether the runtime was used before this process was forked. Asks the driver nothing, so a use
  /// by another library only shows when initialize() fails.
  [[nodiscard]] bool is_in_bad_fork() const { return has_bad_fork(); }

  /// Runs `call` at once when initialized, and then throws what it throws; else at initialization,
  /// in order. `place` is named when it fails then.
  void queue(std::function<void()> call, CallPlace place = CallPlace::here(),
             CallKind kind = CallKind::plain);

  /// Says that the driver is about to be called: children forked from now on are refused. For those
  /// who ask the driver without initializing.
  void before_runtime_call() override;

  /// `start(devices)` runs once the driver has started, ahead of the queued calls, on every
  /// attempt. Set up before any other thread uses the object.
  void at_start(std::function<void(int devices)> start);

  [[nodiscard]] const Build& build() const noexcept { return build_; }

 protected:
  // ---- the steps of initialize(), in their order ----

  [[nodiscard]] virtual bool has_bad_fork() const;
  virtual void refuse_bad_fork() const;
  /// Throws an AssertionError for a build that cannot start a runtime.
  virtual void refuse_build() const;
  /// Lets the runtime load kernels when they are needed, unless the user has decided.
  virtual void choose_module_loading() const;
  /// The first call of the driver. Gives the number of devices, at least one.
  virtual int start_driver();
  /// Throws the RuntimeError for a driver that answers `error`.
  [[noreturn]] virtual void refuse_start(driver::Status error) const;
  /// Ends with the library initialized, in the same moment in which no call is left.
  virtual void run_queued_calls();
  /// Throws a DeferredCudaCallError.
  virtual void run(const QueuedCall& queued) const;

  /// Keeps a call for later, unless initialized: then it is false and `queued` untouched.
  virtual bool keep(QueuedCall& queued, CallKind kind);
  /// The next call of the attempt; none, and initialized from then on, when there is no more.
  virtual std::optional<QueuedCall> take_or_finish(QueuedCalls::Attempt& attempt);

 private:
  struct InitializationLock;  // held by the thread that initializes
  class InitializingThread;

  std::shared_ptr<InitializationLock> current_lock();

  const Build build_;
  std::vector<std::function<void(int)>> starts_;
  std::atomic<std::uint64_t> initialized_in_{0};  // fork generations; 0: none
  std::atomic<std::uint64_t> used_in_{0};
  // Under the state's lock:
  QueuedCalls calls_;
  std::shared_ptr<InitializationLock> lock_;
  std::vector<std::shared_ptr<InitializationLock>> locks_of_parents_;  // may be locked for ever
  std::thread::id initializing_thread_;
  std::uint64_t initializing_in_ = 0;
};

}  // namespace dlcert::cuda
