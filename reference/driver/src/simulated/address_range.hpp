// SPDX-License-Identifier: Apache-2.0
//
// Addresses that a program has reserved, and the memory that is mapped there.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "dlcert/driver/simulated.hpp"

#include "simulated/device_arena.hpp"

namespace dlcert::driver::simulated {

/// Memory without an address.
struct PhysicalMemory {
  PhysicalMemoryDetails details;
  MemoryHandle handle{};
  void* block = nullptr;         ///< of the arena of its device
  std::uint64_t references = 1;  ///< those of the program
  std::size_t mappings = 0;
};

/// Not thread-safe.
class AddressRange {
 public:
  struct Mapping {
    std::size_t bytes = 0;
    PhysicalMemory* memory = nullptr;
    std::map<int, PoolAccess> access = {};  ///< of devices
  };

  /// The host cannot touch the addresses. Throws std::system_error when there are none.
  AddressRange(std::size_t bytes, std::size_t alignment);
  ~AddressRange();
  AddressRange(const AddressRange&) = delete;
  AddressRange& operator=(const AddressRange&) = delete;

  [[nodiscard]] std::uintptr_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_empty() const noexcept { return mappings_.empty(); }
  /// Where the driver reads and writes what is mapped at an address. There is memory at any time:
  /// a graph that was captured may still name what was unmapped.
  [[nodiscard]] std::byte* view(std::uintptr_t address) const noexcept {
    return view_ + (address - begin_);
  }

  /// NULL when nothing is mapped at the address.
  [[nodiscard]] const Mapping* find(std::uintptr_t address) const;
  [[nodiscard]] bool is_unmapped(std::uintptr_t begin, std::size_t bytes) const;
  /// Whether memory lies at all these bytes which some device may access so.
  [[nodiscard]] bool allows(std::uintptr_t begin, std::size_t bytes, AccessKind kind) const;
  /// Whether these bytes are mappings, whole ones alone.
  [[nodiscard]] bool is_whole(std::uintptr_t begin, std::size_t bytes) const;
  [[nodiscard]] bool is_mapped(std::uintptr_t begin, std::size_t bytes) const;

  /// The memory, a block of the arena, comes to lie at `begin`, where nothing is mapped.
  void map(std::uintptr_t begin, std::size_t bytes, PhysicalMemory& memory,
           const DeviceArena& arena);
  /// Of bytes that are whole mappings: calls `visit(Mapping&)` for each.
  template <class Visit>
  void for_each(std::uintptr_t begin, std::size_t bytes, Visit&& visit) {
    for (auto each = mappings_.lower_bound(begin);
         each != mappings_.end() && each->first < begin + bytes; ++each)
      visit(each->second);
  }
  void unmap(std::uintptr_t begin, std::size_t bytes);

 private:
  // Calls `visit(std::uintptr_t begin, const Mapping&) -> bool` for what lies at the bytes, from
  // the first on. False when it does, or some byte is not mapped.
  template <class Visit>
  bool all_of(std::uintptr_t begin, std::size_t bytes, Visit&& visit) const;

  std::size_t bytes_;
  std::size_t reserved_;       // with what alignment takes
  std::byte* area_ = nullptr;  // what was reserved
  std::byte* view_ = nullptr;
  std::uintptr_t begin_ = 0;
  std::map<std::uintptr_t, Mapping> mappings_;
};

}  // namespace dlcert::driver::simulated
