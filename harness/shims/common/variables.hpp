// SPDX-License-Identifier: Apache-2.0
//
// The variables of devices, as the code that the compilers emit registers them. Each device has
// memory of its own for one, from its first use on.

#pragma once

#include <cstddef>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// `variable` is what programs name: the address of the host's shadow. `name` is the device's.
void add_variable(void** module, const void* variable, const char* name, std::size_t bytes);

/// Forgets the module's variables, and gives back their memory.
void drop_variables(void** module);

/// False when none is registered under `variable`.
bool find_variable(const void* variable, std::size_t& bytes);

/// Part of a variable, and whether a copy will write it.
struct VariablePart {
  const void* variable = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  bool is_written = false;
};

/// Where the current device has it. What variables hold at first is in code for devices, which is
/// not read: who gets to see it meets a limit.
Status locate(SimulatedDriver& driver, const VariablePart& part, void*& out);

}  // namespace dlcert::shim
