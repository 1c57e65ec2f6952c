// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a wanted layout, made as a user of the reference makes them.
#pragma once

#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference {

// A writable tensor of exactly this layout on `storage`: transposed, sliced, repeated or a field of
// a row-major tensor where those views can give the layout, else made from the layout itself.
// Throws a value error when an element would lie outside the storage.
Tensor view_of(const StorageRef& storage, const Dtype& dtype, const Layout& wanted);

}  // namespace dlcert::reference
