// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "program.hpp"

namespace dlcert::driver::programs {

/// Replaces what is recorded in `program` by all that the simulated driver answers under its
/// schedules, and gives whether none of them showed a race. Without one every schedule ends with
/// the same bytes; with one, what other schedules end with may be missing in a program that is not
/// small. Throws what `run` throws.
bool record(Program& program);

/// A program that depends on nothing but its arguments, not recorded yet.
[[nodiscard]] Program generate(std::uint64_t seed, int number);

/// Whether the order of streams decides what is in the buffers at the end.
[[nodiscard]] bool depends_on_order(const Program& program);

}  // namespace dlcert::driver::programs
