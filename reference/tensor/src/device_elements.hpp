// SPDX-License-Identifier: Apache-2.0
//
// The elements of tensors that the host cannot touch: moved by the calling thread's current stream
// of the tensor's device. For tensors that are not empty; throw a DeviceError or std::bad_alloc.

#pragma once

#include <cstddef>
#include <span>

#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

/// The same elements in the same layout in host memory, complete when it returns.
[[nodiscard]] Tensor staged(const Tensor& tensor);

/// As Tensor::read and Tensor::write; the size has been checked.
void read_from_device(const Tensor& tensor, std::span<std::byte> out);
void write_to_device(const Tensor& tensor, std::span<const std::byte> in);

/// Copies all elements to `result`, which is row-major and of the same type, shape and device.
void copy_on_device(const Tensor& tensor, const Tensor& result);

}  // namespace dlcert::reference
