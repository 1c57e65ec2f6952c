// SPDX-License-Identifier: Apache-2.0
//
// The worker executable's main: loads adapters, runs the units of a job, writes records into the
// runner's mapping. Implemented in harness/src/worker/worker.cpp.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert {

// `argv` is what the runner passed, or a person with --local; `suite` has the checks and outlives
// the call. Returns the exit code of --local and of wrong usage. Under the runner the process ends
// by _exit once its records are written, so that an implementation's exit handlers cannot change
// what was recorded.
int worker_main(int argc, char** argv, const Suite& suite);

}  // namespace dlcert
