// SPDX-License-Identifier: Apache-2.0
#include "spy/elements.hpp"

#include <algorithm>
#include <array>
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

// Moves to the next element in row-major order; false when there is none.
bool advance(const ElementLayout& layout, std::vector<std::int64_t>& index, std::int64_t& bit) {
  for (std::size_t axis = index.size(); axis-- > 0;) {
    if (layout.shape[axis] == 1) continue;  // its stride may be any number
    const std::int64_t step = layout.strides[axis] * layout.stride_bits;
    if (++index[axis] < layout.shape[axis]) {
      bit += step;
      return true;
    }
    bit -= (layout.shape[axis] - 1) * step;
    index[axis] = 0;
  }
  return false;
}

// Calls visit(bit) with the place of each element, in row-major order of the indices.
template <typename Visit>
void each_element(const ElementLayout& layout, std::int64_t first_bit, const Visit& visit) {
  for (const std::int64_t extent : layout.shape)
    if (extent == 0) return;
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  std::int64_t bit = first_bit;
  do
    visit(bit);
  while (advance(layout, index, bit));
}

// Bits are numbered from the least significant one up, also before `base`.
bool get_bit(const std::byte* base, std::int64_t bit) {
  return (std::to_integer<unsigned>(base[bit >> 3]) >> (bit & 7) & 1u) != 0;
}

void put_bit(std::byte* base, std::int64_t bit, bool value) {
  const auto mask = static_cast<std::byte>(1u << (bit & 7));
  base[bit >> 3] = value ? base[bit >> 3] | mask : base[bit >> 3] & ~mask;
}

// Clears what a padded element holds beyond its value.
void mask_value(dlcert_dtype dtype, std::byte* element, std::size_t bytes) {
  const auto used = static_cast<unsigned>(value_bits(dtype) % 8);
  if (used != 0) element[bytes - 1] &= static_cast<std::byte>((1u << used) - 1);
}

bool whole_bytes(const ElementLayout& layout, std::int64_t first_bit) {
  return stored_bits(layout.dtype, layout.padded) % 8 == 0 && layout.stride_bits % 8 == 0 &&
         first_bit % 8 == 0;
}

// Whether the elements lie as logical bytes do: one behind the other, without gaps.
bool lies_as_logical(const ElementLayout& layout, std::int64_t first_bit) {
  const auto item_bits = 8 * static_cast<std::int64_t>(logical_item_size(layout.dtype));
  if (layout.stride_bits != item_bits || value_bits(layout.dtype) != item_bits ||
      first_bit % 8 != 0)
    return false;
  std::int64_t expected = 1;
  for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
    if (layout.shape[axis] == 1) continue;  // its stride may be any number
    if (layout.strides[axis] != expected) return false;
    expected *= layout.shape[axis];
  }
  return true;
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
  if (lies_as_logical(layout, first_bit)) {
    std::memcpy(logical, base + first_bit / 8, logical_size(layout));
    return;
  }
  const std::size_t item = logical_item_size(layout.dtype);
  if (whole_bytes(layout, first_bit)) {
    each_element(layout, first_bit, [&](std::int64_t bit) {
      std::memcpy(logical, base + bit / 8, item);
      mask_value(layout.dtype, logical, item);
      logical += item;
    });
    return;
  }
  each_element(layout, first_bit, [&](std::int64_t bit) {
    std::memset(logical, 0, item);
    for (std::int64_t i = 0; i < value_bits(layout.dtype); ++i)
      put_bit(logical, i, get_bit(base, bit + i));
    logical += item;
  });
}

void scatter(const ElementLayout& layout, std::byte* base, std::int64_t first_bit,
             const std::byte* logical) {
  if (lies_as_logical(layout, first_bit)) {
    std::memcpy(base + first_bit / 8, logical, logical_size(layout));
    return;
  }
  const std::size_t item = logical_item_size(layout.dtype);
  if (whole_bytes(layout, first_bit)) {
    each_element(layout, first_bit, [&](std::int64_t bit) {
      std::memcpy(base + bit / 8, logical, item);
      logical += item;
    });
    return;
  }
  each_element(layout, first_bit, [&](std::int64_t bit) {
    for (std::int64_t i = 0; i < value_bits(layout.dtype); ++i)
      put_bit(base, bit + i, get_bit(logical, i));
    logical += item;
  });
}

// ---- of a spec ----------------------------------------------------------------------------------

namespace {

std::size_t storage_bytes_of(const TensorSpec& spec, std::int64_t unit_bits) {
  return static_cast<std::size_t>((spec.storage_size * unit_bits + 7) / 8);
}

constexpr std::byte unused_storage{0xA5};

}  // namespace

Bytes scatter(const TensorSpec& spec, const Bytes& logical) {
  const ElementLayout layout = ElementLayout::of(spec);
  Bytes storage(storage_bytes_of(spec, layout.stride_bits), unused_storage);
  scatter_into(spec, storage.data(), logical);
  return storage;
}

void scatter_into(const TensorSpec& spec, std::byte* storage, const Bytes& logical) {
  const ElementLayout layout = ElementLayout::of(spec);
  scatter(layout, storage, spec.offset * layout.stride_bits, logical.data());
}

namespace {

// Fails where a spec, which may be what a library described, has elements that no memory can hold,
// so that no arithmetic on the layout overflows behind it.
void expect_in_memory(const TensorSpec& spec, const ElementLayout& layout) {
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
    overflows |= stride == INT64_MIN ||
                 __builtin_mul_overflow(std::abs(stride), layout.stride_bits, &step) ||
                 __builtin_mul_overflow(extent - 1, step, &span) ||
                 __builtin_add_overflow(reach, span, &reach);
  }
  const std::int64_t bits = std::max<std::int64_t>(value_bits(spec.dtype), 1);
  expect(!overflows && elements <= most_bits / bits && reach <= INT64_MAX / 2,
         "elements: expected at most 1 GiB but found {}", to_text(spec));
}

}  // namespace

Bytes gather(const TensorSpec& spec, const std::byte* storage) {
  const ElementLayout layout = ElementLayout::of(spec);
  expect_in_memory(spec, layout);
  Bytes logical(logical_size(layout));
  if (logical.empty()) return logical;  // also of a dtype of no bits, which a library may describe
  gather(layout, storage, spec.offset * layout.stride_bits, logical.data());
  return logical;
}

}  // namespace dlcert
