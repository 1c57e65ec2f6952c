// SPDX-License-Identifier: Apache-2.0
//
// What a call of a driver answers, in the vendors' numbers: HIP took over CUDA's.

#pragma once

#include <string_view>

#include "dlcert/driver/export.hpp"

namespace dlcert::driver {

enum class Vendor : unsigned char { cuda, rocm };

/// cudaError_t and hipError_t. Values without a name here are possible too: they come from the
/// vendor's library. Source: driver_types.h of CUDA 13.0, hip_runtime_api.h of ROCm 5.2.
enum class [[nodiscard]] Status : int{
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    invalid_copy_direction = 21,
    insufficient_driver = 35,
    no_device = 100,
    invalid_device = 101,
    invalid_context = 201,
    peer_access_unsupported = 217,
    invalid_handle = 400,
    illegal_state = 401,
    not_ready = 600,
    illegal_address = 700,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    context_is_destroyed = 709,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    launch_failure = 719,
    not_permitted = 800,
    not_supported = 801,
    capture_unsupported = 900,
    capture_invalidated = 901,
    capture_merge = 902,
    capture_unmatched = 903,
    capture_unjoined = 904,
    capture_isolation = 905,
    capture_implicit = 906,
    captured_event = 907,
    capture_wrong_thread = 908,
    unknown = 999,
};

/// The vendor's name of the number ("cudaErrorNotReady", "hipErrorNotReady"), and its sentence,
/// which in HIP is the name again. For a number that the vendor does not know, what its library
/// answers: "unrecognized error code" or "hipErrorUnknown". Static storage.
[[nodiscard]] DLCERT_DRIVER_EXPORT const char* status_name(Vendor vendor, Status status) noexcept;
[[nodiscard]] DLCERT_DRIVER_EXPORT const char* status_text(Vendor vendor, Status status) noexcept;

/// "cuda" or "rocm".
[[nodiscard]] DLCERT_DRIVER_EXPORT std::string_view to_text(Vendor vendor) noexcept;

}  // namespace dlcert::driver
