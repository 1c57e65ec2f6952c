// SPDX-License-Identifier: Apache-2.0
//
// The main function of the worker program. It loads adapters, runs the units of a job, and writes
// the results into memory that the runner has mapped. Implemented in harness/src/worker/worker.cpp.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert {

// Runs the worker. `argv` comes from the runner, or from a person with --local. `suite` has the
// checks, and must outlive the call. Returns the exit code with --local, or after wrong usage.
// Under the runner it does not return: the process ends by _exit when its results are written, so
// that exit handlers of a library cannot change them.
int worker_main(int argc, char** argv, const Suite& suite);

using Main = int (*)(int argc, char** argv, char** environment);

// Returns `worker` if the process was started to run the worker in the program of an interpreter,
// whose own main() is `program`; else `program`. Restores LD_PRELOAD, so that other programs do not
// load the worker. Of the first thread, before main().
Main main_of_process(Main program, Main worker);

}  // namespace dlcert
