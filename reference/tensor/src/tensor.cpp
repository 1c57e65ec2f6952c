// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/tensor.hpp"

#include <algorithm>
#include <utility>

#include "dlcert/tensor/layout.hpp"

#include "refuse.hpp"

namespace dlcert::reference {
namespace {

/// More than this and the bits of a tensor could not be numbered.
constexpr std::int64_t most_bytes = std::int64_t{1} << 60;

[[noreturn]] void refuse_negative_extent() {
  refuse_as(ErrorKind::value, "expected extents of 0 or more but found a negative one");
}

std::int64_t count_of(const Dims& shape) {
  const Reach reach = row_major_reach(shape.span());
  if (reach.negative_extent) refuse_negative_extent();
  if (reach.empty) return 0;
  if (reach.overflow)
    refuse_as(ErrorKind::value, "expected a number of elements that fits into 63 bits");
  return reach.high + 1;
}

/// The product, for sizes that stay below `most_bytes`.
std::int64_t bytes_of(std::int64_t count, std::int64_t bits) {
  std::int64_t total = 0;
  if (__builtin_mul_overflow(count, bits, &total) || ceil_bytes(total) > most_bytes) {
    refuse_as(ErrorKind::value,
              "expected a tensor of at most 2^60 bytes but found {} elements of {} bits", count,
              bits);
  }
  return ceil_bytes(total);
}

/// Throws unless all elements lie within the storage. Returns whether there are none.
bool check_in_storage(const Storage& storage, const Dtype& dtype, const Layout& layout) {
  if (layout.shape.size() != layout.strides.size()) {
    refuse_as(ErrorKind::value, "expected {} strides but found {}", layout.shape.size(),
              layout.strides.size());
  }
  const Reach reach = reach_of(layout.shape.span(), layout.strides.span());
  if (reach.negative_extent) refuse_negative_extent();
  if (reach.empty) return true;
  const std::int64_t unit = layout.unit_bits(dtype);
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (reach.overflow || __builtin_mul_overflow(reach.low, unit, &low) ||
      __builtin_add_overflow(low, layout.offset, &low) || low < 0 ||
      __builtin_mul_overflow(reach.high, unit, &high) ||
      __builtin_add_overflow(high, layout.offset, &high) ||
      __builtin_add_overflow(high, dtype.value_bits(), &high) ||
      ceil_bytes(high) > storage.size()) {
    refuse_as(ErrorKind::value,
              "expected all elements within a storage of {} bytes but found some outside",
              storage.size());
  }
  return false;
}

[[noreturn]] void refuse_axis(std::size_t axis, std::size_t rank) {
  refuse_as(ErrorKind::index, "expected an axis below {} but found {}", rank, axis);
}

}  // namespace

Layout Layout::row_major(const Dims& shape, const Dtype& dtype) {
  static_cast<void>(bytes_of(count_of(shape), dtype.stored_bits()));
  return {shape, row_major_strides(shape.span())};
}

Tensor::Tensor(StorageRef storage, Dtype dtype, const Layout& layout, Access access)
    : storage_(std::move(storage)),
      dtype_(dtype),
      layout_(layout),
      read_only_(access == Access::read_only),
      empty_(check_in_storage(*storage_, dtype_, layout_)) {}

Tensor Tensor::zeros(Dtype dtype, const Dims& shape, HostMemory& memory) {
  const Layout layout = Layout::row_major(shape, dtype);
  const std::int64_t bytes = bytes_of(count_of(shape), dtype.stored_bits());
  return Tensor(allocate_storage(bytes, memory), dtype, layout);
}

Tensor Tensor::zeros(Dtype dtype, const Dims& shape, DLDevice device, HostMemory& memory) {
  const Layout layout = Layout::row_major(shape, dtype);
  const std::int64_t bytes = bytes_of(count_of(shape), dtype.stored_bits());
  return Tensor(allocate_storage(bytes, device, memory), dtype, layout);
}

bool Tensor::is_on_host() const noexcept {
  const driver::MemoryKind kind = memory_kind(device());
  return kind == driver::MemoryKind::pageable || kind == driver::MemoryKind::pinned;
}

bool Tensor::is_row_major() const noexcept {
  if (empty_) return true;
  if (layout_.unit_bits(dtype_) != dtype_.stored_bits()) return false;
  std::int64_t distance = 1;
  for (std::size_t axis = rank(); axis-- > 0;) {
    if (!has_neighbours(axis)) continue;
    if (strides()[axis] != distance) return false;
    distance *= shape()[axis];
  }
  return true;
}

std::int64_t Tensor::element_count() const {
  return count_of(shape());
}

std::int64_t Tensor::logical_bytes() const {
  return bytes_of(element_count(), 8 * dtype_.logical_bytes());
}

Tensor Tensor::transposed(std::span<const std::size_t> order) const {
  Dims shape = Dims::filled(order.size(), 0);
  Dims strides = shape;
  Dims seen = Dims::filled(rank(), 0);
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    if (order[axis] >= rank() || seen[order[axis]]++ != 0) refuse_axis(order[axis], rank());
    shape[axis] = layout_.shape[order[axis]];
    strides[axis] = layout_.strides[order[axis]];
  }
  if (order.size() != rank()) refuse_axis(order.size(), rank());
  return Tensor(storage_, dtype_, {shape, strides, layout_.offset, layout_.unit}, access());
}

Tensor Tensor::sliced(std::size_t axis, std::int64_t start, std::int64_t count,
                      std::int64_t step) const {
  if (axis >= rank()) refuse_axis(axis, rank());
  const std::int64_t extent = shape()[axis];
  std::int64_t last = 0;
  const bool fits = !__builtin_mul_overflow(std::max<std::int64_t>(count - 1, 0), step, &last) &&
                    !__builtin_add_overflow(last, start, &last);
  if (count < 0 || !fits ||
      (count > 0 && (start < 0 || start >= extent || last < 0 || last >= extent))) {
    refuse_as(ErrorKind::index, "expected elements below {} but found {} from {} on, {} apart",
              extent, count, start, step);
  }
  Layout layout = layout_;
  layout.shape[axis] = count;
  if (count > 0) layout.offset += start * stride_bits(axis);
  if (count > 1 && !empty_) layout.strides[axis] *= step;
  return Tensor(storage_, dtype_, layout, access());
}

Tensor Tensor::with_axis(std::size_t axis) const {
  if (axis > rank()) refuse_axis(axis, rank() + 1);
  Layout layout = layout_;
  const bool follows = axis < rank() && !empty_;
  layout.strides.insert(axis, follows ? shape()[axis] * strides()[axis] : 1);
  layout.shape.insert(axis, 1);
  return Tensor(storage_, dtype_, layout, access());
}

Tensor Tensor::broadcast_to(const Dims& wanted) const {
  if (wanted.size() < rank()) refuse_axis(wanted.size(), rank());
  const std::size_t added = wanted.size() - rank();
  Layout layout{wanted, Dims::filled(wanted.size(), 0), layout_.offset, layout_.unit};
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (shape()[axis] == wanted[added + axis]) {
      layout.strides[added + axis] = strides()[axis];
    } else if (shape()[axis] != 1) {
      refuse_as(ErrorKind::value, "expected an extent of 1 to repeat but found {}", shape()[axis]);
    }
  }
  return Tensor(storage_, dtype_, layout, access());
}

Tensor Tensor::field(std::int64_t byte_offset, Dtype dtype) const {
  const std::int64_t record = dtype_.logical_bytes();
  if (dtype_.kind() != ElementKind::record || byte_offset < 0 || byte_offset > record ||
      dtype.logical_bytes() > record - byte_offset) {
    refuse_as(ErrorKind::value, "expected a field within {} bytes but found {} bytes at {}", record,
              dtype.logical_bytes(), byte_offset);
  }
  Layout layout = layout_;
  for (std::size_t axis = 0; axis < rank(); ++axis)
    layout.strides[axis] = stride_bits(axis) / 8;
  layout.offset += 8 * byte_offset;
  layout.unit = StrideUnit::byte;
  return Tensor(storage_, dtype, layout, access());
}

Tensor Tensor::read_only() const {
  return Tensor(storage_, dtype_, layout_, Access::read_only);
}

}  // namespace dlcert::reference
