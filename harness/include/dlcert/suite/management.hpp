// SPDX-License-Identifier: Apache-2.0
//
// The management libraries (NVML, AMD SMI) that a library under test opens by their names. These
// names find dlcert's drop-ins as long as this process holds them open. The environment variable
// DLCERT_MANAGEMENT configures the drop-ins (harness/shims/README.md explains it, with the units).
//
// With simulated devices the worker starts with the drop-ins, if they were built. Checks change
// that by testbench::ArrangedEnvironment. Implemented in harness/src/party/management.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace dlcert {

// The library that the names find.
enum class ManagementLibrary : std::uint8_t {
  stand_in,  // dlcert's complete drop-in
  lacking,   // a library that lacks all symbols except the first that is called
  absent,    // none: the name cannot be opened
};

// Changes what libnvidia-ml.so.1 and libamd_smi.so find, both at once, for code that opens them
// later in this process. Code that holds them open keeps what it has. dlcert holds what it opened
// until the next call. Only one thread may call this function, in a process of the case's own
// unless the check restores the former library.
//
// Throws NotFormable if the names find another library: one of the machine, one that other code
// brought into the process, or one that is still held. Throws Inconclusive if the drop-ins are
// missing.
void use_management_library(ManagementLibrary library);

// Returns whether the drop-ins for both were built.
bool management_stand_ins_exist();

// Returns the absolute path of the folder of the drop-ins, next to dlcert's driver in the build or
// the installation; empty if there is none.
std::string drop_in_folder();

}  // namespace dlcert
