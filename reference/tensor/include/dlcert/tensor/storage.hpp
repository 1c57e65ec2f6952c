// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dlcert/driver/host_memory.hpp"

namespace dlcert::reference {

/// Memory that tensors and exported managed tensors share. It counts its references in one atomic
/// number and ends itself with the last one. References may be taken and dropped on any thread.
class Storage {
 public:
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t references() const noexcept { return references_.load(); }

  /// Where the storage, and whatever is allocated to export it, comes from.
  [[nodiscard]] HostMemory& memory() const noexcept { return memory_; }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) end();
  }

 protected:
  Storage(HostMemory& memory, std::byte* data, std::int64_t size) noexcept
      : memory_(memory), data_(data), size_(size) {}
  ~Storage() = default;

 private:
  /// Gives back the memory and the object itself.
  virtual void end() noexcept = 0;

  std::atomic<std::int64_t> references_{1};
  HostMemory& memory_;
  std::byte* data_;
  std::int64_t size_;
};

/// One counted reference to a storage, or to none after it was moved from.
class StorageRef {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment for both
 public:
  /// Takes over a reference that the caller holds.
  explicit StorageRef(Storage* storage) noexcept : storage_(storage) {}
  StorageRef(const StorageRef& other) noexcept : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->retain();
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr) storage_->release();
  }

  [[nodiscard]] Storage& operator*() const noexcept { return *storage_; }
  [[nodiscard]] Storage* operator->() const noexcept { return storage_; }

 private:
  Storage* storage_;
};

/// The alignment of allocated storage: what dlpack.h promises of a data pointer.
inline constexpr std::size_t data_alignment = 256;

/// Zeroed storage of `bytes` bytes from `memory`. With no bytes its data is NULL.
/// Throws a value error for a negative size, std::bad_alloc when there is no memory.
[[nodiscard]] StorageRef allocate_storage(std::int64_t bytes, HostMemory& memory = host_memory());

}  // namespace dlcert::reference
