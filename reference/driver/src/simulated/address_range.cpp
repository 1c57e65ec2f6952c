// SPDX-License-Identifier: Apache-2.0

#include "simulated/address_range.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

namespace dlcert::driver::simulated {
namespace {

constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::byte* reserve(std::size_t bytes, int access) {
  void* const mapped = mmap(nullptr, bytes, access, anonymous, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot reserve addresses");
  return static_cast<std::byte*>(mapped);
}

}  // namespace

AddressRange::AddressRange(std::size_t bytes, std::size_t alignment)
    : bytes_{bytes}, reserved_{bytes + alignment} {
  if (reserved_ < bytes)
    throw std::system_error(ENOMEM, std::generic_category(), "cannot reserve addresses");
  area_ = reserve(reserved_, PROT_NONE);
  try {
    view_ = reserve(bytes_, PROT_READ | PROT_WRITE);
  } catch (...) {
    munmap(area_, reserved_);
    throw;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(area_);
  begin_ = (first + alignment - 1) / alignment * alignment;
}

AddressRange::~AddressRange() {
  munmap(area_, reserved_);
  munmap(view_, bytes_);
}

const AddressRange::Mapping* AddressRange::find(std::uintptr_t address) const {
  const auto next = mappings_.upper_bound(address);
  if (next == mappings_.begin()) return nullptr;
  const auto& [begin, mapping] = *std::prev(next);
  return address - begin < mapping.bytes ? &mapping : nullptr;
}

template <class Visit>
bool AddressRange::all_of(std::uintptr_t begin, std::size_t bytes, Visit&& visit) const {
  std::uintptr_t reached = begin;
  auto each = mappings_.upper_bound(begin);
  if (each != mappings_.begin()) --each;
  for (; reached < begin + bytes; ++each) {
    if (each == mappings_.end() || each->first > reached) return false;
    const std::uintptr_t end = each->first + each->second.bytes;
    if (end <= reached || !visit(each->first, each->second)) return false;
    reached = end;
  }
  return true;
}

bool AddressRange::is_unmapped(std::uintptr_t begin, std::size_t bytes) const {
  const auto next = mappings_.lower_bound(begin + bytes);
  if (next == mappings_.begin()) return true;
  const auto& [first, mapping] = *std::prev(next);
  return first + mapping.bytes <= begin;
}

bool AddressRange::is_mapped(std::uintptr_t begin, std::size_t bytes) const {
  return all_of(begin, bytes, [](std::uintptr_t, const Mapping&) { return true; });
}

bool AddressRange::is_whole(std::uintptr_t begin, std::size_t bytes) const {
  return all_of(begin, bytes, [&](std::uintptr_t first, const Mapping& mapping) {
    return first >= begin && first + mapping.bytes <= begin + bytes;
  });
}

bool AddressRange::allows(std::uintptr_t begin, std::size_t bytes, AccessKind kind) const {
  const auto is_given = [&](const auto& access) {
    return access.second == PoolAccess::read_write ||
           (access.second == PoolAccess::read && kind == AccessKind::read);
  };
  return all_of(begin, bytes, [&](std::uintptr_t, const Mapping& mapping) {
    return std::ranges::any_of(mapping.access, is_given);
  });
}

void AddressRange::map(std::uintptr_t begin, std::size_t bytes, PhysicalMemory& memory,
                       const DeviceArena& arena) {
  const auto added = mappings_.emplace(begin, Mapping{bytes, &memory}).first;
  try {
    arena.map_view(view(begin), memory.block, bytes);
  } catch (...) {
    mappings_.erase(added);
    throw;
  }
  ++memory.mappings;
}

void AddressRange::unmap(std::uintptr_t begin, std::size_t bytes) {
  mappings_.erase(mappings_.lower_bound(begin), mappings_.lower_bound(begin + bytes));
  mmap(view(begin), bytes, PROT_READ | PROT_WRITE, anonymous | MAP_FIXED, -1, 0);
}

}  // namespace dlcert::driver::simulated
