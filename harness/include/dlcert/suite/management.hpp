// SPDX-License-Identifier: Apache-2.0
//
// The management libraries (NVML, AMD SMI) that a library under test finds when it opens them by
// name: dlcert's stand-ins, which the environment variable DLCERT_MANAGEMENT configures
// (harness/shims/README.md). Implemented in harness/src/party/management.cpp.
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
// process. Those who hold them open keep what they have. Throws NotFormable where this machine or
// process has such a library of its own, and Inconclusive where the stand-ins are missing.
void use_management_library(ManagementLibrary library);

// Whether the stand-ins were built.
bool management_stand_ins_exist();

// The folder of the libraries that stand in for the vendors', beside the driver; empty: there is
// none.
std::string drop_in_folder();

}  // namespace dlcert
