// SPDX-License-Identifier: Apache-2.0
//
// A new process beside the case's own: started as a program, not forked. Implemented in
// harness/src/party.
#pragma once

#include <functional>
#include <string>

#include <dlcert/suite/party.hpp>

namespace dlcert {

// Starts a process with the environment of this one, which loads the library and initializes its
// GPU runtime on simulated devices of the same vendor. Waits for its end. Returns an empty text if
// the runtime is initialized there; else the library's error, or that the process ended or hung
// without an answer. Throws Inconclusive if this program cannot start such a process.
std::string initialize_in_new_process(const Party& library);

// Sets how such a process is started. One thread, before any check runs.
void start_new_processes_by(std::function<std::string(const Party&)> start);

}  // namespace dlcert
