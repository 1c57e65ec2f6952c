// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <thread>

namespace dlcert::testbench {

// Runs `action` on a thread that the library has never seen; what it throws is thrown here.
template <typename Action>
void on_new_thread(const Action& action) {
  std::exception_ptr thrown;
  std::thread{[&] {
    try {
      action();
    } catch (...) {
      thrown = std::current_exception();
    }
  }}.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace dlcert::testbench
