// SPDX-License-Identifier: Apache-2.0
//
// The product of a block-sparse and a dense matrix.

#pragma once

#include <cstdint>

namespace dlcert::cuda {

/// A matrix of blocks, most of which are zero (block compressed rows). All of it is in memory that
/// the host and the device can reach (pinned or managed), and stays until the kernel has run. Where
/// the blocks lie is read when the product is submitted, too.
struct BlockSparseMatrix {
  std::int64_t rows = 0;     ///< in blocks
  std::int64_t columns = 0;  ///< in blocks
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  const std::int64_t* row_starts = nullptr;    ///< rows + 1 positions in `block_column`, from 0
  const std::int64_t* block_column = nullptr;  ///< 0 to columns - 1
  const float* blocks = nullptr;               ///< row by row, one behind the other
};

/// out = beta * input + alpha * (sparse @ dense). Dense matrices are row-major; `dense` has
/// sparse.columns * block_columns rows and `width` columns, `input` and `out` have
/// sparse.rows * block_rows rows. `input` is not read when beta is 0, and may be `out`.
struct SparseProduct {
  BlockSparseMatrix sparse = {};
  const float* dense = nullptr;
  const float* input = nullptr;
  float* out = nullptr;
  std::int64_t width = 0;
  float beta = 0;
  float alpha = 1;
};

}  // namespace dlcert::cuda
