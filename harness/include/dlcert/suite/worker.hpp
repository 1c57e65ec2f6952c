// SPDX-License-Identifier: Apache-2.0
//
// The worker executable's main: loads adapters, runs the units of a job, writes records into the
// runner's mapping.
#pragma once

#include <dlcert/suite/check.hpp>

namespace dlcert {

// `argv` is what the runner passed. Does not return to static destruction: the process ends by
// _exit once its records are written, so that an implementation's exit handlers cannot change what
// was recorded.
int dlcert_worker_main(int argc, char** argv, const Suite& suite);

}  // namespace dlcert
