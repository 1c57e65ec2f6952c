// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "dlcert/tensor/managed.hpp"
#include "dlcert/tensor/storage.hpp"

namespace dlcert::reference {

/// Storage over the memory of a managed tensor, which it owns and releases with itself.
class BorrowedStorage final : public Storage {
 public:
  /// Storage that owns no managed tensor yet: one allocation, one reference, which is the caller's.
  /// Throws std::bad_alloc.
  static BorrowedStorage& make(std::byte* data, std::int64_t bytes, DLDevice device = cpu_device,
                               HostMemory& memory = host_memory()) {
    void* const room = memory.allocate(sizeof(BorrowedStorage), alignof(BorrowedStorage));
    return *::new (room) BorrowedStorage(memory, data, bytes, device);
  }

  /// Once: it owns nothing before that would have to be released.
  void own(UniqueManagedTensor&& managed) noexcept {
    std::construct_at(&managed_, std::move(managed));
  }

 private:
  BorrowedStorage(HostMemory& memory, std::byte* data, std::int64_t bytes, DLDevice device) noexcept
      : Storage(memory, data, bytes, device) {}

  void end() noexcept override;

  UniqueManagedTensor managed_;
};

}  // namespace dlcert::reference
