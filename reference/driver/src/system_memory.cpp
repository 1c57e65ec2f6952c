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

/// What the heap is asked for.
constexpr std::size_t heap_size(std::size_t bytes, std::size_t alignment) noexcept {
  return is_plain(alignment) ? ThreadCache::room_for(bytes) : (bytes / alignment + 1) * alignment;
}

}  // namespace

void* SystemMemory::allocate(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (!is_plain(alignment) || !ThreadCache::opened().take(bytes, block)) [[unlikely]]
    return take_from_heap(bytes, alignment);
  return block;
}

void SystemMemory::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  if (!is_plain(alignment) || !ThreadCache::opened().put(block, bytes)) [[unlikely]]
    give_to_heap(block, bytes, alignment);
}

[[gnu::noinline]] void* SystemMemory::take_from_heap(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  const std::size_t size = heap_size(bytes, alignment);
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2 - alignment)
    block = is_plain(alignment) ? std::malloc(size) : std::aligned_alloc(alignment, size);
  if (block == nullptr) throw std::bad_alloc();
  ThreadCache::of_this_thread().count(1, static_cast<std::int64_t>(size));
  return block;
}

[[gnu::noinline]] void SystemMemory::give_to_heap(void* block, std::size_t bytes,
                                                  std::size_t alignment) noexcept {
  const auto size = static_cast<std::int64_t>(heap_size(bytes, alignment));
  ThreadCache::of_this_thread().count(-1, -size);
  std::free(block);
}

LiveAllocations SystemMemory::live() const {
  return ThreadCache::total();
}

}  // namespace dlcert::driver
