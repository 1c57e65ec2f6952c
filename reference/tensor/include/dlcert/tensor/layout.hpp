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
};

/// The reach of whatever strides, extents and rank.
[[nodiscard]] Reach reach_of_any(std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> strides) noexcept;

/// The same. What nearly every tensor has, row-major strides and modest extents, takes a short
/// loop.
[[nodiscard]] inline Reach reach_of(std::span<const std::int64_t> shape,
                                    std::span<const std::int64_t> strides) noexcept {
  constexpr std::uint64_t modest = std::uint64_t{1} << 31;
  std::uint64_t count = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[axis]);
    const bool row_major = static_cast<std::uint64_t>(strides[axis]) == count;
    if (!row_major || extent - 1 >= modest || count >= modest) [[unlikely]]
      return reach_of_any(shape, strides);
    count *= extent;
  }
  return {.high = static_cast<std::int64_t>(count - 1)};
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
