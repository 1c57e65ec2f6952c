// SPDX-License-Identifier: Apache-2.0
//
// What both shims need to answer for a vendor's runtime with the simulated driver.

#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "dlcert/driver/simulated.hpp"

namespace dlcert::shim {

using driver::SimulatedDriver;
using driver::Status;
using driver::Stream;

/// Whose runtime this shared library stands for, and its name on stderr. Each shim defines them.
extern const driver::Vendor vendor;
extern const char* const library;

/// Numbers that a runtime gives and the driver does not.
inline constexpr auto invalid_configuration = static_cast<Status>(9);
inline constexpr auto invalid_pitch = static_cast<Status>(12);
inline constexpr auto invalid_symbol = static_cast<Status>(13);
inline constexpr auto invalid_device_function = static_cast<Status>(98);
inline constexpr auto file_not_found = static_cast<Status>(301);
inline constexpr auto symbol_not_found = static_cast<Status>(500);

/// The simulated driver when it has devices of `vendor`. Else NULL; stderr says why, once.
SimulatedDriver* simulated();

/// Keeps the status of a call as the last error of the calling thread unless it is success.
Status remember(Status status) noexcept;

/// The last error of the calling thread; `take_error` forgets it unless it sticks to the device.
Status take_error(SimulatedDriver& driver);
Status peek_error(SimulatedDriver& driver);

/// Names a function that is not modelled on stderr when `reported` was not set, and to the driver
/// each time, as a limit. Gives the number of not-supported.
Status note_limit(const char* name, std::atomic_flag& reported) noexcept;

/// The same as the answer of an entry point of the runtime, which is its last error then.
Status not_modelled(const char* name, std::atomic_flag& reported) noexcept;

/// The simulated driver's answer, `body(SimulatedDriver&)`, or insufficient_driver without one. No
/// exception leaves it.
template <class Body>
Status answer(Body&& body) noexcept {
  try {
    SimulatedDriver* const driver = simulated();
    return driver == nullptr ? Status::insufficient_driver : std::forward<Body>(body)(*driver);
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory;
  } catch (...) {
    return Status::unknown;
  }
}

}  // namespace dlcert::shim
