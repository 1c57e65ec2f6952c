// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

namespace dlcert::cuda {

/// Makes an environment, a management library and a runtime of the input, and asks for devices as
/// it says. Aborts, with a line that says why, where the answers do not fit together.
void enumerate_what_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert::cuda
