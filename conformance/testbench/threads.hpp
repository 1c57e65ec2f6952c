// SPDX-License-Identifier: Apache-2.0
//
// Calls on other threads than the case's own.
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include <dlcert/suite/check.hpp>

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

// Ends the case as not claimed unless the library may be called by several threads at once.
void require_thread_safe(const Case& c);

// Runs every action on a thread of its own, all starting at once. Fails the case when they have not
// ended after 5 seconds, which no thread survives; throws what the first of them threw. Not judged
// where so many threads are not to be had.
void all_at_once(const std::vector<std::function<void()>>& actions);

}  // namespace dlcert::testbench
