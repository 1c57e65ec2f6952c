// SPDX-License-Identifier: Apache-2.0
//
// What kernels need of a device. Their code is not read: all need the same.

#pragma once

#include <algorithm>
#include <cstddef>

#include "shims/common/device_limits.hpp"

namespace dlcert::shim {

inline constexpr int registers_per_thread = 32;
inline constexpr int portable_cluster = 8;  ///< blocks
inline constexpr int largest_cluster = 16;  ///< where a kernel allows what is not portable

/// How many blocks of so many threads and bytes of dynamic shared memory run on a multiprocessor.
inline int active_blocks(int threads, std::size_t shared_bytes, int warp_size) {
  if (threads > threads_per_block || shared_bytes > shared_bytes_per_block_optin) return 0;
  const int rounded = (threads + warp_size - 1) / warp_size * warp_size;
  const int by_threads = threads_per_multiprocessor / rounded;
  const int by_registers = registers_per_multiprocessor / (rounded * registers_per_thread);
  const int each = static_cast<int>(shared_bytes) + reserved_shared_bytes_per_block;
  const int by_shared_memory = shared_bytes_per_multiprocessor / each;
  return std::min({by_threads, by_registers, by_shared_memory, blocks_per_multiprocessor});
}

/// The most dynamic shared memory with which so many blocks run there: there have to be so many
/// without any.
inline std::size_t available_shared_bytes(int blocks) {
  const int each = shared_bytes_per_multiprocessor / blocks - reserved_shared_bytes_per_block;
  return static_cast<std::size_t>(std::min(each, shared_bytes_per_block_optin));
}

}  // namespace dlcert::shim
