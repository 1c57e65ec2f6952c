// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on shapes and strides that notices when a number does not fit.

#pragma once

#include <cstdint>
#include <span>

#include "dlcert/tensor/dims.hpp"

namespace dlcert::reference {

/// How far a strided tensor reaches from its first element, in strides, and what is wrong with it.
struct Reach {
  std::int64_t low = 0;   ///< to the element with the lowest address; zero or negative
  std::int64_t high = 0;  ///< to the element with the highest address
  bool empty = false;
  bool negative_extent = false;
  bool overflow = false;  ///< the numbers do not fit; no matter when the tensor is empty
  bool plain = false;     ///< row-major, with elements, and few enough that nothing can be wrong
};

/// The reach of whatever strides, extents and rank.
[[nodiscard]] Reach reach_of_any(std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> strides) noexcept;

/// The number of elements of a row-major tensor; 0 for every other one, and where it does not fit.
[[nodiscard]] inline std::int64_t row_major_count(std::span<const std::int64_t> shape,
                                                  std::span<const std::int64_t> strides) noexcept {
  std::int64_t count = 1;
  for (std::size_t axes = shape.size(); axes > 0; --axes) {
    const std::int64_t extent = shape[axes - 1];
    if (strides[axes - 1] != count || extent <= 0) return 0;
    if (__builtin_mul_overflow(count, extent, &count)) return 0;
  }
  return count;
}

/// The reach of all of these. What nearly every tensor has, elements and row-major strides, takes a
/// short loop.
[[nodiscard]] inline Reach reach_of(std::span<const std::int64_t> shape,
                                    std::span<const std::int64_t> strides) noexcept {
  constexpr std::int64_t modest = std::int64_t{1} << 31;
  const std::int64_t count = row_major_count(shape, strides);
  if (count > 0 && count <= modest) [[likely]]
    return {.high = count - 1, .plain = true};
  return reach_of_any(shape, strides);
}

/// The reach of a row-major tensor without gaps.
[[nodiscard]] Reach row_major_reach(std::span<const std::int64_t> shape) noexcept;

/// Bits as bytes, rounded down or up. Neither overflows.
constexpr std::int64_t floor_bytes(std::int64_t bits) noexcept {
  return bits >> 3;
}
constexpr std::int64_t ceil_bytes(std::int64_t bits) noexcept {
  return (bits >> 3) + ((bits & 7) != 0 ? 1 : 0);
}

/// The strides of a row-major tensor without gaps. For an empty tensor extents of 0 count as 1, so
/// that the numbers stay meaningful; numbers that do not fit become 0, which only an empty tensor
/// meets.
[[nodiscard]] Dims row_major_strides(std::span<const std::int64_t> shape);

}  // namespace dlcert::reference
