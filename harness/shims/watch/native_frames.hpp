// SPDX-License-Identifier: Apache-2.0
//
// Where in its native code the calling thread is.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace dlcert::shim {

/// Addresses behind calls.
struct NativeFrames {
  void* entry = nullptr;          ///< in the drop-in's function that the program called
  std::vector<void*> stack = {};  ///< of the program, the innermost first

  friend bool operator<(const NativeFrames& a, const NativeFrames& b) {
    return std::tie(a.entry, a.stack) < std::tie(b.entry, b.stack);
  }
};

/// At most `most` of the program. Those of a Python interpreter end them: what is behind them its
/// lines tell better.
NativeFrames native_frames(std::size_t most);

/// Whoever forks holds it, so that the child does not wait for a thread that it does not have.
std::mutex& native_frames_mutex();

/// What an address is in.
struct NativePlace {
  std::string function;      ///< demangled; empty: the module does not tell
  std::string module;        ///< path; empty: none
  std::uint64_t offset = 0;  ///< of the call in the module, as addr2line takes it
};
NativePlace described(void* address);

}  // namespace dlcert::shim
