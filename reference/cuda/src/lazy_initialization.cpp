// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/lazy_initialization.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

#include "forks.hpp"

namespace dlcert::cuda {
namespace {

using driver::Status;

[[noreturn]] void throw_bad_fork() {
  throw RuntimeError(
      "Cannot re-initialize the GPU runtime in a forked subprocess: use the 'spawn' start method");
}

}  // namespace

struct LazyInitialization::InitializationLock {
  std::mutex mutex;
  std::uint64_t generation = fork_generation();
};

// Names the calling thread as the one that initializes, as long as it lives.
class LazyInitialization::InitializingThread {
 public:
  explicit InitializingThread(LazyInitialization& owner) : owner_{owner} {
    const std::scoped_lock lock(state_mutex());
    owner_.initializing_thread_ = std::this_thread::get_id();
    owner_.initializing_in_ = fork_generation();
  }
  InitializingThread(const InitializingThread&) = delete;
  InitializingThread& operator=(const InitializingThread&) = delete;
  ~InitializingThread() {
    const std::scoped_lock lock(state_mutex());
    owner_.initializing_thread_ = {};
  }

 private:
  LazyInitialization& owner_;
};

LazyInitialization::LazyInitialization(Build build) : build_{std::move(build)} {
  watch_forks();
  lock_ = std::make_shared<InitializationLock>();
}

LazyInitialization::~LazyInitialization() = default;

// ---- state --------------------------------------------------------------------------------------

bool LazyInitialization::initialized() const noexcept {
  return initialized_in_.load(std::memory_order_acquire) == fork_generation();
}

bool LazyInitialization::initializing() const {
  const std::scoped_lock lock(state_mutex());
  return initializing_thread_ == std::this_thread::get_id() &&
         initializing_in_ == fork_generation();
}

bool LazyInitialization::has_bad_fork() const {
  const std::uint64_t used_in = used_in_.load(std::memory_order_relaxed);
  return used_in != 0 && used_in != fork_generation();
}

// What a parent used stays used in its children.
void LazyInitialization::before_runtime_call() {
  std::uint64_t never = 0;
  used_in_.compare_exchange_strong(never, fork_generation(), std::memory_order_relaxed);
}

void LazyInitialization::at_start(std::function<void(int)> start) {
  starts_.push_back(std::move(start));
}

// A lock that a thread of the parent held at the fork is never released in the child.
std::shared_ptr<LazyInitialization::InitializationLock> LazyInitialization::current_lock() {
  const std::scoped_lock lock(state_mutex());
  if (lock_->generation != fork_generation())
    locks_of_parents_.push_back(std::exchange(lock_, std::make_shared<InitializationLock>()));
  return lock_;
}

// ---- initialization -----------------------------------------------------------------------------

void LazyInitialization::initialize() {
  if (initialized() || initializing()) return;
  const std::shared_ptr<InitializationLock> own = current_lock();
  const std::scoped_lock lock(own->mutex);
  if (initialized()) return;
  const InitializingThread initializing(*this);
  refuse_bad_fork();
  refuse_build();
  choose_module_loading();
  const int devices = start_driver();
  for (const auto& start : starts_)
    start(devices);
  run_queued_calls();
}

void LazyInitialization::refuse_bad_fork() const {
  if (has_bad_fork()) throw_bad_fork();
}

void LazyInitialization::refuse_build() const {
  if (!build_.gpu) throw AssertionError("The library is not compiled with GPU support");
  if (!build_.runtime_bindings)
    throw AssertionError("The bindings of the GPU runtime (cudart) are unavailable");
}

void LazyInitialization::choose_module_loading() const {
  ::setenv("CUDA_MODULE_LOADING", "LAZY", 0);
}

int LazyInitialization::start_driver() {
  before_runtime_call();
  int devices = 0;
  Status status = driver::driver().device_count(devices);
  if (status == Status::success && devices == 0) status = Status::no_device;
  if (status != Status::success) refuse_start(status);
  return devices;
}

void LazyInitialization::refuse_start(Status error) const {
  const bool cuda = build_.vendor == driver::Vendor::cuda;
  if (error == Status::no_device)
    throw RuntimeError(fmt::format("No {} GPUs are available", cuda ? "CUDA" : "HIP"));
  if (error == Status::insufficient_driver) {
    const int version = driver::driver().driver_version();
    throw RuntimeError(
        version > 0 ? too_old_driver(build_.vendor, version)
                    : fmt::format("Found no {} driver on your system", cuda ? "NVIDIA" : "AMD"));
  }
  // What a driver says that another library used before this process was forked.
  if (error == Status::not_initialized)
    throw RuntimeError(
        fmt::format("The driver cannot start in this process ({}): if it was forked after the "
                    "driver was used, use the 'spawn' start method",
                    describe(error)));
  throw RuntimeError(fmt::format("The driver cannot start: {}", describe(error)));
}

// ---- queued calls -------------------------------------------------------------------------------

void LazyInitialization::queue(std::function<void()> call, CallPlace place, CallKind kind) {
  QueuedCall queued{std::move(call), std::move(place)};
  if (!keep(queued, kind)) queued.call();
}

bool LazyInitialization::keep(QueuedCall& queued, CallKind kind) {
  std::optional<QueuedCall> replaced;  // ends without the lock
  const std::scoped_lock lock(state_mutex());
  if (initialized()) return false;
  replaced = calls_.add(std::move(queued), kind);
  return true;
}

std::optional<QueuedCall> LazyInitialization::take_or_finish(QueuedCalls::Attempt& attempt) {
  QueuedCalls ended;  // without the lock, since what calls hold may have something to do at its end
  const std::scoped_lock lock(state_mutex());
  auto next = calls_.next(attempt);
  if (next) return next;
  std::swap(ended, calls_);
  initialized_in_.store(fork_generation(), std::memory_order_release);
  return std::nullopt;
}

void LazyInitialization::run_queued_calls() {
  QueuedCalls::Attempt attempt;
  while (const auto next = take_or_finish(attempt))
    run(*next);
}

void LazyInitialization::run(const QueuedCall& queued) const {
  const auto fail = [&](const char* message) {
    throw DeferredCudaCallError(
        fmt::format("a call that waited for initialization failed: {}; it was queued at {}",
                    message, queued.place.text()),
        std::current_exception());
  };
  try {
    queued.call();
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("an exception of unknown type");
  }
}

}  // namespace dlcert::cuda
