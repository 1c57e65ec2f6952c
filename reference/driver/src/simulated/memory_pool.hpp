// SPDX-License-Identifier: Apache-2.0
//
// The books of a memory pool: how much of it is used, and how much it keeps from the device.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::driver::simulated {

/// A number of bytes, and the most that it was since its mark was reset.
struct Level {
  std::uint64_t now = 0;
  std::uint64_t high = 0;

  void set(std::uint64_t bytes) noexcept {
    now = bytes;
    high = std::max(high, now);
  }
};

struct MemoryPool {
  int device = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< bytes used
  std::uint64_t release_threshold = 0;
  std::array<bool, 3> reuse{true, true, true};  ///< as they were set: nothing depends on them
  std::map<int, PoolAccess> access = {};        ///< of devices other than its own
  Level used = {};
  Level reserved = {};

  [[nodiscard]] bool has_room(std::uint64_t bytes) const noexcept {
    return bytes <= most - used.now;
  }
  void take(std::uint64_t bytes) noexcept {
    used.set(used.now + bytes);
    reserved.set(std::max(reserved.now, used.now));
  }
  void give_back(std::uint64_t bytes) noexcept { used.set(used.now - bytes); }
  /// Gives to the device what is not used, but for `kept` bytes.
  void trim(std::uint64_t kept) noexcept {
    reserved.set(std::max(used.now, std::min(reserved.now, kept)));
  }
};

}  // namespace dlcert::driver::simulated
