// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

namespace dlcert::cuda {

/// Reads the input as a value of the variable (after a byte that says how many devices there are)
/// by the rules of every policy. Aborts, with a line that says why, where a list is not what a
/// simpler reading of the rules gives, or changes by what stands behind its end.
void read_what_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert::cuda
