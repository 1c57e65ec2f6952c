// SPDX-License-Identifier: Apache-2.0
#include "worker/heap_holes.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>

namespace dlcert {

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)

namespace {

constexpr std::size_t size_step = 16, largest = 1024;
// So many blocks of one size each thread has at hand, which are not counted as free.
constexpr std::size_t at_hand = 7;

std::size_t free_in_holes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.fordblks - heap.keepcost;
}

}  // namespace

void fill_heap_holes() {
  if (::mallinfo2().uordblks == 0) return;  // a sanitizer's heap, which tells nothing
  for (std::size_t size = largest; size >= 2 * size_step; size -= size_step) {
    std::size_t left = free_in_holes();
    for (std::size_t in_vain = 0; in_vain <= at_hand;) {
      // Volatile, as clang leaves out an allocation of which nothing but the success is looked at.
      void* const volatile block = std::malloc(size - sizeof(std::size_t));
      if (block == nullptr) return;
      const std::size_t before = left;
      left = free_in_holes();
      in_vain = left < before ? 0 : in_vain + 1;
    }
  }
}

#else

void fill_heap_holes() {}

#endif

}  // namespace dlcert
