// SPDX-License-Identifier: Apache-2.0
//
// Host memory: where the bytes of a CPU tensor come from, with a count of what is still in use.

#pragma once

#include <cstddef>
#include <cstdint>

#include "dlcert/driver/export.hpp"

namespace dlcert::driver {

/// What has been allocated and not yet deallocated.
struct LiveAllocations {
  std::int64_t blocks = 0;
  std::int64_t bytes = 0;  ///< that the blocks take, which may be more than was asked for

  friend bool operator==(const LiveAllocations&, const LiveAllocations&) = default;
};

/// A source of host memory. All functions may be called from any thread, and a block may be given
/// back on another thread than the one that asked for it.
class DLCERT_DRIVER_EXPORT HostMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  virtual ~HostMemory();

  /// Returns a block of `bytes` bytes whose address is a multiple of `alignment`, a power of two.
  /// The caller owns it and gives it back to this object. Throws std::bad_alloc when there is no
  /// memory, and then nothing has changed.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;

  /// Takes back a block that `allocate(bytes, alignment)` of this object returned. NULL is not a
  /// block.
  virtual void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept = 0;

  /// The blocks of this object that are in use. The answer is exact when no other thread allocates
  /// or deallocates meanwhile.
  [[nodiscard]] virtual LiveAllocations live() const = 0;
};

/// The host memory that new tensors use. There is one per process, since the driver is one shared
/// library; it lives until the process ends.
[[nodiscard]] DLCERT_DRIVER_EXPORT HostMemory& host_memory() noexcept;

/// Makes `memory` the one that `host_memory()` returns, and returns the one before it. Blocks stay
/// with the memory that they came from, so `memory` must outlive all that is allocated from it.
DLCERT_DRIVER_EXPORT HostMemory& set_host_memory(HostMemory& memory) noexcept;

}  // namespace dlcert::driver
