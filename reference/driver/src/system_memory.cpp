// SPDX-License-Identifier: Apache-2.0

#include "system_memory.hpp"

#include <cstdlib>
#include <limits>
#include <new>

#include "thread_memory.hpp"

namespace dlcert::reference {
namespace {

constexpr bool is_plain(std::size_t alignment) noexcept {
  return alignment <= alignof(std::max_align_t);
}

[[gnu::noinline]] void* from_heap(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2 - alignment) {
    block = is_plain(alignment)
                ? std::malloc(ThreadMemory::room_for(bytes))
                : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  }
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* SystemMemory::allocate(std::size_t bytes, std::size_t alignment) {
  ThreadMemory& thread = ThreadMemory::of_this_thread();
  void* block = is_plain(alignment) ? thread.take(bytes) : nullptr;
  if (block == nullptr) block = from_heap(bytes, alignment);
  thread.count(1, static_cast<std::int64_t>(bytes));
  return block;
}

void SystemMemory::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  ThreadMemory& thread = ThreadMemory::of_this_thread();
  thread.count(-1, -static_cast<std::int64_t>(bytes));
  if (!is_plain(alignment) || !thread.keep(block, bytes)) std::free(block);
}

HostAccount SystemMemory::live() const {
  return ThreadMemory::total();
}

}  // namespace dlcert::reference
