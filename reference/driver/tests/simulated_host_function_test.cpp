// SPDX-License-Identifier: Apache-2.0
//
// When a host function runs that nothing waits for by means of the driver.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "simulated_fixture.hpp"

namespace dlcert::driver {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class HostIsTold : public Simulated, public testing::WithParamInterface<Schedule> {
 protected:
  HostIsTold() {
    restart({.devices = 1, .schedule = GetParam()});
    data_ = buffer();
  }
  ~HostIsTold() override { ok(driver_.synchronize_device()); }

  // A write of `data_` behind which the host is told.
  void tell_behind_write() {
    const Stream on = stream();
    write(on, data_);
    ok(driver_.launch_host_function(
        on,
        [](void* self) {
          auto* const test = static_cast<HostIsTold*>(self);
          const std::scoped_lock lock{test->mutex_};
          test->told_ = true;
          test->changed_.notify_all();
        },
        this));
  }
  bool is_known() { return !driver_.has_unfinished_write(data_, size); }

  std::byte* data_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> told_{false};
};

TEST_P(HostIsTold, TellsAHostThatSleepsUntilItIsTold) {
  tell_behind_write();
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return told_.load(); });
  EXPECT_TRUE(is_known());
}

TEST_P(HostIsTold, TellsAHostThatLooksAtMemoryUntilItIsTold) {
  tell_behind_write();
  while (!told_) {
  }
  EXPECT_TRUE(is_known());
}

TEST_P(HostIsTold, TellsNothingToAHostThatWorks) {
  tell_behind_write();
  const auto end = steady_clock::now() + milliseconds{100};
  int device = 0;
  while (steady_clock::now() < end)
    ok(driver_.current_device(device));
  EXPECT_FALSE(told_);
  EXPECT_FALSE(is_known());
}

INSTANTIATE_TEST_SUITE_P(, HostIsTold,
                         testing::Values(Schedule::eager, Schedule::late, Schedule::seeded),
                         [](const auto& test) { return std::string{to_text(test.param)}; });

}  // namespace
}  // namespace dlcert::driver
