// SPDX-License-Identifier: Apache-2.0
//
// Handles by which other processes name memory and events. Other processes have no simulated device
// of this one: there they are not modelled. The process that made one may not open it.

#pragma once

#include <cstddef>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

inline constexpr std::size_t ipc_handle_bytes = 64;

/// Of whole device memory that no stream allocated.
Status export_memory(SimulatedDriver& driver, const void* memory, void* handle);
/// Of an event that was created for other processes.
Status export_event(SimulatedDriver& driver, driver::Event event, void* handle);

/// The answers to who opens a handle: `name` is the entry point.
Status open_memory_handle(const void* handle, const char* name, std::atomic_flag& reported);
Status open_event_handle(const void* handle, const char* name, std::atomic_flag& reported);

/// An event was created, for other processes or not; it ended.
void note_event(SimulatedDriver& driver, driver::Event event, bool is_shared);

}  // namespace dlcert::shim
