// SPDX-License-Identifier: Apache-2.0
//
// The choices of a saved counterexample, which anybody may have edited, fuzzed.
#pragma once

#include <cstdint>
#include <span>

namespace dlcert {

// Draws a spec and its values from the choices that the bytes say. Aborts the process unless the
// spec lies inside of its storage, which gives the values back, and the choices that were made
// draw the same again.
void replay_choices_that_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert
