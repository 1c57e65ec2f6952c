// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "dlcert/python/owned.hpp"
#include "dlcert/tensor/tensor.hpp"

namespace dlcert::reference::python {

/// What `Array(...)` takes, as in its docstring (array.hpp).
inline constexpr char array_doc[] =
    "Array(data, dtype, shape, strides=None, offset=0, *, storage_size=None, device=(1, 0), "
    "readonly=False, padded=False, byte_strides=False, kind='described')\n--\n\n"
    "An array over storage of its own.\n\n"
    "data         the elements in row-major order, each in whole bytes of its own; None for zeros\n"
    "dtype        (code, bits, lanes) of DLPack\n"
    "strides      in elements; None for row-major ones\n"
    "offset       of element (0, 0, ...) in the storage, in elements\n"
    "storage_size in elements; None for as many as the layout reaches\n"
    "readonly     nothing can be written through the array\n"
    "padded       elements narrower than a byte have bytes of their own\n"
    "byte_strides strides, offset and storage_size are in bytes\n"
    "kind         'described', or what DLPack has no type for: 'byte_swapped', 'extended_float',\n"
    "             'bfloat_complex', or 'record' of the size of dtype";

/// The tensor that the arguments of `Array(...)` ask for. Throws an Error or Raised.
[[nodiscard]] Tensor create(PyObject* arguments, PyObject* keywords);

}  // namespace dlcert::reference::python
