// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/storage.hpp"

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "dlcert/tensor/borrowed_storage.hpp"

#include "driver_calls.hpp"
#include "refuse.hpp"

namespace dlcert::reference {
namespace {

/// Ends an object that was made in memory of its own.
template <class Kind>
void destroy(Kind* storage) noexcept {
  HostMemory& memory = storage->memory();
  storage->~Kind();
  memory.deallocate(storage, sizeof(Kind), alignof(Kind));
}

/// Nothing can be reported from where memory ends.
void release_device_memory(void* data, DLDevice device) noexcept {
  const RelaxedCaptureGuard relaxed;
  static_cast<void>(driver::driver().release(memory_kind(device), data));
}

class HostStorage final : public Storage {
 public:
  HostStorage(HostMemory& memory, std::byte* data, std::int64_t size) noexcept
      : Storage(memory, data, size, cpu_device) {}

 private:
  void end() noexcept override {
    if (data() != nullptr)
      memory().deallocate(data(), static_cast<std::size_t>(size()), data_alignment);
    destroy(this);
  }
};

/// Storage that the driver allocated.
class DeviceStorage final : public Storage {
 public:
  DeviceStorage(HostMemory& memory, std::byte* data, std::int64_t size, DLDevice device) noexcept
      : Storage(memory, data, size, device) {}

 private:
  void end() noexcept override {
    release_device_memory(data(), device());
    destroy(this);
  }
};

std::byte* zeroed(std::size_t bytes, HostMemory& memory) {
  if (bytes == 0) return nullptr;
  void* const data = memory.allocate(bytes, data_alignment);
  std::memset(data, 0, bytes);
  return static_cast<std::byte*>(data);
}

void check_size(std::int64_t bytes) {
  if (bytes < 0)
    refuse_as(ErrorKind::value, "expected a storage of 0 bytes or more but found {}", bytes);
}

/// Unzeroed; NULL for no bytes.
std::byte* allocated_on(DLDevice device, int ordinal, std::size_t bytes) {
  const DeviceGuard guard(ordinal);
  const RelaxedCaptureGuard relaxed;
  void* data = nullptr;
  require(driver::driver().allocate(memory_kind(device), bytes, data), "allocate");
  return static_cast<std::byte*>(data);
}

void zero(Storage& storage, int ordinal) {
  const auto bytes = static_cast<std::size_t>(storage.size());
  if (bytes == 0) return;
  if (memory_kind(storage.device()) == driver::MemoryKind::pinned) {
    std::memset(storage.data(), 0, bytes);
    return;
  }
  const DeviceGuard guard(ordinal);
  const Stream stream = current_stream(ordinal);
  require(driver::driver().fill_async(storage.data(), 0, bytes, stream), "fill_async");
  storage.record_stream(ordinal, stream);
}

}  // namespace

void Storage::record_stream(int ordinal, Stream stream, std::vector<std::byte>&& read) {
  StreamUses* uses = uses_.load(std::memory_order_acquire);
  if (uses == nullptr) {
    auto made = std::make_unique<StreamUses>();
    if (uses_.compare_exchange_strong(uses, made.get(), std::memory_order_acq_rel))
      uses = made.release();
  }
  uses->record(ordinal, stream, std::move(read));
}

void Storage::delete_uses(StreamUses* uses) noexcept {
  delete uses;
}

StorageRef allocate_storage(std::int64_t bytes, HostMemory& memory) {
  check_size(bytes);
  std::byte* const data = zeroed(static_cast<std::size_t>(bytes), memory);
  try {
    void* const room = memory.allocate(sizeof(HostStorage), alignof(HostStorage));
    return StorageRef(::new (room) HostStorage(memory, data, bytes));
  } catch (...) {
    if (data != nullptr) memory.deallocate(data, static_cast<std::size_t>(bytes), data_alignment);
    throw;
  }
}

StorageRef allocate_storage(std::int64_t bytes, DLDevice device, HostMemory& memory) {
  if (same_device(device, cpu_device)) return allocate_storage(bytes, memory);
  check_size(bytes);
  if (!is_available(device)) {
    refuse_as(ErrorKind::value, "expected a device of this driver but found {}", to_string(device));
  }
  const int ordinal = ordinal_of(device);
  std::byte* const data = allocated_on(device, ordinal, static_cast<std::size_t>(bytes));
  void* room = nullptr;
  try {
    room = memory.allocate(sizeof(DeviceStorage), alignof(DeviceStorage));
  } catch (...) {
    release_device_memory(data, device);
    throw;
  }
  StorageRef made(::new (room) DeviceStorage(memory, data, bytes, device));
  zero(*made, ordinal);
  return made;
}

void BorrowedStorage::end() noexcept {
  destroy(this);
}

}  // namespace dlcert::reference
