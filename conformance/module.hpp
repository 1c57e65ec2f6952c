// SPDX-License-Identifier: Apache-2.0
//
// The function of the worker's library that dlcert-worker calls.
#pragma once

// dlcert::worker_main() (dlcert/suite/worker.hpp) with all checks.
extern "C" __attribute__((visibility("default"))) int dlcert_worker_main(int argc, char** argv);
