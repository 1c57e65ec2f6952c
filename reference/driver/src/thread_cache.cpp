// SPDX-License-Identifier: Apache-2.0

#include "thread_cache.hpp"

#include <cstdlib>

namespace dlcert::driver {

constinit std::atomic<ThreadCache*> ThreadCache::all_{nullptr};
constinit ThreadCache ThreadCache::unopened_;
constinit thread_local ThreadCache* ThreadCache::own_ = &unopened_;

/// Closes the thread's cache when the thread ends.
class ThreadCache::CloseAtThreadExit {
 public:
  CloseAtThreadExit() = default;
  CloseAtThreadExit(const CloseAtThreadExit&) = delete;
  CloseAtThreadExit& operator=(const CloseAtThreadExit&) = delete;
  ~CloseAtThreadExit() {
    own_->close();
    own_ = &unopened_;
  }
};

ThreadCache& ThreadCache::open() noexcept {
  own_ = &unused_or_new();
  static thread_local CloseAtThreadExit at_exit;
  return *own_;
}

ThreadCache& ThreadCache::unused_or_new() noexcept {
  for (ThreadCache* memory = all_.load(std::memory_order_acquire); memory != nullptr;
       memory = memory->next_) {
    if (!memory->in_use_.exchange(true, std::memory_order_acquire)) return *memory;
  }
  auto* const memory = new ThreadCache;
  for (FreeList& list : memory->free_lists_)
    list.open();
  memory->next_ = all_.load(std::memory_order_relaxed);
  while (!all_.compare_exchange_weak(memory->next_, memory, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  return *memory;
}

void ThreadCache::close() noexcept {
  for (std::size_t i = 0; i < free_lists_.size(); ++i) {
    for (void* block = nullptr; free_lists_[i].take(block);) {
      count(-1, -static_cast<std::int64_t>(room_of(i)));
      std::free(block);
    }
  }
  in_use_.store(false, std::memory_order_release);
}

LiveAllocations ThreadCache::total() noexcept {
  LiveAllocations sum;
  for (const ThreadCache* memory = all_.load(std::memory_order_acquire); memory != nullptr;
       memory = memory->next_) {
    sum.blocks += memory->blocks_.load(std::memory_order_relaxed);
    sum.bytes += memory->bytes_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < memory->free_lists_.size(); ++i) {
      const auto unused = static_cast<std::int64_t>(memory->free_lists_[i].size());
      sum.blocks -= unused;
      sum.bytes -= unused * static_cast<std::int64_t>(room_of(i));
    }
  }
  return sum;
}

}  // namespace dlcert::driver
