// SPDX-License-Identifier: Apache-2.0
//
// The management libraries (NVML, AMD SMI) that a library under test finds when it opens them by
// name: dlcert's stand-ins, which the environment variable DLCERT_MANAGEMENT configures
// (harness/shims/README.md, with the units). That a name finds them is so while this process holds
// them open. With simulated devices the worker starts with the stand-ins, where they were built;
// checks change that by testbench::ArrangedEnvironment. Implemented in
// harness/src/party/management.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace dlcert {

// What such a name finds.
enum class ManagementLibrary : std::uint8_t {
  stand_in,  // dlcert's, complete
  lacking,   // can be opened, and lacks all symbols but the first that is called
  absent,    // cannot be opened
};

// Changes what libnvidia-ml.so.1 and libamd_smi.so are for whoever opens them from now on in this
// process, both at once. Those who hold them open keep what they have; dlcert holds what it opened
// until the next call. Throws NotFormable where the names find something else: a library of the
// machine's, one that somebody brought into the process, one that is still held. Throws
// Inconclusive where the stand-ins are missing. One thread, in a process of the case's own unless
// it is put back.
void use_management_library(ManagementLibrary library);

// Whether the stand-ins for both were built.
bool management_stand_ins_exist();

// The absolute path of the folder of the libraries that stand in for the vendors', beside dlcert's
// driver in the build or the installation; empty: there is none.
std::string drop_in_folder();

}  // namespace dlcert
