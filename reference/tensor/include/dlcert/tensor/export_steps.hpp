// SPDX-License-Identifier: Apache-2.0
//
// What a producer decides, one thing at a time. Exporter (export.hpp) holds the order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dlcert/tensor/capsule.hpp"
#include "dlcert/tensor/managed.hpp"
#include "dlcert/tensor/request.hpp"
#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

/// A managed tensor in one block of memory, shape and strides behind it. The context is the
/// storage, of which the block holds a reference.
template <class Managed>
struct ManagedBlock {
  Managed managed;
  std::size_t bytes;

  static std::size_t bytes_for(std::size_t rank) noexcept {
    return sizeof(ManagedBlock) + 2 * rank * sizeof(std::int64_t);
  }
  static std::int64_t* dims(void* block) noexcept {
    return reinterpret_cast<std::int64_t*>(static_cast<ManagedBlock*>(block) + 1);
  }
};

/// The deleter of an exported tensor: frees its block and drops its reference. Any thread may call
/// it.
template <class Managed>
void delete_block(Managed* self) noexcept {
  auto* const storage = static_cast<Storage*>(self->manager_ctx);
  auto* const block = reinterpret_cast<ManagedBlock<Managed>*>(self);
  storage->memory().deallocate(block, block->bytes, alignof(std::max_align_t));
  storage->release();
}

/// What must not run before the producer's pending work.
struct Ordering {
  enum class Of : std::uint8_t {
    nothing,  ///< the consumer orders itself, or nothing is ever pending
    stream,   ///< what the consumer enqueues on `stream` from now on
    host,     ///< what the host does next
  };

  Of of = Of::nothing;
  Stream stream = Stream::null;
};

/// What a producer decides, one thing at a time.
struct ExportSteps {
  // Reading the request. A value of the wrong type is a type error.
  static std::optional<DLPackVersion> max_version(const Argument& argument);
  static std::optional<DLDevice> device(const Argument& argument);
  static std::optional<bool> copy(const Argument& argument);
  /// Any device but the tensor's own and the CPU is a buffer error.
  static void check_device(const Tensor& tensor, std::optional<DLDevice> requested);
  /// What an export for `target` has to order. A number that names no stream there is a value
  /// error.
  static Ordering ordering_of(DLDevice target, const Argument& stream) {
    if (same_device(target, cpu_device) && !is_given(stream)) [[likely]]
      return {};
    return device_ordering_of(target, stream);
  }
  /// Legacy for consumers that do not say that they know better.
  static Form choose_form(std::optional<DLPackVersion> max_version) noexcept {
    return max_version && max_version->major >= own_version.major ? Form::versioned : Form::legacy;
  }

  // Whether DLPack can describe the tensor. What it cannot is a buffer error.
  static void check_dtype(const Tensor& tensor) {
    if (tensor.dtype().kind() != ElementKind::described) [[unlikely]]
      refuse_dtype(tensor);
  }
  static void check_strides(const Tensor& tensor) {
    if (tensor.layout().unit != StrideUnit::element) [[unlikely]]
      check_divisible(tensor);
  }
  static void check_first_element(const Tensor& tensor) {
    if (tensor.layout().offset % 8 != 0) [[unlikely]]
      refuse_offset(tensor);
  }
  /// A legacy tensor has no flags, so it cannot carry what needs one.
  static void check_expressible(const Tensor& tensor, Form form) {
    if (form == Form::legacy && (tensor.is_read_only() || tensor.dtype().is_padded())) [[unlikely]]
      refuse_legacy(tensor);
  }

  // The descriptor (describe.hpp).
  static DLDataType dtype_of(const Tensor& tensor) noexcept { return tensor.dtype().description(); }
  static DLDevice device_of(const Tensor& tensor) noexcept { return tensor.device(); }
  static std::int32_t rank_of(const Tensor& tensor) noexcept {
    return static_cast<std::int32_t>(tensor.rank());
  }
  /// The start of the storage, which is aligned; the offset leads from there to the first element.
  static void* data_of(const Tensor& tensor) noexcept {
    if (tensor.is_empty()) [[unlikely]]
      return nullptr;
    return tensor.storage().data();
  }
  static std::uint64_t byte_offset_of(const Tensor& tensor) noexcept {
    if (tensor.is_empty()) [[unlikely]]
      return 0;
    return static_cast<std::uint64_t>(tensor.layout().offset) / 8;
  }
  static void write_shape(const Tensor& tensor, std::int64_t* out) noexcept {
    copy_dims(tensor.shape().begin(), tensor.rank(), out);
  }
  /// In elements. NULL is never an answer: from 1.2 on only a tensor of rank 0 has no strides.
  static void write_strides(const Tensor& tensor, std::int64_t* out) noexcept {
    if (tensor.layout().unit == StrideUnit::element) [[likely]] {
      copy_dims(tensor.strides().begin(), tensor.rank(), out);
    } else {
      write_divided_strides(tensor, out);
    }
  }
  static std::uint64_t flags_of(const Tensor& tensor, bool copied) noexcept {
    return (tensor.is_read_only() ? flag_read_only : 0) | (copied ? flag_copied : 0) |
           (tensor.dtype().is_padded() ? flag_padded : 0);
  }

  // The managed tensor.
  static void* allocate_block(const Tensor& tensor, std::size_t bytes) {
    return tensor.storage().memory().allocate(bytes, alignof(std::max_align_t));
  }
  static void retain(const Tensor& tensor) noexcept { tensor.storage().retain(); }
  static DLPackVersion version() noexcept { return own_version; }
  static auto legacy_deleter() noexcept { return &delete_block<DLManagedTensor>; }
  static auto versioned_deleter() noexcept { return &delete_block<DLManagedTensorVersioned>; }
  static Tensor copy_of(const Tensor& tensor) { return tensor.copy(); }
  /// Behind this thread's current stream, and behind all that the library has done with the memory.
  static Tensor host_copy_of(const Tensor& tensor) {
    tensor.storage().wait_for_uses();
    return tensor.copy_to_host();
  }

  // The order of the producer's pending work and what the consumer does next.
  /// The stream on which this thread's work on the tensor is enqueued.
  static Stream producer_stream(const Tensor& tensor) {
    return current_stream(ordinal_of(tensor.device()));
  }
  static bool same_stream(Stream producer, Stream consumer) noexcept {
    return reference::same_stream(producer, consumer);
  }
  static void make_wait(const Tensor& tensor, Stream producer, Stream consumer) {
    reference::make_wait(ordinal_of(tensor.device()), producer, consumer);
  }
  /// For memory of all devices: blocks until what this thread's current streams of all of them have
  /// been given so far has run.
  static void wait_on_host(const Tensor& tensor);

  // The capsule.
  static const char* capsule_name(Form form) noexcept {
    return form == Form::legacy ? capsule_name::legacy : capsule_name::versioned;
  }
  static Capsule::Destructor capsule_destructor(Form form) noexcept {
    return form == Form::legacy ? &release_unconsumed_legacy : &release_unconsumed_versioned;
  }

 private:
  static Ordering device_ordering_of(DLDevice target, const Argument& stream);
  [[noreturn]] static void refuse_dtype(const Tensor& tensor);
  [[noreturn]] static void refuse_offset(const Tensor& tensor);
  [[noreturn]] static void refuse_legacy(const Tensor& tensor);
  static void check_divisible(const Tensor& tensor);
  static void write_divided_strides(const Tensor& tensor, std::int64_t* out) noexcept;
};

}  // namespace dlcert::reference
