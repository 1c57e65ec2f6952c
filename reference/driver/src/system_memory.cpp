// SPDX-License-Identifier: Apache-2.0

#include "system_memory.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include "thread_cache.hpp"

namespace dlcert::driver {
namespace {

constexpr bool is_plain(std::size_t alignment) noexcept {
  return alignment <= alignof(std::max_align_t);
}

[[gnu::noinline]] void* take_from_heap(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2 - alignment) {
    block = is_plain(alignment)
                ? std::malloc(ThreadCache::room_for(bytes))
                : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  }
  if (block == nullptr) throw std::bad_alloc();
  ThreadCache::of_this_thread().count(1, static_cast<std::int64_t>(bytes));
  return block;
}

[[gnu::noinline]] void give_to_heap(void* block, std::size_t bytes) noexcept {
  ThreadCache::of_this_thread().count(-1, -static_cast<std::int64_t>(bytes));
  std::free(block);
}

}  // namespace

void* SystemMemory::allocate(std::size_t bytes, std::size_t alignment) {
  ThreadCache* const thread = ThreadCache::opened();
  if (thread != nullptr && is_plain(alignment)) {
    if (void* const block = thread->take(bytes)) {
      thread->count(1, static_cast<std::int64_t>(bytes));
      return block;
    }
  }
  return take_from_heap(bytes, alignment);
}

void SystemMemory::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  ThreadCache* const thread = ThreadCache::opened();
  if (thread != nullptr && is_plain(alignment) && thread->put(block, bytes)) {
    thread->count(-1, -static_cast<std::int64_t>(bytes));
  } else {
    give_to_heap(block, bytes);
  }
}

LiveAllocations SystemMemory::live() const {
  return ThreadCache::total();
}

}  // namespace dlcert::driver
