// SPDX-License-Identifier: Apache-2.0
//
// The worker as the new process of initialize_in_new_process(): dlcert-worker --initialize.
#pragma once

#include <string>

#include <dlcert/suite/check.hpp>

#include "records/adapter_source.hpp"

namespace dlcert {

// Lets checks start the program `worker`, which is dlcert-worker.
void offer_new_processes(const std::string& worker);

// What the new process does: loads the library, initializes its runtime and says so on standard
// output, or prints the error. Returns the exit status.
int initialize_here(const AdapterSource& source, Platform platform);

}  // namespace dlcert
