// SPDX-License-Identifier: Apache-2.0
//
// Functions of a check that run inside a library's frame, which no exception may cross.
#pragma once

#include <exception>
#include <functional>

namespace dlcert {

// Throws on what ended a case inside a body of gpu_party.cpp, once the library's frame is left;
// else does nothing.
void rethrow_from_body();

// A body that a library runs during one call, with this as its context. What it throws is kept
// until that call has returned.
struct BodyInside {
  const std::function<void()>& run;
  int runs = 0;
  std::exception_ptr thrown = {};

  static void call(void* context) {
    auto& self = *static_cast<BodyInside*>(context);
    ++self.runs;
    try {
      self.run();
    } catch (...) {
      self.thrown = std::current_exception();
    }
  }
};

}  // namespace dlcert
