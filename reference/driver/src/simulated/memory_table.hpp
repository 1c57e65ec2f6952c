// SPDX-License-Identifier: Apache-2.0
//
// Every range of addresses that the driver knows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "dlcert/driver/driver.hpp"

#include "simulated/access_history.hpp"

namespace dlcert::driver::simulated {

class AddressRange;
struct GraphMemory;
struct MemoryPool;

struct FreeHostMemory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

struct Allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;
  bool registered = false;                           ///< host memory of the caller
  bool variable = false;                             ///< a device variable's
  std::uint64_t id = 0;                              ///< given by the table, never twice
  std::unique_ptr<void, FreeHostMemory> owned = {};  ///< host memory of the driver
  bool stream_ordered = false;                       ///< came from allocate_async
  bool alive = true;                                 ///< no release of it was submitted
  std::shared_ptr<MemoryPool> pool = {};             ///< that it came from
  std::shared_ptr<GraphMemory> graph = {};           ///< of a node that allocates it
  std::shared_ptr<AddressRange> range = {};          ///< reserved; what is mapped there varies
  AccessHistory history = {};
};

/// Not thread-safe. An Allocation stays where it is until it is erased.
class MemoryTable {
 public:
  /// NULL, and nothing is added, when a known range has bytes in common with this one.
  Allocation* insert(Allocation allocation);
  void erase(std::uintptr_t begin) noexcept;
  /// The range that holds the address, or NULL.
  [[nodiscard]] Allocation* find(std::uintptr_t address) noexcept;

  /// Where the ranges begin that `wanted(const Allocation&)`.
  template <class Wanted>
  [[nodiscard]] std::vector<std::uintptr_t> begins(Wanted&& wanted) const {
    std::vector<std::uintptr_t> found;
    for (const auto& [begin, range] : ranges_)
      if (wanted(range)) found.push_back(begin);
    return found;
  }

  [[nodiscard]] std::size_t size() const noexcept { return ranges_.size(); }

 private:
  struct Found {
    std::uintptr_t address = 0;
    Allocation* allocation = nullptr;
    std::uint64_t erasures = 0;  // valid as long as nothing was erased since
  };
  // Programs name the same addresses again and again, mostly a few of each range.
  static constexpr std::size_t places_per_range = 4, fewest_places = 16, most_places = 16384;
  void make_places();
  [[nodiscard]] Found& place_of(std::uintptr_t address) noexcept {
    return found_[(address / 512 ^ address / (512 * most_places)) % found_.size()];
  }

  std::map<std::uintptr_t, Allocation> ranges_;
  std::vector<Found> found_;  // as many as are worth it: most worlds have few ranges, or none
  std::uint64_t next_id_ = 1;
  std::uint64_t erasures_ = 0;
};

}  // namespace dlcert::driver::simulated
