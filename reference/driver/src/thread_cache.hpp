// SPDX-License-Identifier: Apache-2.0
//
// The cache of host memory of each thread: free lists of the small blocks that it deallocated last,
// and counts of what it took from the heap. Both are written by that thread alone. What is in use
// is what came from the heap and lies on no free list, so a block that a free list serves costs no
// count. Shared counters would cost two locked instructions per block, and the heap itself about as
// much as everything else that an export does.

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
  static ThreadCache& of_this_thread() noexcept { return own_ != &unopened_ ? *own_ : open(); }
  /// The cache of the calling thread, or before its first use one that takes and gives nothing, so
  /// that nobody tests for NULL.
  static ThreadCache& opened() noexcept { return *own_; }

  /// The sum over all threads. One thread's counts may be negative.
  static LiveAllocations total() noexcept;

  /// Counts blocks that the heap gave, or took back: then the numbers are negative.
  void count(std::int64_t blocks, std::int64_t bytes) noexcept {
    blocks_.store(blocks_.load(std::memory_order_relaxed) + blocks, std::memory_order_relaxed);
    bytes_.store(bytes_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  /// The size at which to allocate a block of `bytes` bytes that may come to a free list.
  static constexpr std::size_t room_for(std::size_t bytes) noexcept {
    return bytes <= largest ? room_of(class_of(bytes)) : bytes;
  }

  /// Takes a free block with room for `bytes` bytes. False when there is none.
  bool take(std::size_t bytes, void*& block) noexcept {
    return bytes <= largest && free_lists_[class_of(bytes)].take(block);
  }
  /// Puts a block of room_for(bytes) bytes on its free list. False when the list is full.
  bool put(void* block, std::size_t bytes) noexcept {
    return bytes <= largest && free_lists_[class_of(bytes)].put(block);
  }

 private:
  class CloseAtThreadExit;

  class FreeList {
   public:
    bool take(void*& block) noexcept {
      const std::size_t count = size();
      if (count == 0) return false;
      size_.store(count - 1, std::memory_order_relaxed);
      block = blocks_[count - 1];
      return true;
    }
    bool put(void* block) noexcept {
      const std::size_t count = size();
      if (count == capacity_) return false;
      blocks_[count] = block;
      size_.store(count + 1, std::memory_order_relaxed);
      return true;
    }
    /// Makes room for blocks. Before, the list takes none.
    void open() noexcept { capacity_ = blocks_.size(); }
    /// Any thread.
    [[nodiscard]] std::size_t size() const noexcept {
      return size_.load(std::memory_order_relaxed);
    }

   private:
    std::atomic<std::size_t> size_{0};
    std::size_t capacity_ = 0;
    std::array<void*, 14> blocks_{};
  };

  /// As large as a free list, so that the size of a block is the place of its list but for low
  /// bits.
  static constexpr std::size_t granularity = sizeof(FreeList);
  // A sanitizer has to see use after deallocation.
  static constexpr std::size_t largest = DLCERT_SANITIZED ? 0 : 512;

  static constexpr std::size_t class_of(std::size_t bytes) noexcept { return bytes / granularity; }
  static constexpr std::size_t room_of(std::size_t index) noexcept {
    return (index + 1) * granularity;
  }

  static ThreadCache& open() noexcept;
  static ThreadCache& unused_or_new() noexcept;
  void close() noexcept;

  static std::atomic<ThreadCache*> all_;
  static ThreadCache unopened_;
  static constinit thread_local ThreadCache* own_ __attribute__((tls_model("initial-exec")));

  std::atomic<std::int64_t> blocks_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::array<FreeList, largest / granularity + 1> free_lists_{};
  std::atomic<bool> in_use_{true};
  ThreadCache* next_ = nullptr;
};

}  // namespace dlcert::driver
