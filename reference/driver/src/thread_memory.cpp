// SPDX-License-Identifier: Apache-2.0

#include "thread_memory.hpp"

#include <cstdlib>

namespace dlcert::reference {

constinit std::atomic<ThreadMemory*> ThreadMemory::all_{nullptr};
constinit thread_local ThreadMemory* ThreadMemory::own_ = nullptr;

/// Closes the thread's memory when the thread ends.
class ThreadMemory::Lease {
 public:
  Lease() = default;
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    own_->close();
    own_ = nullptr;
  }
};

ThreadMemory& ThreadMemory::open() noexcept {
  own_ = &unused_or_new();
  static thread_local Lease lease;
  return *own_;
}

ThreadMemory& ThreadMemory::unused_or_new() noexcept {
  for (ThreadMemory* memory = all_.load(std::memory_order_acquire); memory != nullptr;
       memory = memory->next_) {
    if (!memory->in_use_.exchange(true, std::memory_order_acquire)) return *memory;
  }
  auto* const memory = new ThreadMemory;
  memory->next_ = all_.load(std::memory_order_relaxed);
  while (!all_.compare_exchange_weak(memory->next_, memory, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  return *memory;
}

void ThreadMemory::close() noexcept {
  for (Kept& kept : kept_) {
    while (kept.count != 0) {
      std::free(kept.blocks[--kept.count]);
    }
  }
  in_use_.store(false, std::memory_order_release);
}

HostAccount ThreadMemory::total() noexcept {
  HostAccount sum;
  for (const ThreadMemory* memory = all_.load(std::memory_order_acquire); memory != nullptr;
       memory = memory->next_) {
    sum.blocks += memory->blocks_.load(std::memory_order_relaxed);
    sum.bytes += memory->bytes_.load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace dlcert::reference
