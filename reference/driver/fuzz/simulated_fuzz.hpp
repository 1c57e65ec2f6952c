// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

namespace dlcert::driver {

/// Calls the simulated driver as `input` says, with handles and addresses that exist, existed or
/// never did. Aborts the process when a call answers with a number that has no name, or when work
/// is still pending after every device was waited for.
void call_what_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert::driver
