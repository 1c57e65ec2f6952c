# SPDX-License-Identifier: Apache-2.0
"""The tensors of apache-tvm-ffi, which are made by importing others and carry any dtype."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import _dlcert
import dlcert
import numpy
import tvm_ffi

COMPLEX = 5  # has no dtype here, and is carried nevertheless


class TvmFfi(dlcert.Adapter):
    library = tvm_ffi
    array_type = tvm_ffi.Tensor
    import_arguments = frozenset()
    passes_codes_through = True

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and not spec.read_only and spec.dtype.code != COMPLEX

    def describe(self, tensor: tvm_ffi.Tensor) -> dlcert.Description:
        return dlcert.Description(_dtype(tensor), tensor.shape, tensor.__dlpack_device__(),
                                  tensor.strides, tensor.data_ptr())

    def import_capsule(self, capsule: Any) -> tvm_ffi.Tensor:
        return tvm_ffi.from_dlpack(capsule)

    def source_imports(self) -> str:
        return "import tvm_ffi\nimport numpy\nfrom tvm_ffi import from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        name, size = spec.dtype.name, spec.dtype.itemsize
        if not hasattr(numpy, name):
            raise dlcert.NotFormable
        return f'tvm_ffi.from_dlpack(numpy.ndarray({spec.shape}, "{name}", bytearray.fromhex(' \
               f'"{dlcert.laid_out(spec, data).hex()}"), {spec.offset * size}, ' \
               f"{tuple(stride * size for stride in spec.strides)}))"

    def source_read(self) -> str:
        return "numpy.from_dlpack(x).tobytes()"


def _dtype(tensor: tvm_ffi.Tensor) -> tuple[int, int, int]:
    try:
        return tensor.dtype.type_code, tensor.dtype.bits, tensor.dtype.lanes
    except ValueError:
        holder = tensor.__dlpack__()
        behind_device_and_rank = _dlcert.capsule_pointer(holder, "dltensor") + 20
        return struct.unpack("BBH", ctypes.string_at(behind_device_and_rank, 4))
