// SPDX-License-Identifier: Apache-2.0
#include "spy/elements.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlcert/suite/check.hpp>
#include <dlcert/suite/spy.hpp>

namespace dlcert {

namespace {

std::int64_t value_bits(dlcert_dtype dtype) {
  return std::int64_t{dtype.bits} * dtype.lanes;
}

struct Axis {
  std::int64_t extent = 1;
  std::int64_t step = 0;  // bits
};

// The axes that decide where elements lie, innermost first; those that follow each other in memory
// without a gap are one.
std::vector<Axis> merged_axes(const ElementLayout& layout) {
  std::vector<Axis> axes;
  axes.reserve(layout.shape.size());
  for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
    if (layout.shape[axis] == 1) continue;  // its stride may be any number
    const Axis outer{layout.shape[axis], layout.strides[axis] * layout.stride_bits};
    if (!axes.empty() && outer.step == axes.back().extent * axes.back().step)
      axes.back().extent *= outer.extent;
    else
      axes.push_back(outer);
  }
  if (axes.empty()) axes.emplace_back();
  return axes;
}

// Moves to the next row; false when there is none.
bool advance(std::span<const Axis> outer, std::vector<std::int64_t>& index, std::int64_t& bit) {
  for (std::size_t axis = 0; axis < outer.size(); ++axis) {
    if (++index[axis] < outer[axis].extent) {
      bit += outer[axis].step;
      return true;
    }
    bit -= (outer[axis].extent - 1) * outer[axis].step;
    index[axis] = 0;
  }
  return false;
}

// Calls visit(bit, row) with the place of the first element of each row, in row-major order of the
// indices.
template <typename Visit>
void each_row(const ElementLayout& layout, std::int64_t first_bit, const Visit& visit) {
  for (const std::int64_t extent : layout.shape)
    if (extent == 0) return;
  const std::vector<Axis> axes = merged_axes(layout);
  const std::span<const Axis> outer = std::span{axes}.subspan(1);
  std::vector<std::int64_t> index(outer.size(), 0);
  std::int64_t bit = first_bit;
  do
    visit(bit, axes.front());
  while (advance(outer, index, bit));
}

// Bits are numbered from the least significant one up, also before `base`. `count` is at most 8.
unsigned get_bits(const std::byte* base, std::int64_t bit, unsigned count) {
  const std::byte* const first = base + (bit >> 3);
  const auto shift = static_cast<unsigned>(bit & 7);
  unsigned bits = std::to_integer<unsigned>(*first) >> shift;
  if (shift + count > 8) bits |= std::to_integer<unsigned>(first[1]) << (8 - shift);
  return bits & ((1u << count) - 1);
}

// All of them lie in one byte.
void put_bits(std::byte* base, std::int64_t bit, unsigned count, unsigned bits) {
  const auto shift = static_cast<unsigned>(bit & 7);
  const auto mask = static_cast<std::byte>(((1u << count) - 1) << shift);
  std::byte& byte = base[bit >> 3];
  byte = (byte & ~mask) | static_cast<std::byte>(bits << shift);
}

void copy_bits(std::byte* to, std::int64_t to_bit, const std::byte* from, std::int64_t from_bit,
               std::int64_t count) {
  while (count > 0) {
    const std::int64_t some = std::min(count, 8 - (to_bit & 7));
    const auto bits = static_cast<unsigned>(some);
    put_bits(to, to_bit, bits, get_bits(from, from_bit, bits));
    to_bit += some;
    from_bit += some;
    count -= some;
  }
}

// Where bytes are copied, and how far the next element is behind.
template <typename Byte>
struct Row {
  Byte* first;
  std::int64_t step;
};

template <std::size_t item>
void copy_items(Row<std::byte> to, Row<const std::byte> from, std::int64_t count) {
  for (; count > 0; --count, to.first += to.step, from.first += from.step)
    std::memcpy(to.first, from.first, item);
}

void copy_items(Row<std::byte> to, Row<const std::byte> from, std::int64_t count,
                std::int64_t item) {
  if (to.step == item && from.step == item) {
    std::memcpy(to.first, from.first, static_cast<std::size_t>(count * item));
    return;
  }
  switch (item) {
    case 1:
      return copy_items<1>(to, from, count);
    case 2:
      return copy_items<2>(to, from, count);
    case 4:
      return copy_items<4>(to, from, count);
    case 8:
      return copy_items<8>(to, from, count);
    default:
      for (; count > 0; --count, to.first += to.step, from.first += from.step)
        std::memcpy(to.first, from.first, static_cast<std::size_t>(item));
  }
}

// Clears what padded elements hold beyond their values.
void mask_values(const ElementLayout& layout, std::byte* logical) {
  const auto used = static_cast<unsigned>(value_bits(layout.dtype) % 8);
  if (used == 0) return;
  const std::size_t item = logical_item_size(layout.dtype);
  const std::byte* const end = logical + logical_size(layout);
  for (; logical != end; logical += item)
    logical[item - 1] &= static_cast<std::byte>((1u << used) - 1);
}

bool whole_bytes(const ElementLayout& layout, std::int64_t first_bit) {
  return stored_bits(layout.dtype, layout.padded) % 8 == 0 && layout.stride_bits % 8 == 0 &&
         first_bit % 8 == 0;
}

// Whether the elements lie as logical bytes do: one behind the other, without gaps.
bool lies_as_logical(const ElementLayout& layout, std::int64_t first_bit) {
  const auto item_bits = 8 * static_cast<std::int64_t>(logical_item_size(layout.dtype));
  if (value_bits(layout.dtype) != item_bits || !whole_bytes(layout, first_bit)) return false;
  const std::vector<Axis> axes = merged_axes(layout);
  return axes.size() == 1 && (axes.front().extent == 1 || axes.front().step == item_bits);
}

}  // namespace

std::int64_t stored_bits(dlcert_dtype dtype, bool padded) {
  if (dtype.bits < 8 && !padded) return value_bits(dtype);
  return 8 * static_cast<std::int64_t>(logical_item_size(dtype));
}

ElementLayout ElementLayout::of_elements(dlcert_dtype dtype, bool padded,
                                         std::span<const std::int64_t> shape,
                                         std::span<const std::int64_t> strides) {
  return {dtype, padded, shape, strides, stored_bits(dtype, padded)};
}

ElementLayout ElementLayout::of(const TensorSpec& spec) {
  ElementLayout layout = of_elements(spec.dtype, spec.padded(), spec.shape, spec.strides);
  if ((spec.flags & DLCERT_SPEC_BYTE_STRIDES) != 0) layout.stride_bits = 8;
  return layout;
}

std::size_t logical_size(const ElementLayout& layout) {
  std::size_t count = logical_item_size(layout.dtype);
  for (const std::int64_t extent : layout.shape)
    count *= static_cast<std::size_t>(extent);
  return count;
}

void gather(const ElementLayout& layout, const std::byte* base, std::int64_t first_bit,
            std::byte* logical) {
  const auto item = static_cast<std::int64_t>(logical_item_size(layout.dtype));
  if (whole_bytes(layout, first_bit)) {
    std::byte* to = logical;
    each_row(layout, first_bit, [&](std::int64_t bit, const Axis& row) {
      copy_items({to, item}, {base + bit / 8, row.step / 8}, row.extent, item);
      to += row.extent * item;
    });
    mask_values(layout, logical);
    return;
  }
  const std::int64_t bits = value_bits(layout.dtype);
  std::fill_n(logical, logical_size(layout), std::byte{0});
  each_row(layout, first_bit, [&](std::int64_t bit, const Axis& row) {
    for (std::int64_t i = 0; i < row.extent; ++i, bit += row.step, logical += item)
      copy_bits(logical, 0, base, bit, bits);
  });
}

void scatter(const ElementLayout& layout, std::byte* base, std::int64_t first_bit,
             const std::byte* logical) {
  const auto item = static_cast<std::int64_t>(logical_item_size(layout.dtype));
  if (whole_bytes(layout, first_bit)) {
    each_row(layout, first_bit, [&](std::int64_t bit, const Axis& row) {
      copy_items({base + bit / 8, row.step / 8}, {logical, item}, row.extent, item);
      logical += row.extent * item;
    });
    return;
  }
  const std::int64_t bits = value_bits(layout.dtype);
  each_row(layout, first_bit, [&](std::int64_t bit, const Axis& row) {
    for (std::int64_t i = 0; i < row.extent; ++i, bit += row.step, logical += item)
      copy_bits(base, bit, logical, 0, bits);
  });
}

// ---- of a spec ----------------------------------------------------------------------------------

namespace {

constexpr std::byte unused_storage{0xA5};

}  // namespace

std::int64_t stride_bits(const TensorSpec& spec) {
  return ElementLayout::of(spec).stride_bits;
}

std::size_t storage_bytes(const TensorSpec& spec) {
  return static_cast<std::size_t>((spec.storage_size * stride_bits(spec) + 7) / 8);
}

Bytes scatter(const TensorSpec& spec, const Bytes& logical) {
  Bytes storage(storage_bytes(spec), unused_storage);
  scatter_into(spec, storage.data(), logical);
  return storage;
}

void scatter_into(const TensorSpec& spec, std::byte* storage, const Bytes& logical) {
  const ElementLayout layout = ElementLayout::of(spec);
  scatter(layout, storage, spec.offset * layout.stride_bits, logical.data());
}

void expect_in_memory(const TensorSpec& spec) {
  const std::int64_t unit = stride_bits(spec);
  constexpr std::int64_t most_bits = std::int64_t{8} << 30;
  std::int64_t elements = 1;
  std::int64_t reach = 0;
  bool overflows = false;
  for (std::size_t axis = 0; axis < spec.shape.size(); ++axis) {
    const std::int64_t extent = spec.shape[axis], stride = spec.strides[axis];
    expect(extent >= 0, "shape: expected extents of 0 or more but found {}", extent);
    if (extent == 0) return;
    std::int64_t step = 0, span = 0;
    overflows |= __builtin_mul_overflow(elements, extent, &elements);
    if (extent == 1) continue;  // its stride may be any number
    overflows |= stride == INT64_MIN || __builtin_mul_overflow(std::abs(stride), unit, &step) ||
                 __builtin_mul_overflow(extent - 1, step, &span) ||
                 __builtin_add_overflow(reach, span, &reach);
  }
  const std::int64_t bits = std::max<std::int64_t>(value_bits(spec.dtype), 1);
  if (overflows || elements > most_bits / bits || reach > INT64_MAX / 2)
    fail(fmt::format("elements: expected at most 1 GiB but found {}", to_text(spec)));
}

Bytes gather(const TensorSpec& spec, const std::byte* storage) {
  const ElementLayout layout = ElementLayout::of(spec);
  expect_in_memory(spec);
  const std::size_t size = logical_size(layout);
  if (size == 0) return {};  // also of a dtype of no bits, which a library may describe
  const std::int64_t first_bit = spec.offset * layout.stride_bits;
  if (lies_as_logical(layout, first_bit)) {
    const std::byte* const first = storage + first_bit / 8;
    return {first, first + size};
  }
  Bytes logical(size);
  gather(layout, storage, first_bit, logical.data());
  return logical;
}

}  // namespace dlcert
