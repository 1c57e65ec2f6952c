// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/sparse_kernels.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

namespace dlcert::cuda {
namespace {

void check_extents(const SparseProduct& product) {
  const BlockSparseMatrix& sparse = product.sparse;
  for (const std::int64_t extent :
       {sparse.rows, sparse.columns, sparse.block_rows, sparse.block_columns, product.width})
    if (extent < 0)
      throw ValueError(fmt::format("expected an extent of 0 or more but found {}", extent));
  for (std::int64_t row = 0; row < sparse.rows; ++row)
    if (sparse.row_starts[row] > sparse.row_starts[row + 1])
      throw ValueError(fmt::format("expected row {} to end at {} or later but found {}", row,
                                   sparse.row_starts[row], sparse.row_starts[row + 1]));
}

// One element of sparse @ dense.
float product_element(const SparseProduct& product, std::int64_t row, std::int64_t column) {
  const BlockSparseMatrix& sparse = product.sparse;
  const std::int64_t block_row = row / sparse.block_rows;
  const std::int64_t within = row % sparse.block_rows;
  float sum = 0;
  for (std::int64_t at = sparse.row_starts[block_row]; at < sparse.row_starts[block_row + 1];
       ++at) {
    const float* const values =
        sparse.blocks + (at * sparse.block_rows + within) * sparse.block_columns;
    const std::int64_t first = sparse.block_column[at] * sparse.block_columns;
    for (std::int64_t k = 0; k < sparse.block_columns; ++k)
      sum += values[k] * product.dense[(first + k) * product.width + column];
  }
  return sum;
}

void run_product(void* data) {
  const std::unique_ptr<SparseProduct> product(static_cast<SparseProduct*>(data));
  const std::int64_t rows = product->sparse.rows * product->sparse.block_rows;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < product->width; ++column) {
      const std::int64_t place = row * product->width + column;
      const float start = product->beta == 0 ? 0 : product->beta * product->input[place];
      product->out[place] = start + product->alpha * product_element(*product, row, column);
    }
}

}  // namespace

SparseKernel::~SparseKernel() = default;

void SparseKernel::operator()(const SparseProduct& product) {
  launch(product);
  invoked_ = true;
}

void SparseKernel::launch(const SparseProduct& product) {
  streams_.devices().initialization().initialize();
  check_extents(product);
  const Stream stream = streams_.current({});
  const DeviceGuard guard(streams_.devices(), stream.device_index);
  auto own = std::make_unique<SparseProduct>(product);
  check(driver::driver().launch_host_function(stream.handle, run_product, own.get()));
  static_cast<void>(own.release());
}

SparseKernels::~SparseKernels() = default;

bool SparseKernels::can_register() const {
  const Build& build = streams_.devices().initialization().build();
  return build.triton && !build.deploy;
}

void SparseKernels::register_all() {
  if (!can_register()) return;
  const std::scoped_lock lock(mutex_);
  for (const std::string_view name : {product, addmm})
    kernels_.try_emplace(std::string(name), make_kernel());
}

std::unique_ptr<SparseKernel> SparseKernels::make_kernel() const {
  return std::make_unique<SparseKernel>(streams_);
}

std::vector<std::string> SparseKernels::registered() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, kernel] : kernels_)
    names.push_back(name);
  return names;
}

SparseKernel* SparseKernels::find(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : found->second.get();
}

}  // namespace dlcert::cuda
