// SPDX-License-Identifier: Apache-2.0
//
// How the worker's processes end.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace dlcert {

// Ends this process without the exit handlers of the libraries that it has loaded. Where coverage
// is measured they run all the same: gcov writes its counters in one of them.
[[noreturn]] inline void leave(int status) {
#ifdef DLCERT_COVERAGE
  std::exit(status);
#else
  ::_exit(status);
#endif
}

}  // namespace dlcert
