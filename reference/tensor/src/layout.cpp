// SPDX-License-Identifier: Apache-2.0

#include "dlcert/tensor/layout.hpp"

#include <algorithm>

#include "refuse.hpp"

namespace dlcert::reference {

void Dims::refuse(std::size_t count) {
  refuse_as(ErrorKind::value, "expected at most {} axes but found {}", max_rank, count);
}

void Dims::insert(std::size_t axis, std::int64_t value) {
  checked(size_ + 1);
  std::copy_backward(values_ + axis, values_ + size_, values_ + size_ + 1);
  values_[axis] = value;
  ++size_;
}

Reach reach_of_any(std::span<const std::int64_t> shape,
                   std::span<const std::int64_t> strides) noexcept {
  Reach reach;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    reach.empty |= shape[axis] == 0;
    reach.negative_extent |= shape[axis] < 0;
    const std::int64_t steps = std::max<std::int64_t>(shape[axis], 1) - 1;
    std::int64_t distance = 0;
    reach.overflow |= __builtin_mul_overflow(steps, strides[axis], &distance);
    std::int64_t& end = distance < 0 ? reach.low : reach.high;
    reach.overflow |= __builtin_add_overflow(end, distance, &end);
  }
  return reach;
}

Reach row_major_reach(std::span<const std::int64_t> shape) noexcept {
  Reach reach;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    reach.empty |= extent == 0;
    reach.negative_extent |= extent < 0;
    reach.overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  reach.high = std::max<std::int64_t>(count, 1) - 1;
  return reach;
}

Dims row_major_strides(std::span<const std::int64_t> shape) {
  Dims strides(shape);
  std::int64_t distance = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = distance;
    const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
    if (__builtin_mul_overflow(distance, extent, &distance)) distance = 0;
  }
  return strides;
}

}  // namespace dlcert::reference
