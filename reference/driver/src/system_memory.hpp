// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "dlcert/driver/host_memory.hpp"

namespace dlcert::driver {

/// The C library's heap. There is one per process.
class SystemMemory final : public HostMemory {
 public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) override;
  void deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept override;
  [[nodiscard]] LiveAllocations live() const override;

 private:
  void* take_from_heap(std::size_t bytes, std::size_t alignment);
  void give_to_heap(void* block, std::size_t bytes, std::size_t alignment) noexcept;
};

}  // namespace dlcert::driver
