// SPDX-License-Identifier: Apache-2.0

#include "simulated/memory_table.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace dlcert::driver::simulated {

Allocation* MemoryTable::insert(Allocation allocation) {
  const auto next = ranges_.lower_bound(allocation.begin);
  const std::uintptr_t end = allocation.begin + allocation.bytes;
  if (next != ranges_.end() && next->first < end) return nullptr;
  if (next != ranges_.begin()) {
    const Allocation& before = std::prev(next)->second;
    if (allocation.begin < before.begin + before.bytes) return nullptr;
  }
  allocation.id = next_id_++;
  const std::uintptr_t begin = allocation.begin;
  Allocation& inserted = ranges_.emplace_hint(next, begin, std::move(allocation))->second;
  make_places();
  return &inserted;
}

void MemoryTable::make_places() {
  const std::size_t wanted =
      std::clamp(std::bit_ceil(places_per_range * ranges_.size()), fewest_places, most_places);
  if (found_.size() < wanted) found_.assign(wanted, {});
}

void MemoryTable::erase(std::uintptr_t begin) noexcept {
  if (ranges_.erase(begin) != 0) ++erasures_;
}

Allocation* MemoryTable::find(std::uintptr_t address) noexcept {
  if (ranges_.empty()) return nullptr;
  Found& found = place_of(address);
  if (found.address == address && found.erasures == erasures_ && found.allocation != nullptr)
    return found.allocation;
  const auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  Allocation& candidate = std::prev(next)->second;
  if (address - candidate.begin >= candidate.bytes) return nullptr;
  found = {address, &candidate, erasures_};
  return &candidate;
}

}  // namespace dlcert::driver::simulated
