// SPDX-License-Identifier: Apache-2.0
//
// Optional kernels for block-sparse matrices, which are registered when the runtime is initialized.
// Source: torch 2.4, _WrappedTritonKernel, _register_triton_kernels.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "dlcert/cuda/streams.hpp"

namespace dlcert::cuda {

/// A matrix of blocks, most of which are zero (block compressed rows). All of it is in memory that
/// the host and the device can reach (pinned or managed), and stays until the kernel has run.
struct BlockSparseMatrix {
  std::int64_t rows = 0;     ///< in blocks
  std::int64_t columns = 0;  ///< in blocks
  std::int64_t block_rows = 1;
  std::int64_t block_columns = 1;
  const std::int64_t* row_starts = nullptr;  ///< rows + 1 positions in `block_column`
  const std::int64_t* block_column = nullptr;
  const float* blocks = nullptr;  ///< row by row, one behind the other
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

/// A kernel that remembers whether it was invoked.
class SparseKernel {
 public:
  /// `streams` outlives it.
  explicit SparseKernel(Streams& streams) : streams_{streams} {}
  SparseKernel(const SparseKernel&) = delete;
  SparseKernel& operator=(const SparseKernel&) = delete;
  virtual ~SparseKernel();

  /// Submits the product to the current stream, where the driver runs it in order as a function on
  /// the host. Throws a ValueError for negative extents or row starts out of order, and a
  /// CudaError, and is then not invoked.
  virtual void operator()(const SparseProduct& product);
  /// Whether a call has returned.
  [[nodiscard]] bool kernel_invoked() const noexcept { return invoked_; }

 protected:
  virtual void launch(const SparseProduct& product);

 private:
  Streams& streams_;
  std::atomic<bool> invoked_{false};
};

/// The operators that were replaced by kernels. Any thread.
class SparseKernels {
 public:
  static constexpr std::string_view product = "_triton_bsr_dense_mm_out";
  static constexpr std::string_view addmm = "_triton_bsr_dense_addmm_out";

  /// `streams` outlives it.
  explicit SparseKernels(Streams& streams) : streams_{streams} {}
  SparseKernels(const SparseKernels&) = delete;
  SparseKernels& operator=(const SparseKernels&) = delete;
  virtual ~SparseKernels();

  /// Registers both when the build can have them, else none. Called by initialization, maybe again
  /// after a failure; what is registered stays.
  void register_all();
  [[nodiscard]] std::vector<std::string> registered() const;
  /// NULL unless registered; lives as long as this object.
  [[nodiscard]] SparseKernel* find(std::string_view name) const;

 protected:
  [[nodiscard]] virtual bool can_register() const;
  [[nodiscard]] virtual std::unique_ptr<SparseKernel> make_kernel() const;
  [[nodiscard]] Streams& streams() const noexcept { return streams_; }

 private:
  Streams& streams_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SparseKernel>, std::less<>> kernels_;
};

}  // namespace dlcert::cuda
