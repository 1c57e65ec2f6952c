// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dlcert/driver/host_memory.hpp"
#include "dlcert/tensor/device.hpp"
#include "dlcert/tensor/stream_uses.hpp"
#include "dlcert/tensor/streams.hpp"

namespace dlcert::reference {

using driver::host_memory;
using driver::HostMemory;

/// Memory that tensors and exported managed tensors share. It counts its references in one atomic
/// number and deletes itself with the last one. References may be taken and dropped on any thread.
class Storage {
 public:
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t references() const noexcept { return references_.load(); }

  [[nodiscard]] DLDevice device() const noexcept { return device_; }

  /// Work that this library has just enqueued on a stream reads or writes the storage: it is waited
  /// for before the storage ends, and `read`, which it reads, is kept as long as it may need it.
  /// Throws a DeviceError; then `read` stays the caller's.
  void record_stream(int ordinal, Stream stream, std::vector<std::byte>&& read = {});
  /// Returns when all recorded work has run.
  void wait_for_uses() noexcept {
    if (StreamUses* const uses = uses_.load(std::memory_order_acquire)) [[unlikely]]
      uses->wait();
  }

  /// Where the storage, and whatever is allocated to export it, comes from.
  [[nodiscard]] HostMemory& memory() const noexcept { return memory_; }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (is_last() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      end_uses();
      end();
    }
  }

 protected:
  Storage(HostMemory& memory, std::byte* data, std::int64_t size, DLDevice device) noexcept
      : memory_(memory), data_(data), size_(size), device_(device) {}
  ~Storage() = default;

 private:
  /// True for one that nobody else can take or drop a reference to, which needs no locked count.
  [[nodiscard]] bool is_last() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }
  /// Returns when all recorded work has run.
  void end_uses() noexcept {
    if (StreamUses* const uses = uses_.load(std::memory_order_acquire)) [[unlikely]]
      delete_uses(uses);
  }
  [[gnu::cold]] static void delete_uses(StreamUses* uses) noexcept;
  /// Gives back the memory, which nothing uses any more, and the object itself.
  virtual void end() noexcept = 0;

  std::atomic<std::int64_t> references_{1};
  HostMemory& memory_;
  std::byte* data_;
  std::int64_t size_;
  DLDevice device_;
  std::atomic<StreamUses*> uses_{nullptr};  // made with the first one
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

/// The same on a device; `memory` holds what counts its references. Device and managed memory is
/// zeroed by the calling thread's current stream. Also throws a value error for a device that is
/// not available, and a DeviceError.
[[nodiscard]] StorageRef allocate_storage(std::int64_t bytes, DLDevice device,
                                          HostMemory& memory = host_memory());

}  // namespace dlcert::reference
