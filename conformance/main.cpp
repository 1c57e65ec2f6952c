// SPDX-License-Identifier: Apache-2.0
//
// The program dlcert-worker, whose code is the library beside it.
#include "module.hpp"

int main(int argc, char** argv) {
  return dlcert_worker_main(argc, argv);
}
