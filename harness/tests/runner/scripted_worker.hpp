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
};

}  // namespace dlcert::scripted
