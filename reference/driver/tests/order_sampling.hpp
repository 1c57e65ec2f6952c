// SPDX-License-Identifier: Apache-2.0
//
// Larger programs than can be enumerated, drawn by seed: captures that are launched twice, memory
// in stream order, two devices, per-thread default streams, two threads, pageable memory.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "order_program.hpp"

namespace dlcert::driver::order {

struct SampledFamily {
  std::string_view name;
  Setting setting;
};

[[nodiscard]] std::vector<SampledFamily> sampled_families();

/// A program of 8 to 12 calls, or a few more where a capture has to be ended. The same for the same
/// seed. No call of it is an error.
[[nodiscard]] std::vector<Call> draw(const Setting& setting, std::uint64_t seed);

}  // namespace dlcert::driver::order
