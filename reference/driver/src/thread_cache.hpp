// SPDX-License-Identifier: Apache-2.0
//
// The cache of host memory of each thread: counts of what it allocated, and free lists of the small
// blocks that it deallocated last. Both are written by that thread alone. Shared counters would
// cost two locked instructions per block, and the heap itself about as much as everything else that
// an export does.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "dlcert/driver/host_memory.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DLCERT_SANITIZED 1
#elif defined(__has_feature)
#define DLCERT_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define DLCERT_SANITIZED 0
#endif

namespace dlcert::driver {

class ThreadCache {
 public:
  ThreadCache() = default;
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;
  ~ThreadCache() = default;

  /// The cache of the calling thread, opened on first use. When the thread ends, the free blocks go
  /// to the heap, and the cache, with its counts, serves another thread.
  static ThreadCache& of_this_thread() noexcept { return own_ != nullptr ? *own_ : open(); }
  /// The cache of the calling thread, or NULL before its first use.
  static ThreadCache* opened() noexcept { return own_; }

  /// The sum over all threads. One thread's counts may be negative.
  static LiveAllocations total() noexcept;

  void count(std::int64_t blocks, std::int64_t bytes) noexcept {
    blocks_.store(blocks_.load(std::memory_order_relaxed) + blocks, std::memory_order_relaxed);
    bytes_.store(bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  /// The size at which to allocate a block of `bytes` bytes that may come to a free list.
  static constexpr std::size_t room_for(std::size_t bytes) noexcept {
    return (class_of(bytes) + 1) * granularity;
  }

  /// A free block with room for `bytes` bytes, or NULL.
  void* take(std::size_t bytes) noexcept {
    if (bytes > largest) return nullptr;
    FreeList& list = free_lists_[class_of(bytes)];
    return list.count != 0 ? list.blocks[--list.count] : nullptr;
  }
  /// Puts a block of room_for(bytes) bytes on its free list. False when the list is full.
  bool put(void* block, std::size_t bytes) noexcept {
    if (bytes > largest) return false;
    FreeList& list = free_lists_[class_of(bytes)];
    if (list.count == list.blocks.size()) return false;
    list.blocks[list.count++] = block;
    return true;
  }

 private:
  class CloseAtThreadExit;
  struct FreeList {
    std::size_t count = 0;
    std::array<void*, 15> blocks{};
  };

  static constexpr std::size_t granularity = 64;
  // A sanitizer has to see use after deallocation.
  static constexpr std::size_t largest = DLCERT_SANITIZED ? 0 : 512;

  static constexpr std::size_t class_of(std::size_t bytes) noexcept { return bytes / granularity; }

  static ThreadCache& open() noexcept;
  static ThreadCache& unused_or_new() noexcept;
  void close() noexcept;

  static std::atomic<ThreadCache*> all_;
  static constinit thread_local ThreadCache* own_ __attribute__((tls_model("initial-exec")));

  std::atomic<std::int64_t> blocks_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::array<FreeList, largest / granularity + 1> free_lists_{};
  std::atomic<bool> in_use_{true};
  ThreadCache* next_ = nullptr;
};

}  // namespace dlcert::driver
