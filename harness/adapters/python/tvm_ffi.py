# SPDX-License-Identifier: Apache-2.0
"""The tensors of apache-tvm-ffi, which are made by importing others and carry any dtype."""

from __future__ import annotations

from typing import Any

import dlcert
import tvm_ffi

COMPLEX = 5


class TvmFfi(dlcert.Adapter):
    library = tvm_ffi
    array_type = tvm_ffi.Tensor
    import_arguments = frozenset()
    passes_codes_through = True

    def can(self, spec: dlcert.Spec) -> bool:
        # Complex numbers are carried as well, but it has no name for their dtype.
        return spec.plain and not spec.read_only and spec.dtype.code != COMPLEX

    def describe(self, tensor: tvm_ffi.Tensor) -> dlcert.Description:
        dtype = tensor.dtype
        return dlcert.Description((dtype.type_code, dtype.bits, dtype.lanes), tensor.shape,
                                  tensor.__dlpack_device__(), tensor.strides, tensor.data_ptr())

    def import_capsule(self, capsule: Any) -> tvm_ffi.Tensor:
        return tvm_ffi.from_dlpack(capsule)
