// SPDX-License-Identifier: Apache-2.0
//
// A drawn product of small whole numbers, which every order of additions computes exactly.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "dlcert/cuda/sparse_product.hpp"
#include "dlcert/driver/driver.hpp"

namespace dlcert::cuda {

/// `values` in memory that host and device reach; never given back.
template <class T>
T* managed_copy(driver::Driver& driver, std::span<const T> values) {
  void* memory = nullptr;
  EXPECT_EQ(driver.allocate(driver::MemoryKind::managed, values.size_bytes(), memory),
            driver::Status::success);
  std::memcpy(memory, values.data(), values.size_bytes());
  return static_cast<T*>(memory);
}

/// 3 x 4 blocks of 2 x 3 elements, 5 of them there, one row of blocks empty; the result has five
/// columns and is added to half of itself.
struct SparseExample {
  SparseProduct product;
  std::vector<float> expected;
};

inline SparseExample make_sparse_example(driver::Driver& driver, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](std::size_t count) {
    std::vector<float> values(count);
    for (float& each : values)
      each = static_cast<float>(static_cast<int>(random() % 9) - 4);
    return values;
  };
  constexpr std::size_t rows = 3, columns = 4, block_rows = 2, block_columns = 3, width = 5;
  const std::vector<std::int64_t> starts{0, 2, 2, 5}, block_column{1, 3, 0, 2, 3};
  const std::vector<float> blocks = draw(block_column.size() * block_rows * block_columns);
  const std::vector<float> dense = draw(columns * block_columns * width);
  const std::vector<float> input = draw(rows * block_rows * width);

  std::vector<float> expected = input;
  for (float& each : expected)
    each *= 0.5F;
  for (std::size_t row = 0; row < rows; ++row)
    for (auto at = static_cast<std::size_t>(starts[row]);
         at < static_cast<std::size_t>(starts[row + 1]); ++at)
      for (std::size_t i = 0; i < block_rows; ++i)
        for (std::size_t k = 0; k < block_columns; ++k)
          for (std::size_t j = 0; j < width; ++j) {
            const auto first = static_cast<std::size_t>(block_column[at]) * block_columns;
            expected[(row * block_rows + i) * width + j] +=
                2 * blocks[(at * block_rows + i) * block_columns + k] *
                dense[(first + k) * width + j];
          }

  const auto copy = [&driver]<class T>(const std::vector<T>& values) {
    return managed_copy<T>(driver, values);
  };
  float* const out = copy(input);
  const BlockSparseMatrix sparse{
      rows, columns, block_rows, block_columns, copy(starts), copy(block_column), copy(blocks)};
  return {{sparse, copy(dense), out, out, width, 0.5F, 2}, std::move(expected)};
}

/// What the product wrote, once its stream has been waited for.
inline std::vector<float> result_of(const SparseExample& example) {
  return {example.product.out, example.product.out + example.expected.size()};
}

}  // namespace dlcert::cuda
