// SPDX-License-Identifier: Apache-2.0
#include "generators/gate.hpp"

#include <chrono>

namespace dlcert::stream {

namespace {

constexpr std::chrono::milliseconds patience{200};

}  // namespace

// On a thread of the driver.
void Gate::hold(void* gate) {
  Gate& self = *static_cast<Gate*>(gate);
  std::unique_lock lock{self.mutex_};
  if (!self.changed_.wait_for(lock, patience, [&] { return self.open_; })) self.too_late_ = true;
  self.passed_ = true;
  self.changed_.notify_all();
}

driver::Status Gate::close(driver::Driver& driver, driver::Stream stream) {
  {
    const std::lock_guard lock{mutex_};
    open_ = false;
    passed_ = false;
    too_late_ = false;
  }
  const driver::Status status = driver.launch_host_function(stream, &Gate::hold, this);
  if (status != driver::Status::success) {
    const std::lock_guard lock{mutex_};
    open_ = passed_ = true;
  }
  return status;
}

void Gate::open() {
  const std::lock_guard lock{mutex_};
  open_ = true;
  changed_.notify_all();
}

bool Gate::opened_in_time() {
  const std::lock_guard lock{mutex_};
  return !too_late_;
}

Gate::~Gate() {
  open();
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return passed_; });
}

}  // namespace dlcert::stream
