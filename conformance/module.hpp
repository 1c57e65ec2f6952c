// SPDX-License-Identifier: Apache-2.0
//
// What the worker's library exports.
#pragma once

// dlcert::worker_main() (dlcert/suite/worker.hpp) with all checks.
extern "C" __attribute__((visibility("default"))) int dlcert_worker_main(int argc, char** argv);
