// SPDX-License-Identifier: Apache-2.0
//
// What a shim remembers between calls.

#pragma once

#include <cstdint>
#include <mutex>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// A State that is as new whenever the driver was restarted.
template <class State>
class PerWorld {
 public:
  /// `body(State&)`, alone.
  template <class Body>
  auto with(SimulatedDriver& driver, Body&& body) {
    const std::uint64_t restarts = driver.restarts();
    const std::scoped_lock lock{mutex_};
    if (restarts_ != restarts) state_ = State{};
    restarts_ = restarts;
    return body(state_);
  }

 private:
  std::mutex mutex_;
  std::uint64_t restarts_ = 0;
  State state_;
};

/// The one of the process. Never destroyed: programs may call until they have ended.
template <class State>
PerWorld<State>& remembered() {
  static PerWorld<State>& all = *new PerWorld<State>;
  return all;
}

}  // namespace dlcert::shim
