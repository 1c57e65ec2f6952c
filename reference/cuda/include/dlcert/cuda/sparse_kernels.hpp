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

#include "dlcert/cuda/sparse_product.hpp"
#include "dlcert/cuda/streams.hpp"

namespace dlcert::cuda {

/// Submits the product to a stream of the current device and returns, with the driver's answer.
using SparseLaunch = driver::Status (*)(driver::Stream stream, const SparseProduct& product);

/// A kernel that remembers whether it was invoked.
class SparseKernel {
 public:
  /// `streams` outlives it.
  SparseKernel(Streams& streams, SparseLaunch launch) : streams_{streams}, launch_{launch} {}
  SparseKernel(const SparseKernel&) = delete;
  SparseKernel& operator=(const SparseKernel&) = delete;
  virtual ~SparseKernel();

  /// Submits the product to the current stream, where it runs in order: on CUDA as a kernel, else
  /// as a function on the host. Throws a ValueError that names the value for extents that are
  /// negative or too large, for row starts out of order and for columns that do not exist, and a
  /// CudaError; it is then not invoked.
  virtual void operator()(const SparseProduct& product);
  /// Whether a call has returned.
  [[nodiscard]] bool kernel_invoked() const noexcept { return invoked_; }

 private:
  Streams& streams_;
  const SparseLaunch launch_;
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

  /// Registers both when the build can have them, else none: on CUDA it must have been made with
  /// nvcc. Called by initialization, maybe again after a failure; what is registered stays. Throws
  /// std::runtime_error, one line, when they cannot be loaded.
  void register_all();
  [[nodiscard]] std::vector<std::string> registered() const;
  /// NULL unless registered; lives as long as this object.
  [[nodiscard]] SparseKernel* find(std::string_view name) const;

 protected:
  [[nodiscard]] virtual bool can_register() const;

 private:
  Streams& streams_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SparseKernel>, std::less<>> kernels_;
};

}  // namespace dlcert::cuda
