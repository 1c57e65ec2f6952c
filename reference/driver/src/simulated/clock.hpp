// SPDX-License-Identifier: Apache-2.0
//
// What a point in a timeline knows to have happened before it: of each timeline the number of its
// last operation. Only timelines that were waited for have an entry.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simulated/access_history.hpp"

namespace dlcert::driver::simulated {

/// Knowledge is transitive: who knows an operation knows what that one knew.
class Clock {
 public:
  /// The number of the last operation of `timeline` that is known; 0 for none.
  [[nodiscard]] std::uint64_t of(std::uint32_t timeline) const noexcept;
  [[nodiscard]] bool knows(Position position) const noexcept {
    return of(position.timeline) >= position.number;
  }

  /// Learns one operation and everything that `other`, its clock, knew. Entries that the host knows
  /// already are dropped on the way: `host_knows[timeline]` is the last number that it waited for,
  /// and all that is submitted from now on knows at least as much.
  void learn(Position position, const Clock& other, std::span<const std::uint64_t> host_knows);

  [[nodiscard]] std::span<const Position> entries() const noexcept { return entries_; }

 private:
  void raise(Position position);

  std::vector<Position> entries_;  // sorted by timeline
};

/// A clock that several hold and none changes while it is shared.
class SharedClock {
 public:
  [[nodiscard]] const Clock& get() const noexcept {
    static const Clock nothing;
    return clock_ != nullptr ? *clock_ : nothing;
  }
  void learn(Position position, const Clock& other, std::span<const std::uint64_t> host_knows);

 private:
  std::shared_ptr<Clock> clock_;
};

}  // namespace dlcert::driver::simulated
