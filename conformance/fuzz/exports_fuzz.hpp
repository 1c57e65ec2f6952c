// SPDX-License-Identifier: Apache-2.0
//
// Reading what a library hands over, fuzzed.
#pragma once

#include <cstdint>
#include <span>

namespace dlcert::testbench {

// Makes a managed tensor whose numbers are what the bytes say, and reads it as checks do. Aborts
// the process unless it is refused by a failure of one line, or read as one element after the other
// is. What lies outside of memory is not read: that is the library's crash.
void read_export_that_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert::testbench
