// SPDX-License-Identifier: Apache-2.0
#include "testbench/gate.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace dlcert::testbench {

namespace {

constexpr std::chrono::milliseconds patience{200};
// Behind an error a device may never run the function.
constexpr std::chrono::seconds last_patience{2};

}  // namespace

struct Gate::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true;
  bool passed = true;
  bool too_late = false;
};

Gate::Gate() : state_{std::make_unique<State>()} {}

// Called on a thread of the driver.
void Gate::hold(void* state) {
  State& self = *static_cast<State*>(state);
  std::unique_lock lock{self.mutex};
  if (!self.changed.wait_for(lock, patience, [&] { return self.open; })) self.too_late = true;
  self.passed = true;
  self.changed.notify_all();
}

driver::Status Gate::close(driver::Driver& driver, driver::Stream stream) {
  const std::lock_guard lock{state_->mutex};
  const driver::Status status = driver.launch_host_function(stream, &Gate::hold, state_.get());
  if (status != driver::Status::success) return status;
  state_->open = false;
  state_->passed = false;
  state_->too_late = false;
  return status;
}

void Gate::open() {
  const std::lock_guard lock{state_->mutex};
  state_->open = true;
  state_->changed.notify_all();
}

bool Gate::opened_in_time() {
  const std::lock_guard lock{state_->mutex};
  return !state_->too_late;
}

Gate::~Gate() {
  open();
  std::unique_lock lock{state_->mutex};
  if (state_->changed.wait_for(lock, last_patience, [&] { return state_->passed; })) return;
  lock.unlock();
  static_cast<void>(state_.release());  // a function that may still run uses it
}

}  // namespace dlcert::testbench
