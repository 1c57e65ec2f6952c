// SPDX-License-Identifier: Apache-2.0
//
// The memory of one simulated device: one range of bytes with two addresses. The one that programs
// get cannot be touched by the host, as on a real device; the driver's own view can.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace dlcert::driver::simulated {

/// Not thread-safe.
class DeviceArena {
 public:
  static constexpr std::size_t alignment = 512;
  /// So many bytes have to be released after a block before it is used again.
  static constexpr std::size_t quarantine = std::size_t{256} << 20;

  /// Only what is touched takes memory of the machine. Throws std::system_error when there is no
  /// room for the addresses.
  explicit DeviceArena(std::uint64_t bytes);
  ~DeviceArena();
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  /// A block of at least one byte, poisoned unless it is large. NULL when there is no room. It
  /// begins at a multiple of `unit` bytes, itself one of `alignment`.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t unit = alignment);
  /// `block` came from allocate() and has not been released. Poisoned at once unless it is large.
  void release(void* block);
  /// What the block holds is lost, as if it were released and given again.
  void refresh(void* block);
  /// As many bytes as the block takes of the device; as all blocks take.
  [[nodiscard]] std::size_t bytes_of(const void* block) const;
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return live_bytes_; }
  /// From now on the block that was released last is the next of its size; of those that are
  /// released from now on.
  void set_recurring(bool recurring);

  [[nodiscard]] bool holds(const void* address) const noexcept {
    const auto* const byte = static_cast<const std::byte*>(address);
    return byte >= begin_ && byte < begin_ + bytes_;
  }
  /// Where the driver reads and writes what programs know by `address`, which the arena holds.
  [[nodiscard]] std::byte* view(const void* address) const noexcept {
    return view_ + (static_cast<const std::byte*>(address) - begin_);
  }
  /// Makes `place` another view of the first bytes of a block, whose offset is one of a page, in
  /// the place of what was mapped there. Throws std::system_error.
  void map_view(std::byte* place, const void* block, std::size_t bytes) const;

 private:
  struct Block {
    std::size_t offset;
    std::size_t bytes;
  };

  [[nodiscard]] std::size_t offset_of(const void* block) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin_);
  }
  void forget(Block block);
  [[nodiscard]] std::optional<Block> take_recent(std::size_t bytes, std::size_t unit);
  [[nodiscard]] std::optional<Block> take_free(std::size_t bytes, std::size_t unit);
  [[nodiscard]] std::optional<Block> take_fresh(std::size_t bytes, std::size_t unit);
  [[nodiscard]] std::optional<Block> find_room(std::size_t bytes, std::size_t unit);
  void add_free(Block block);
  void put_in_quarantine(Block block);
  void free_oldest();
  void poison(Block block, int value) const noexcept;

  std::size_t bytes_;
  int file_ = -1;
  std::byte* begin_ = nullptr;
  std::byte* view_ = nullptr;
  std::size_t fresh_ = 0;                              // from here on nothing was ever used
  std::unordered_map<std::size_t, std::size_t> live_;  // bytes by offset
  std::size_t live_bytes_ = 0;
  bool recurring_ = false;
  std::vector<Block> recent_;      // released, next to be used; the oldest first
  std::deque<Block> quarantined_;  // the oldest first
  std::size_t quarantined_bytes_ = 0;
  std::map<std::size_t, std::size_t> free_;  // bytes by offset; neighbours are one
};

}  // namespace dlcert::driver::simulated
