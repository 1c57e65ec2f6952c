// SPDX-License-Identifier: Apache-2.0

#include "simulated/device_arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace dlcert::driver::simulated {
namespace {

constexpr int fresh_poison = 0xA5;
constexpr int released_poison = 0xDD;
// Larger blocks are given back to the machine instead.
constexpr std::size_t largest_poisoned = std::size_t{64} << 10;
constexpr std::size_t page = 4096;

[[noreturn]] void fail(std::uint64_t bytes) {
  throw std::system_error(errno, std::generic_category(),
                          "cannot reserve " + std::to_string(bytes) + " bytes for a device");
}

std::byte* map(int file, std::size_t bytes, int access) {
  void* const mapped = mmap(nullptr, bytes, access, MAP_SHARED | MAP_NORESERVE, file, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

constexpr std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

DeviceArena::DeviceArena(std::uint64_t bytes) : bytes_{rounded(bytes, page)} {
  file_ = memfd_create("dlcert-device", MFD_CLOEXEC);
  if (file_ < 0) fail(bytes);
  if (ftruncate(file_, static_cast<off_t>(bytes_)) == 0) {
    begin_ = map(file_, bytes_, PROT_NONE);
    view_ = map(file_, bytes_, PROT_READ | PROT_WRITE);
  }
  if (begin_ != nullptr && view_ != nullptr) return;
  const int error = errno;
  if (begin_ != nullptr) munmap(begin_, bytes_);
  if (view_ != nullptr) munmap(view_, bytes_);
  close(file_);
  errno = error;
  fail(bytes);
}

DeviceArena::~DeviceArena() {
  munmap(begin_, bytes_);
  munmap(view_, bytes_);
  close(file_);
}

void DeviceArena::poison(Block block, int value) const noexcept {
  std::memset(view_ + block.offset, value, block.bytes);
}

void DeviceArena::map_view(std::byte* place, const void* block, std::size_t bytes) const {
  const void* const mapped =
      mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_,
           static_cast<off_t>(offset_of(block)));
  if (mapped == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "cannot map memory of a device");
}

std::optional<DeviceArena::Block> DeviceArena::take_recent(std::size_t bytes, std::size_t unit) {
  const auto found = std::find_if(recent_.rbegin(), recent_.rend(), [&](const Block& block) {
    return block.bytes == bytes && block.offset % unit == 0;
  });
  if (found == recent_.rend()) return std::nullopt;
  const Block block = *found;
  recent_.erase(std::next(found).base());
  return block;
}

void DeviceArena::set_recurring(bool recurring) {
  recurring_ = recurring;
  for (const Block& block : std::exchange(recent_, {}))
    put_in_quarantine(block);
}

std::optional<DeviceArena::Block> DeviceArena::take_free(std::size_t bytes, std::size_t unit) {
  const auto gap = [&](std::size_t offset) { return rounded(offset, unit) - offset; };
  const auto found = std::ranges::find_if(
      free_, [&](const auto& each) { return each.second >= gap(each.first) + bytes; });
  if (found == free_.end()) return std::nullopt;
  const auto [offset, room] = *found;
  const std::size_t before = gap(offset);
  free_.erase(found);
  if (before > 0) free_.emplace(offset, before);
  if (room > before + bytes) free_.emplace(offset + before + bytes, room - before - bytes);
  return Block{offset + before, bytes};
}

std::optional<DeviceArena::Block> DeviceArena::take_fresh(std::size_t bytes, std::size_t unit) {
  const std::size_t offset = rounded(fresh_, unit);
  if (offset > bytes_ || bytes > bytes_ - offset) return std::nullopt;
  if (offset > fresh_) add_free({fresh_, offset - fresh_});
  fresh_ = offset + bytes;
  return Block{offset, bytes};
}

std::optional<DeviceArena::Block> DeviceArena::find_room(std::size_t bytes, std::size_t unit) {
  if (const auto block = take_recent(bytes, unit)) return block;
  if (const auto block = take_free(bytes, unit)) return block;
  if (const auto block = take_fresh(bytes, unit)) return block;
  set_recurring(recurring_);  // all that is recent
  while (!quarantined_.empty())
    free_oldest();
  return take_free(bytes, unit);
}

void* DeviceArena::allocate(std::size_t bytes, std::size_t unit) {
  if (bytes > bytes_) return nullptr;
  const auto block = find_room(rounded(std::max<std::size_t>(bytes, 1), alignment), unit);
  if (!block) return nullptr;
  live_.emplace(block->offset, block->bytes);
  live_bytes_ += block->bytes;
  if (block->bytes <= largest_poisoned) poison(*block, fresh_poison);
  return begin_ + block->offset;
}

void DeviceArena::forget(Block block) {
  if (block.bytes <= largest_poisoned) return poison(block, released_poison);
  const std::size_t first = rounded(block.offset, page);
  const std::size_t last = (block.offset + block.bytes) / page * page;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
            static_cast<off_t>(last - first));
}

void DeviceArena::refresh(void* block) {
  forget({offset_of(block), bytes_of(block)});
}

std::size_t DeviceArena::bytes_of(const void* block) const {
  return live_.at(offset_of(block));
}

void DeviceArena::release(void* block) {
  const Block released{offset_of(block), bytes_of(block)};
  live_.erase(released.offset);
  live_bytes_ -= released.bytes;
  forget(released);
  if (recurring_)
    recent_.push_back(released);
  else
    put_in_quarantine(released);
}

void DeviceArena::put_in_quarantine(Block block) {
  quarantined_.push_back(block);
  quarantined_bytes_ += block.bytes;
  while (quarantined_bytes_ > quarantine)
    free_oldest();
}

void DeviceArena::free_oldest() {
  const Block oldest = quarantined_.front();
  quarantined_.pop_front();
  quarantined_bytes_ -= oldest.bytes;
  add_free(oldest);
}

void DeviceArena::add_free(Block block) {
  const auto added = free_.emplace(block.offset, block.bytes).first;
  if (const auto next = std::next(added);
      next != free_.end() && added->first + added->second == next->first) {
    added->second += next->second;
    free_.erase(next);
  }
  if (added == free_.begin()) return;
  const auto before = std::prev(added);
  if (before->first + before->second != added->first) return;
  before->second += added->second;
  free_.erase(added);
}

}  // namespace dlcert::driver::simulated
