// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dlcert/tensor/device.hpp"
#include "dlcert/tensor/dims.hpp"
#include "dlcert/tensor/dtype.hpp"
#include "dlcert/tensor/imported.hpp"
#include "dlcert/tensor/layout.hpp"
#include "dlcert/tensor/storage.hpp"

namespace dlcert::reference {

enum class Access : std::uint8_t { read_write, read_only };

/// What strides count: elements, or bytes in a view of one field of a record.
enum class StrideUnit : std::uint8_t { element, byte };

/// Where the elements lie within a storage. Element (i, j, ...) starts `offset` bits and
/// `i * strides[0] + j * strides[1] + ...` units after the storage's first byte.
struct Layout {
  // Not an aggregate, which would be filled with zeros first. What steps of an import read from a
  // descriptor is made in place.
  Layout(const Dims& its_shape, const Dims& its_strides, std::int64_t its_offset = 0,
         StrideUnit its_unit = StrideUnit::element) noexcept
      : shape(its_shape), strides(its_strides), offset(its_offset), unit(its_unit) {}
  template <class Steps>
  Layout(const Steps& steps, const DLTensor& tensor, std::int64_t its_offset)
      : shape(steps.shape_of(tensor)),
        strides(steps.strides_of(tensor)),
        offset(its_offset),
        unit(StrideUnit::element) {}

  Dims shape;
  Dims strides;
  std::int64_t offset;
  StrideUnit unit;

  [[nodiscard]] std::int64_t unit_bits(const Dtype& dtype) const noexcept {
    return unit == StrideUnit::element ? dtype.stored_bits() : 8;
  }

  /// Neighbouring elements in row-major order from the first byte on. Throws a value error when the
  /// shape has a negative extent or spans more than 2^60 bytes.
  static Layout row_major(const Dims& shape, const Dtype& dtype);

  friend bool operator==(const Layout& a, const Layout& b) noexcept = default;
};

/// A strided view of shared storage. Copies are cheap and see the same elements;
/// a tensor is a value, so several threads may each use one of their own over the same storage.
class Tensor {
 public:
  /// Views `layout` of `storage`. Throws a value error when an extent is negative, the ranks of
  /// shape and strides differ, or an element would lie outside the storage.
  Tensor(StorageRef storage, Dtype dtype, const Layout& layout, Access access = Access::read_write);

  /// A writable row-major tensor of zeros. Throws as Layout::row_major and allocate_storage do.
  static Tensor zeros(Dtype dtype, const Dims& shape, HostMemory& memory = host_memory());
  /// The same on an available device.
  static Tensor zeros(Dtype dtype, const Dims& shape, DLDevice device,
                      HostMemory& memory = host_memory());

  [[nodiscard]] const Dtype& dtype() const noexcept { return dtype_; }
  [[nodiscard]] DLDevice device() const noexcept { return storage_->device(); }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  /// True when some element has a neighbour along the axis. Otherwise its stride says nothing, and
  /// may be any number.
  [[nodiscard]] bool has_neighbours(std::size_t axis) const noexcept {
    return !empty_ && layout_.shape[axis] > 1;
  }
  /// The distance in bits to the next element along an axis; 0 when there is none.
  [[nodiscard]] std::int64_t stride_bits(std::size_t axis) const noexcept {
    return has_neighbours(axis) ? layout_.strides[axis] * layout_.unit_bits(dtype_) : 0;
  }
  [[nodiscard]] const Dims& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const Dims& strides() const noexcept { return layout_.strides; }
  [[nodiscard]] std::size_t rank() const noexcept { return layout_.shape.size(); }
  [[nodiscard]] bool is_read_only() const noexcept { return read_only_; }
  [[nodiscard]] Storage& storage() const noexcept { return *storage_; }
  [[nodiscard]] bool is_empty() const noexcept { return empty_; }
  /// True when elements follow each other in row-major order without gaps.
  [[nodiscard]] bool is_row_major() const noexcept;

  /// Throws a value error when the number does not fit.
  [[nodiscard]] std::int64_t element_count() const;
  /// The byte in which element (0, 0, ...) starts, or NULL for an empty tensor.
  [[nodiscard]] std::byte* first_element() const noexcept {
    return is_empty() ? nullptr : storage_->data() + floor_bytes(layout_.offset);
  }
  /// True when the host may touch the elements: plain and pinned memory.
  [[nodiscard]] bool is_on_host() const noexcept;
  /// True when a logical buffer has the very bytes of the tensor's memory.
  [[nodiscard]] bool is_logical_in_memory() const noexcept {
    return dtype_.value_bits() == 8 * dtype_.logical_bytes() && is_row_major();
  }

  /// The axes in another order. Throws an index error unless `order` names each axis once.
  [[nodiscard]] Tensor transposed(std::span<const std::size_t> order) const;
  /// `count` elements along `axis`, from `start` on and `step` apart; a negative step goes
  /// backwards. Throws an index error when the axis or one of the elements does not exist.
  [[nodiscard]] Tensor sliced(std::size_t axis, std::int64_t start, std::int64_t count,
                              std::int64_t step = 1) const;
  /// The same elements with one more axis, of extent 1, in front of `axis`.
  [[nodiscard]] Tensor with_axis(std::size_t axis) const;
  /// Repeats axes of extent 1, and adds axes in front, until the shape is `wanted`. Throws a value
  /// error when that is impossible.
  [[nodiscard]] Tensor broadcast_to(const Dims& wanted) const;
  /// One field of each record: `dtype`, `byte_offset` bytes into it. Throws a value error when the
  /// field does not fit into the record.
  [[nodiscard]] Tensor field(std::int64_t byte_offset, Dtype dtype) const;
  /// The same elements, through which nothing can be written.
  [[nodiscard]] Tensor read_only() const;

  /// A writable row-major tensor of its own, of the same type, on the same device and with the same
  /// elements. On a device the calling thread's current stream makes it; where every element fills
  /// its bytes the host is not blocked.
  [[nodiscard]] Tensor copy() const;
  /// The same in host memory, complete when it returns.
  [[nodiscard]] Tensor copy_to_host() const;

  /// The size of a logical buffer: all elements in row-major order, each in whole bytes of its own.
  [[nodiscard]] std::int64_t logical_bytes() const;
  /// Copies all elements into a logical buffer. A value that does not fill its bytes stands in the
  /// low bits, the first lane lowest, and the rest is zero. Throws a value error when the size is
  /// not logical_bytes(). Elements on a device are read behind what the calling thread's current
  /// stream has been given; `out` is complete when it returns.
  void read(std::span<std::byte> out) const;
  /// Copies all elements from a logical buffer. Where elements share memory the last one stays.
  /// Throws a value error when the tensor is read-only or the size is not logical_bytes(). Elements
  /// on a device are written by the calling thread's current stream, maybe after it returns; `in`
  /// is not needed any more. A value error while that stream is captured: a replay would read `in`
  /// again.
  void write(std::span<const std::byte> in) const;

 private:
  template <class Steps>
  friend class Importer;
  /// Views a storage that was made for these very elements, so that nothing is left to check.
  template <class Steps>
  Tensor(StorageRef storage, const Steps& steps, const ValidatedTensor& found, std::int64_t offset,
         Access access)
      : storage_(std::move(storage)),
        dtype_(found.dtype),
        layout_(steps, *found.tensor, offset),
        read_only_(access == Access::read_only),
        empty_(found.reach.empty) {}

  [[nodiscard]] Access access() const noexcept {
    return read_only_ ? Access::read_only : Access::read_write;
  }

  StorageRef storage_;
  Dtype dtype_;
  Layout layout_;
  bool read_only_;
  bool empty_;
};

}  // namespace dlcert::reference
