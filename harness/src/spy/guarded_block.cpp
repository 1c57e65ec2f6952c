// SPDX-License-Identifier: Apache-2.0
#include "spy/guarded_block.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

namespace dlcert {

namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t pages_for(std::size_t bytes) {
  const std::size_t pages = (bytes + page_bytes() - 1) / page_bytes();
  return std::bit_ceil(pages == 0 ? 1 : pages);
}

// Maps pages between two guard pages. Returns their end, where the rear guard page begins.
std::byte* map_guarded_pages(std::size_t pages) {
  const std::size_t usable = pages * page_bytes();
  void* const place = ::mmap(nullptr, usable + 2 * page_bytes(), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc{};
  auto* const begin = static_cast<std::byte*>(place) + page_bytes();
  if (::mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(place, usable + 2 * page_bytes());
    throw std::bad_alloc{};
  }
  return begin + usable;
}

void protect_pages(std::byte* end, std::size_t pages, int protection) {
  const std::size_t usable = pages * page_bytes();
  if (::mprotect(end - usable, usable, protection) != 0)
    throw std::system_error{errno, std::generic_category(), "mprotect"};
}

// A library that never releases would else use up the mappings that a process may have.
constexpr std::size_t most_abandoned_blocks = 8192;
constexpr std::size_t most_abandoned_bytes = std::size_t{128} << 20;

class Pool {
 public:
  std::byte* take(std::size_t pages) {
    {
      const std::lock_guard lock{mutex_};
      auto& free = free_of(pages);
      if (!free.empty()) {
        std::byte* const end = free.back();
        free.pop_back();
        return end;
      }
    }
    return map_guarded_pages(pages);
  }

  void give_back(std::byte* end, std::size_t pages) {
    const std::lock_guard lock{mutex_};
    free_of(pages).push_back(end);
  }

  // Used again when many more have been abandoned.
  void give_back_late(std::byte* end, std::size_t pages) {
    const std::lock_guard lock{mutex_};
    abandoned_.push_back({end, pages});
    abandoned_pages_ += pages;
    while (abandoned_.size() > most_abandoned_blocks ||
           abandoned_pages_ * page_bytes() > most_abandoned_bytes) {
      const Abandoned oldest = abandoned_.front();
      abandoned_.pop_front();
      abandoned_pages_ -= oldest.pages;
      protect_pages(oldest.end, oldest.pages, PROT_READ | PROT_WRITE);
      free_of(oldest.pages).push_back(oldest.end);
    }
  }

 private:
  struct Abandoned {
    std::byte* end;
    std::size_t pages;
  };

  std::vector<std::byte*>& free_of(std::size_t pages) {
    return free_[static_cast<std::size_t>(std::countr_zero(pages))];
  }

  std::mutex mutex_;
  std::array<std::vector<std::byte*>, 64> free_;
  std::deque<Abandoned> abandoned_;
  std::size_t abandoned_pages_ = 0;
};

// Never destroyed: blocks may outlive static destruction.
Pool& pool() {
  static Pool& pool = *new Pool;
  return pool;
}

}  // namespace

GuardedBlock::GuardedBlock(std::size_t bytes)
    : end_{pool().take(pages_for(bytes))}, bytes_{bytes}, pages_{pages_for(bytes)} {}

GuardedBlock::~GuardedBlock() {
  if (abandoned_) {
    pool().give_back_late(end_, pages_);
    return;
  }
  make_writable();
  pool().give_back(end_, pages_);
}

void GuardedBlock::make_read_only() {
  protect(PROT_READ);
  protected_ = true;
}

void GuardedBlock::make_inaccessible() {
  protect(PROT_NONE);
  protected_ = true;
}

void GuardedBlock::make_writable() {
  if (!protected_) return;
  protect(PROT_READ | PROT_WRITE);
  protected_ = false;
}

void GuardedBlock::fill_with_poison() {
  if (!protected_ && bytes_ != 0) std::memset(data(), std::to_integer<int>(poison), bytes_);
}

void GuardedBlock::protect(int protection) {
  protect_pages(end_, pages_, protection);
}

}  // namespace dlcert
