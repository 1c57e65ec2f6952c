// SPDX-License-Identifier: Apache-2.0
//
// A small tensor library on streams of a GPU, written against the vendor's runtime only. It is what
// the shims are for: certified unchanged on a machine without a GPU.
//
// All functions may be called from any thread and throw std::invalid_argument for what they refuse,
// std::runtime_error for what the runtime refuses. They leave the current device as it was.

#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "shims/examples/gpu_runtime.hpp"

namespace stream_tensor {

/// Owns a stream of a device, which the legacy default stream does not wait for.
class Stream {
 public:
  explicit Stream(int device);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  [[nodiscard]] cudaStream_t handle() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// The stream on which the calling thread works on `device`: the null stream until it is set.
[[nodiscard]] cudaStream_t current_stream(int device);

/// Makes `stream` of `device` the calling thread's. The caller keeps it alive while it is current.
/// Work on other streams is for the caller to order.
void set_current_stream(int device, cudaStream_t stream);

/// Blocks until the work on the current stream has run.
void synchronize(int device);

/// What a consumer passes as `stream` to the producer of a tensor on `device`: its current stream
/// in the array API's numbers.
[[nodiscard]] std::int64_t stream_for_producer(int device);

/// What a consumer asks for.
struct ExportRequest {
  std::optional<std::int64_t> stream;  ///< in the array API's numbers
};

/// A compact row-major tensor on a device. Copies share the memory.
class Tensor {
 public:
  /// A tensor that holds a copy of `bytes`, which are no longer needed on return.
  [[nodiscard]] static Tensor from_bytes(std::span<const std::byte> bytes,
                                         std::vector<std::int64_t> shape, DLDataType dtype,
                                         int device);
  [[nodiscard]] static Tensor zeros(std::vector<std::int64_t> shape, DLDataType dtype, int device);

  /// A tensor over the producer's memory. Takes `managed`, whose deleter is called when the last
  /// tensor over it is gone, or before an exception leaves.
  [[nodiscard]] static Tensor import(DLManagedTensorVersioned* managed);

  /// The bytes after all work on the current stream. Blocks.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;

  /// Copies `bytes`, as many as the tensor has, on the current stream. They are no longer needed on
  /// return; the copy may still be pending. Refuses memory that its producer made read-only.
  void write(std::span<const std::byte> bytes);

  /// The tensor for a consumer, who owns it, after all work on the current stream. Does not block.
  [[nodiscard]] DLManagedTensorVersioned* export_to(const ExportRequest& request) const;

  /// Valid as long as this tensor.
  [[nodiscard]] const DLTensor& view() const;

 private:
  struct Storage;

  explicit Tensor(std::shared_ptr<Storage> storage);
  static std::shared_ptr<Storage> allocate(std::vector<std::int64_t> shape, DLDataType dtype,
                                           int device);

  std::shared_ptr<Storage> storage_;
};

}  // namespace stream_tensor
