// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

namespace dlcert::reference {

/// Builds a managed tensor from `input`, offers it to the importer in the way that the input says,
/// and reads it when it is accepted. Aborts the process when it was not released exactly once, or
/// was changed.
void import_what_bytes_say(std::span<const std::uint8_t> input);

}  // namespace dlcert::reference
