// SPDX-License-Identifier: Apache-2.0

#include "dlcert/driver/failing_host_memory.hpp"

#include <new>

namespace dlcert::driver {

FailingHostMemory::FailingHostMemory(HostMemory& upstream) noexcept : upstream_(upstream) {}

void FailingHostMemory::fail_after(std::int64_t successes) noexcept {
  successes_.store(successes);
}

bool FailingHostMemory::is_due() noexcept {
  std::int64_t left = successes_.load();
  while (left != never && !successes_.compare_exchange_weak(left, left - 1)) {
  }
  static_assert(never == -1, "counting down from 0 ends the request");
  return left == 0;
}

void* FailingHostMemory::allocate(std::size_t bytes, std::size_t alignment) {
  if (is_due()) throw std::bad_alloc();
  void* const block = upstream_.allocate(bytes, alignment);
  blocks_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  return block;
}

void FailingHostMemory::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  blocks_.fetch_sub(1, std::memory_order_relaxed);
  bytes_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  upstream_.deallocate(block, bytes, alignment);
}

LiveAllocations FailingHostMemory::live() const {
  return {blocks_.load(), bytes_.load()};
}

}  // namespace dlcert::driver
