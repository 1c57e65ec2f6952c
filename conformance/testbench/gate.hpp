// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dlcert/driver/driver.hpp>

namespace dlcert::testbench {

// Holds back what follows it on a stream of real hardware until the host opens it. It opens by
// itself after a while, so that a host that waits for the work behind it is not deadlocked.
class Gate {
 public:
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate();

  // Enqueues the gate, where no capture is under way. One at a time.
  driver::Status close(driver::Driver& driver, driver::Stream stream);
  void open();
  // Whether it was the host that opened it.
  bool opened_in_time();

 private:
  struct State;
  static void hold(void* state);

  std::unique_ptr<State> state_;
};

}  // namespace dlcert::testbench
