# SPDX-License-Identifier: Apache-2.0
"""DALI's tensors on the host, which are compact and made from NumPy's arrays or bare capsules."""

from __future__ import annotations

import ctypes
from typing import Any

import dlcert
import numpy
from nvidia import dali
from nvidia.dali import types
from nvidia.dali.tensors import TensorCPU

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64")
CODES = {getattr(types, "FLOAT" if name == "float32" else name.upper()):
         dlcert.Adapter.named_dtype(name) for name in NAMES}
DTYPES = frozenset(CODES.values())
MOST_OF_NUMPY = 64  # dimensions


class Dali(dlcert.Adapter):
    library = dali
    name = "dali"
    from_dlpack = None
    import_from = None

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and spec.compact and not spec.read_only and spec.dtype in DTYPES \
            and len(spec.shape) <= MOST_OF_NUMPY

    def create(self, spec: dlcert.Spec, data: bytes) -> TensorCPU:
        return TensorCPU(numpy.frombuffer(bytearray(data), spec.dtype.name).reshape(spec.shape))

    def describe(self, tensor: TensorCPU) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tuple(tensor.shape()),
                                  tuple(int(value) for value in tensor.__dlpack_device__()),
                                  None, tensor.data_ptr() or 0)

    def read(self, tensor: TensorCPU) -> bytes:
        return numpy.asarray(tensor).tobytes()

    def write(self, tensor: TensorCPU, data: bytes) -> None:
        ctypes.memmove(tensor.data_ptr(), data, len(data))

    def import_capsule(self, capsule: Any) -> TensorCPU:
        return TensorCPU(capsule)

    def source_imports(self) -> str:
        return "import numpy\nfrom nvidia.dali.tensors import TensorCPU\nfrom_dlpack = TensorCPU"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        return f'TensorCPU(numpy.frombuffer(bytearray.fromhex("{data.hex()}"), ' \
               f'"{spec.dtype.name}").reshape({spec.shape}))'

    def source_read(self) -> str:
        return "numpy.asarray(x).tobytes()"
