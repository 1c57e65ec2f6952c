// SPDX-License-Identifier: Apache-2.0
//
// The descriptor of a tensor. Each member is a decision of the steps (export_steps.hpp), or of
// another type with functions of the same names.

#pragma once

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>

#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

/// The descriptor of a tensor whose shape and strides stand in `dims`, to which it points unless
/// the rank is 0.
template <class Steps>
DLTensor descriptor_over(const Steps& steps, const Tensor& tensor, std::int64_t* dims) noexcept {
  const std::size_t rank = tensor.rank();
  return {.data = steps.data_of(tensor),
          .device = steps.device_of(tensor),
          .ndim = steps.rank_of(tensor),
          .dtype = steps.dtype_of(tensor),
          .shape = rank == 0 ? nullptr : dims,
          .strides = rank == 0 ? nullptr : dims + rank,
          .byte_offset = steps.byte_offset_of(tensor)};
}

/// Writes shape and strides to `dims`, and describes the tensor over them.
template <class Steps>
DLTensor describe_tensor(const Steps& steps, const Tensor& tensor, std::int64_t* dims) noexcept {
  const std::size_t rank = tensor.rank();
  const DLTensor descriptor = descriptor_over(steps, tensor, dims);
  steps.write_shape(tensor, dims);
  steps.write_strides(tensor, dims + rank);
  return descriptor;
}

}  // namespace dlcert::reference
