// SPDX-License-Identifier: Apache-2.0
//
// What calls of the GPU runtime answer, and how the library reports it.

#pragma once

#include <string>

#include "dlcert/driver/status.hpp"

namespace dlcert::cuda {

/// The two status constants that torch 2.4 publishes (cudaStatus). 34 is stale: runtimes answer 600
/// for what is not ready and mean something else by 34, so compare with driver::Status instead.
inline constexpr int published_success = 0;
inline constexpr int published_not_ready = 34;

/// "invalid device ordinal (101)", in the words of the driver's vendor.
[[nodiscard]] std::string describe(driver::Status status);

/// The message about a driver of this version, which is too old for the runtime.
[[nodiscard]] std::string too_old_driver(driver::Vendor vendor, int version);

/// Nothing for success, else throws a CudaError with the number and describe(). Never initializes.
/// Source: torch 2.4, check_error.
void check_error(int code);
void check(driver::Status status);

}  // namespace dlcert::cuda
