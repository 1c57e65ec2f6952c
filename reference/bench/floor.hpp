// SPDX-License-Identifier: Apache-2.0
//
// The least that a correct round trip can do, written by hand: one block of memory for struct,
// shape and strides, one atomic reference taken and dropped, a view, the deleter. It checks
// nothing.

#pragma once

#include <dlpack/dlpack.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace dlcert::bench::floor {

inline constexpr std::int32_t rank = 2;

struct Storage {
  std::atomic<std::int64_t> references{1};
  float* data;
};

struct Tensor {
  Storage* storage;
  std::int64_t shape[rank];
  std::int64_t strides[rank];
};

struct Block {
  DLManagedTensorVersioned managed;
  std::int64_t shape[rank];
  std::int64_t strides[rank];
};

inline void drop(Storage* storage) {
  if (storage->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    std::free(storage->data);
    delete storage;
  }
}

inline void delete_block(DLManagedTensorVersioned* self) {
  auto* const storage = static_cast<Storage*>(self->manager_ctx);
  std::free(self);
  drop(storage);
}

inline DLManagedTensorVersioned* export_tensor(const Tensor& tensor) {
  void* const room = std::malloc(sizeof(Block));
  if (room == nullptr) throw std::bad_alloc();
  auto* const block = ::new (room) Block;
  std::copy_n(tensor.shape, rank, block->shape);
  std::copy_n(tensor.strides, rank, block->strides);
  tensor.storage->references.fetch_add(1, std::memory_order_relaxed);
  block->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  block->managed.manager_ctx = tensor.storage;
  block->managed.deleter = &delete_block;
  block->managed.flags = 0;
  block->managed.dl_tensor = {tensor.storage->data, {kDLCPU, 0},    rank, {kDLFloat, 32, 1},
                              block->shape,         block->strides, 0};
  return &block->managed;
}

/// What a consumer needs in order to use the elements, and to release the managed tensor.
struct View {
  explicit View(DLManagedTensorVersioned* from)
      : managed(from),
        data(static_cast<std::byte*>(from->dl_tensor.data) + from->dl_tensor.byte_offset),
        shape(from->dl_tensor.shape),
        strides(from->dl_tensor.strides) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { managed->deleter(managed); }

  DLManagedTensorVersioned* managed;
  std::byte* data;
  const std::int64_t* shape;
  const std::int64_t* strides;
};

}  // namespace dlcert::bench::floor
