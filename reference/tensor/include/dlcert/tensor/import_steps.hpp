// SPDX-License-Identifier: Apache-2.0
//
// What a consumer decides, one thing at a time. Importer (import.hpp) holds the order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "dlcert/tensor/capsule.hpp"
#include "dlcert/tensor/device.hpp"
#include "dlcert/tensor/imported.hpp"
#include "dlcert/tensor/layout.hpp"
#include "dlcert/tensor/request.hpp"
#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

/// What an object returns from `dlpack()`. The receiver owns it.
using Exported = std::variant<DLManagedTensor*, DLManagedTensorVersioned*, Capsule>;

/// A foreign object with the two methods of the protocol. What they throw reaches the caller of the
/// import, but for a type error of an object that does not know newer arguments.
class DlpackObject {
 public:
  virtual DLDevice dlpack_device() = 0;
  virtual Exported dlpack(const ExportRequest& request) = 0;

 protected:
  ~DlpackObject() = default;
};

struct ImportSteps {
  // Whether the managed tensor can be read at all.
  static bool knows_layout_of(DLPackVersion version) noexcept {
    return version.major == own_version.major;
  }
  /// How a managed tensor of this form is given back.
  static ReleaseFunction release_function(Form form) noexcept {
    return form == Form::legacy ? &release_by_deleter<DLManagedTensor>
                                : &release_by_deleter<DLManagedTensorVersioned>;
  }

  // Whether the descriptor makes sense and describes something that this library has. What does not
  // is a buffer error.
  static void check_flags(std::uint64_t flags) {
    if ((flags & ~known_flags) != 0) [[unlikely]]
      refuse_flags(flags);
  }
  static void check_device(DLDevice device) {
    if (!same_device(device, cpu_device) && !is_available(device)) [[unlikely]]
      refuse_device(device);
  }
  /// The driver must know both ends of the elements as memory of that device.
  static void check_memory(const DLTensor& tensor) {
    if (!same_device(tensor.device, cpu_device)) [[unlikely]]
      check_device_memory(tensor);
  }
  static Dtype dtype_of(const DLDataType& type, std::uint64_t flags) {
    return Dtype::described(type, (flags & flag_padded) != 0 ? Packing::padded : Packing::packed);
  }
  static void check_rank(std::int32_t rank) {
    if (rank < 0 || rank > max_rank) [[unlikely]]
      refuse_rank(rank);
  }
  /// A tensor of rank 0 needs no shape.
  static void check_shape(const DLTensor& tensor) {
    if (tensor.shape == nullptr) [[unlikely]]
      check_missing_shape(tensor);
  }
  /// NULL strides mean row-major. From 1.2 on no producer may leave them out, but a label of 1.2 or
  /// later does not change what they can mean, so it is not held against the tensor.
  static Reach reach_of(const DLTensor& tensor) noexcept {
    const auto rank = static_cast<std::size_t>(tensor.ndim);
    return tensor.strides != nullptr
               ? reference::reach_of({tensor.shape, rank}, {tensor.strides, rank})
               : row_major_reach({tensor.shape, rank});
  }
  /// True for what nearly every tensor is: with elements, behind its data, and of numbers so modest
  /// that nothing else can be wrong with it.
  static bool is_plain(const DLTensor& tensor, const Reach& reach) noexcept {
    constexpr std::uint64_t modest = std::uint64_t{1} << 31;
    return reach.plain && is_in_lower_half(tensor.data) && tensor.byte_offset < modest;
  }
  static void check_extents(const DLTensor& tensor, const Reach& reach) {
    if (reach.negative_extent) refuse_extents(tensor);
  }
  /// A tensor without elements has no data to look at, whatever the pointer says.
  static void check_data(const DLTensor& tensor, const Reach& reach) {
    if (tensor.data == nullptr && !reach.empty) refuse_missing_data(tensor);
  }
  /// All elements must lie within the address space.
  static void check_addresses(const DLTensor& tensor, const Reach& reach, const Dtype& dtype) {
    if (!reach.empty && !fits_address_space(tensor, reach, dtype.stored_bits()))
      refuse_addresses(tensor);
  }

  // The tensor, once it is known to be well-formed.
  static std::byte* first_element(const DLTensor& tensor) noexcept {
    return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  }
  static DLDevice memory_device(const DLTensor& tensor) noexcept { return tensor.device; }
  static Dims shape_of(const DLTensor& tensor) {
    return Dims({tensor.shape, static_cast<std::size_t>(tensor.ndim)});
  }
  static Dims strides_of(const DLTensor& tensor) {
    const auto rank = static_cast<std::size_t>(tensor.ndim);
    return tensor.strides != nullptr ? Dims({tensor.strides, rank})
                                     : row_major_strides({tensor.shape, rank});
  }
  static Access access_of(const Imported& imported) noexcept {
    return imported.is_read_only() ? Access::read_only : Access::read_write;
  }

  // The capsule.
  /// A name other than the two live ones is a value error.
  static Form form_of(const Capsule& capsule);
  static void mark_used(Capsule& capsule, Form form) noexcept {
    capsule.set_name(form == Form::legacy ? capsule_name::used_legacy
                                          : capsule_name::used_versioned);
  }

  // The foreign object.
  static DLDevice device_of(DlpackObject& object) { return object.dlpack_device(); }
  /// The result can be on the CPU, or where the source is if this library has that device: all else
  /// is a buffer error.
  static void check_target(DLDevice source, const Argument& requested);
  static ExportRequest request_for(DLDevice source, const ImportRequest& request);
  /// The request without the arguments that objects before 2023 do not know; empty where the
  /// importer cannot make up for them: such an object may copy, and only on its own device.
  static std::optional<ExportRequest> older_request_for(DLDevice source,
                                                        const ImportRequest& request);
  /// The stream on which this thread will use the data, in DLPack's numbers. Absent where there is
  /// none.
  static Argument stream_for(DLDevice source, const Argument& requested);
  /// True when a copy was asked for and the producer does not say that it made one.
  static bool needs_copy(const ImportRequest& request, const Imported& imported);
  static Tensor copy_of(const Tensor& tensor) { return tensor.copy(); }

 private:
  /// NULL is not.
  static bool is_in_lower_half(const void* address) noexcept {
    return reinterpret_cast<std::intptr_t>(address) > 0;
  }
  static bool fits_address_space(const DLTensor& tensor, const Reach& reach,
                                 std::int64_t unit) noexcept;
  static void check_missing_shape(const DLTensor& tensor);
  static void check_device_memory(const DLTensor& tensor);
  [[noreturn]] static void refuse_flags(std::uint64_t flags);
  [[noreturn]] static void refuse_device(DLDevice device);
  [[noreturn]] static void refuse_rank(std::int32_t rank);
  [[noreturn]] static void refuse_extents(const DLTensor& tensor);
  [[noreturn]] static void refuse_missing_data(const DLTensor& tensor);
  [[noreturn]] static void refuse_addresses(const DLTensor& tensor);
};

}  // namespace dlcert::reference
