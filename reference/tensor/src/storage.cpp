// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/storage.hpp"

#include <cstring>
#include <new>

#include "dlcert/tensor/borrowed_storage.hpp"

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

class HostStorage final : public Storage {
 public:
  HostStorage(HostMemory& memory, std::byte* data, std::int64_t size) noexcept
      : Storage(memory, data, size) {}

 private:
  void end() noexcept override {
    if (data() != nullptr)
      memory().deallocate(data(), static_cast<std::size_t>(size()), data_alignment);
    destroy(this);
  }
};

std::byte* zeroed(std::size_t bytes, HostMemory& memory) {
  if (bytes == 0) return nullptr;
  void* const data = memory.allocate(bytes, data_alignment);
  std::memset(data, 0, bytes);
  return static_cast<std::byte*>(data);
}

}  // namespace

StorageRef allocate_storage(std::int64_t bytes, HostMemory& memory) {
  if (bytes < 0)
    refuse_as(ErrorKind::value, "expected a storage of 0 bytes or more but found {}", bytes);
  std::byte* const data = zeroed(static_cast<std::size_t>(bytes), memory);
  try {
    void* const room = memory.allocate(sizeof(HostStorage), alignof(HostStorage));
    return StorageRef(::new (room) HostStorage(memory, data, bytes));
  } catch (...) {
    if (data != nullptr) memory.deallocate(data, static_cast<std::size_t>(bytes), data_alignment);
    throw;
  }
}

BorrowedStorage& BorrowedStorage::make(std::byte* data, std::int64_t bytes, HostMemory& memory) {
  void* const room = memory.allocate(sizeof(BorrowedStorage), alignof(BorrowedStorage));
  return *::new (room) BorrowedStorage(memory, data, bytes);
}

void BorrowedStorage::end() noexcept {
  destroy(this);
}

}  // namespace dlcert::reference
