// SPDX-License-Identifier: Apache-2.0
//
// What both management libraries need, whose answers are not trusted.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dlcert/cuda/management.hpp"

namespace dlcert::cuda {

/// No machine has more devices; what claims to is not believed, since memory is asked for by it.
inline constexpr std::uint32_t most_devices_listed = 4096;
/// A UUID has at most 96 characters (NVML_DEVICE_UUID_V2_BUFFER_SIZE).
inline constexpr std::size_t uuid_buffer_bytes = 96;

/// Throws for an answer that cannot be.
[[noreturn]] void refuse_answer(ManagementStep step, const std::string& what);

/// Throws unless `text`, which `function` gave, is ASCII.
void require_ascii(const char* function, std::string_view text);

}  // namespace dlcert::cuda
