// SPDX-License-Identifier: Apache-2.0
//
// How the product reaches a stream: as a kernel on CUDA, else as a function on the host.

#pragma once

#include "dlcert/cuda/sparse_kernels.hpp"
#include "dlcert/driver/driver.hpp"
#include "dlcert/driver/export.hpp"

namespace dlcert::cuda {

/// For the driver `name`. NULL when it is CUDA and the kernels were not built here (no nvcc).
/// Throws std::runtime_error, one line, when they cannot be loaded.
[[nodiscard]] SparseLaunch sparse_launch(std::string_view driver);

}  // namespace dlcert::cuda

/// What the module of the kernels exports: a SparseLaunch.
extern "C" DLCERT_DRIVER_EXPORT dlcert::driver::Status dlcert_launch_sparse_product(
    dlcert::driver::Stream stream, const dlcert::cuda::SparseProduct& product);
