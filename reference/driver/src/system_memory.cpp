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

[[gnu::noinline]] void* take_from_heap(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (bytes <= std::numeric_limits<std::size_t>::max() / 2 - alignment) {
    block = is_plain(alignment)
                ? std::malloc(ThreadMemory::room_for(bytes))
                : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  }
  if (block == nullptr) throw std::bad_alloc();
  ThreadMemory::of_this_thread().count(1, static_cast<std::int64_t>(bytes));
  return block;
}

[[gnu::noinline]] void give_to_heap(void* block, std::size_t bytes) noexcept {
  ThreadMemory::of_this_thread().count(-1, -static_cast<std::int64_t>(bytes));
  std::free(block);
}

}  // namespace

void* SystemMemory::allocate(std::size_t bytes, std::size_t alignment) {
  ThreadMemory* const thread = ThreadMemory::opened();
  if (thread != nullptr && is_plain(alignment)) {
    if (void* const block = thread->take(bytes)) {
      thread->count(1, static_cast<std::int64_t>(bytes));
      return block;
    }
  }
  return take_from_heap(bytes, alignment);
}

void SystemMemory::deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept {
  ThreadMemory* const thread = ThreadMemory::opened();
  if (thread != nullptr && is_plain(alignment) && thread->keep(block, bytes)) {
    thread->count(-1, -static_cast<std::int64_t>(bytes));
  } else {
    give_to_heap(block, bytes);
  }
}

HostAccount SystemMemory::live() const {
  return ThreadMemory::total();
}

}  // namespace dlcert::reference
