// SPDX-License-Identifier: Apache-2.0

#include "dlcert/cuda/sparse_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>

#include "dlcert/cuda/errors.hpp"
#include "dlcert/cuda/runtime_status.hpp"
#include "dlcert/driver/select.hpp"

#include "sparse_launch.hpp"

namespace dlcert::cuda {
namespace {

void check_count(std::initializer_list<std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0)
      throw ValueError(fmt::format("expected an extent of 0 or more but found {}", extent));
    if (__builtin_mul_overflow(count, extent, &count))
      throw ValueError(
          fmt::format("expected fewer than 2^63 elements but found {}", fmt::join(extents, " * ")));
  }
}

void check_rows(const BlockSparseMatrix& sparse) {
  if (sparse.rows > 0 && sparse.row_starts[0] != 0)
    throw ValueError(
        fmt::format("expected row 0 to start at 0 but found {}", sparse.row_starts[0]));
  for (std::int64_t row = 0; row < sparse.rows; ++row)
    if (sparse.row_starts[row] > sparse.row_starts[row + 1])
      throw ValueError(fmt::format("expected row {} to end at {} or later but found {}", row,
                                   sparse.row_starts[row], sparse.row_starts[row + 1]));
}

std::int64_t block_count(const BlockSparseMatrix& sparse) {
  return sparse.rows == 0 ? 0 : sparse.row_starts[sparse.rows];
}

void check_columns(const BlockSparseMatrix& sparse) {
  for (std::int64_t at = 0; at < block_count(sparse); ++at)
    if (sparse.block_column[at] < 0 || sparse.block_column[at] >= sparse.columns)
      throw ValueError(fmt::format("expected a column of 0 to {} for block {} but found {}",
                                   sparse.columns - 1, at, sparse.block_column[at]));
}

void check_product(const SparseProduct& product) {
  const BlockSparseMatrix& sparse = product.sparse;
  check_count({sparse.rows, sparse.block_rows, product.width});
  check_count({sparse.columns, sparse.block_columns, product.width});
  check_rows(sparse);
  check_count({block_count(sparse), sparse.block_rows, sparse.block_columns});
  check_columns(sparse);
}

}  // namespace

SparseKernel::~SparseKernel() = default;

void SparseKernel::operator()(const SparseProduct& product) {
  streams_.devices().initialization().initialize();
  check_product(product);
  const Stream stream = streams_.current({});
  const DeviceGuard guard(streams_.devices(), stream.device_index);
  check(launch_(stream.handle, product));
  invoked_ = true;
}

SparseKernels::~SparseKernels() = default;

bool SparseKernels::can_register() const {
  const Build& build = streams_.devices().initialization().build();
  return build.triton && !build.deploy;
}

void SparseKernels::register_all() {
  if (!can_register()) return;
  const SparseLaunch launch = sparse_launch(driver::driver().name());
  if (launch == nullptr) return;
  const std::scoped_lock lock(mutex_);
  for (const std::string_view name : {product, addmm})
    kernels_.try_emplace(std::string(name), std::make_unique<SparseKernel>(streams_, launch));
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
