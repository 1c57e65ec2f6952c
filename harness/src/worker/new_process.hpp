// SPDX-License-Identifier: Apache-2.0
//
// The worker as the new process of initialize_in_new_process(): dlcert-worker --initialize.
#pragma once

#include <dlcert/suite/check.hpp>

#include "records/adapter_source.hpp"

namespace dlcert {

// Lets checks start this program anew.
void offer_new_processes();

// What the new process does: loads the library, initializes its runtime and says so on standard
// output, or prints the error. Returns the exit status.
int initialize_here(const AdapterSource& source, Platform platform);

}  // namespace dlcert
