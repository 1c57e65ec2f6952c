// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on what CUDA orders: runs a small program through every schedule that CUDA's
// documents allow. Knows no clocks, no histories and nothing of the simulated driver.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "order_program.hpp"

namespace dlcert::driver::order {

/// Cells first, then what the host has read, in the order of the calls. One number stands for the
/// bytes of a cell; 0 at first.
using Values = std::array<std::uint8_t, 24>;
/// What memory holds that nobody has written since its allocation.
inline constexpr std::uint8_t undefined = 0xFF;

struct Verdict {
  bool unordered = false;     ///< overlapping accesses, one a write, run either way round
  bool bytes_differ = false;  ///< between two schedules
  std::string pair = {};      ///< two such accesses, by the indices of their calls
  /// There are such accesses that no driver is told of: of pageable memory, or of two threads of
  /// the host. The program has a race then, if the bytes say so or not, that only others can find.
  bool unwatched = false;
  Values values = {};         ///< at the end of one schedule
  std::uint64_t refused = 0;  ///< the calls that are errors, by their indices

  [[nodiscard]] bool race() const noexcept { return unordered || bytes_differ; }
};

/// The calls are in the order in which they were made. Each fill or host_write of call i writes
/// i + 1. At most 64 steps: calls, and operations of streams. Throws std::length_error beyond that.
[[nodiscard]] Verdict judge(const Setting& setting, std::span<const Call> program);

}  // namespace dlcert::driver::order
