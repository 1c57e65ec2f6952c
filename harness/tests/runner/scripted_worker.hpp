// SPDX-License-Identifier: Apache-2.0
//
// What a unit of the scripted worker comes to, told by its seed.
#pragma once

#include <cstdint>

namespace dlcert::scripted {

enum class Script : std::uint64_t {
  passes,
  damages,             // seals half a record
  fails_then_damages,  // the same where it is run alone, after a failure
  passes_and_dies_at_the_end,
  passes_and_is_killed_at_the_end,
  passes_and_cannot_go_on,  // and says why
  dies_behind_a_limit,
  finds_a_fault_of_the_adapter,  // in its unit
  is_slow,                       // and seals nothing
};

// What a unit comes to that leaves out properties of its input, told by its number of cases: this
// many pass, any other number fails.
inline constexpr std::uint64_t passes_without_properties = 100;

}  // namespace dlcert::scripted
