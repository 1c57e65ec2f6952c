// SPDX-License-Identifier: Apache-2.0
//
// The worker: the harness's loop with all checks.
#include <dlcert/suite/worker.hpp>

#include "suite.hpp"

int main(int argc, char** argv) {
  return dlcert::worker_main(argc, argv, dlcert::all_checks());
}
