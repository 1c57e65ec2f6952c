// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the process, as the code that the compilers emit registers them, and their launch.

#pragma once

#include <cstddef>
#include <vector>

#include "shims/common/shim.hpp"

namespace dlcert::shim {

/// A new handle for the code of one object file. The caller gives it back by `drop_module`.
void** add_module();

/// Forgets the module and its kernels.
void drop_module(void** module);

/// `function` is what a launch names: the address of the host's stub. `name` is mangled, and is
/// there as long as the module.
void add_kernel(void** module, const void* function, const char* name);

/// The kernel's mangled name. NULL when none is registered under `function`.
const char* find_kernel(const void* function);

struct Extent {
  unsigned int x = 1;
  unsigned int y = 1;
  unsigned int z = 1;
};

/// An operation of that name in the stream, which touches nothing. Refuses empty grids and blocks,
/// and blocks of more than 1024 threads.
Status launch_kernel(SimulatedDriver& driver, const void* function, const Extent& grid,
                     const Extent& block, Stream stream);

/// What stands between <<< and >>> until the stub of the kernel picks it up. One stack per thread.
template <class Dim3, class NativeStream>
struct CallConfiguration {
  Dim3 grid;
  Dim3 block;
  std::size_t shared_bytes;
  NativeStream stream;

  static std::vector<CallConfiguration>& stack() {
    thread_local std::vector<CallConfiguration> configurations;
    return configurations;
  }

  /// Writes the newest configuration and removes it. False when there is none.
  static bool pop(Dim3* grid, Dim3* block, std::size_t* shared_bytes, NativeStream* stream) {
    if (stack().empty()) return false;
    const CallConfiguration newest = stack().back();
    stack().pop_back();
    *grid = newest.grid;
    *block = newest.block;
    *shared_bytes = newest.shared_bytes;
    *stream = newest.stream;
    return true;
  }
};

}  // namespace dlcert::shim
