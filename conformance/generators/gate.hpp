// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include <dlcert/driver/driver.hpp>

namespace dlcert::stream {

// Holds back what follows it on a stream of real hardware until the host opens it. It opens by
// itself after a while, so that who waits on the host for the work behind it is not deadlocked.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  // Enqueues the gate. One at a time.
  driver::Status close(driver::Driver& driver, driver::Stream stream);
  void open();
  // Whether it was the host that opened it.
  bool opened_in_time();

 private:
  static void hold(void* gate);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  bool passed_ = true;
  bool too_late_ = false;
};

}  // namespace dlcert::stream
