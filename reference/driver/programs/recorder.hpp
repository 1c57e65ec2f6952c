// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "program.hpp"

namespace dlcert::driver::programs {

/// Replaces what is recorded in `program` by all that the simulated driver answers under its
/// schedules. Throws what `run` throws.
void record(Program& program);

/// A program that depends on nothing but its arguments, not recorded yet.
[[nodiscard]] Program generate(std::uint64_t seed, int number);

}  // namespace dlcert::driver::programs
