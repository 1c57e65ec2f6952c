// SPDX-License-Identifier: Apache-2.0
//
// What the host function and the kernel compute for one element.

#pragma once

#include "dlcert/cuda/sparse_product.hpp"

#if defined(__CUDACC__)
#define DLCERT_HOST_AND_DEVICE __host__ __device__
#else
#define DLCERT_HOST_AND_DEVICE
#endif

namespace dlcert::cuda {

/// Of `out`.
DLCERT_HOST_AND_DEVICE inline std::int64_t element_count(const SparseProduct& product) {
  return product.sparse.rows * product.sparse.block_rows * product.width;
}

/// Writes one element of `out`, counted row by row.
DLCERT_HOST_AND_DEVICE inline void compute_element(const SparseProduct& product,
                                                   std::int64_t element) {
  const BlockSparseMatrix& sparse = product.sparse;
  const std::int64_t row = element / product.width, column = element % product.width;
  const std::int64_t block_row = row / sparse.block_rows, row_in_block = row % sparse.block_rows;
  float sum = 0;
  for (std::int64_t at = sparse.row_starts[block_row]; at < sparse.row_starts[block_row + 1];
       ++at) {
    const float* const values =
        sparse.blocks + (at * sparse.block_rows + row_in_block) * sparse.block_columns;
    const std::int64_t first = sparse.block_column[at] * sparse.block_columns;
    for (std::int64_t k = 0; k < sparse.block_columns; ++k)
      sum += values[k] * product.dense[(first + k) * product.width + column];
  }
  const float start = product.beta == 0 ? 0 : product.beta * product.input[element];
  product.out[element] = start + product.alpha * sum;
}

}  // namespace dlcert::cuda
