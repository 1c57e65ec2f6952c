# SPDX-License-Identifier: Apache-2.0
"""What dpnp's from_dlpack makes of memory on the host: a NumPy array, by dpnp's own code.

Its own arrays lie on oneAPI devices, and are not shown: dlcert has no memory there.
"""

from __future__ import annotations

from typing import Any

import dlcert
import dpnp
import numpy

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_NUMPY = 64  # dimensions


class Dpnp(dlcert.Adapter):
    library = dpnp
    knows_read_only = True
    create = None
    dlpack_device = None
    export_capsule = None

    def can(self, spec: dlcert.Spec) -> bool:
        return False

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.plain and spec.dtype in DTYPES and len(spec.shape) <= MOST_OF_NUMPY

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        if device != (1, 0):
            raise dlcert.NotFormable
        return device

    def describe(self, tensor: numpy.ndarray) -> dlcert.Description:
        size = tensor.itemsize
        return dlcert.Description(
            CODES[tensor.dtype], tensor.shape, (1, 0),
            tuple(stride // size for stride in tensor.strides),
            tensor.__array_interface__["data"][0], (0, 0), not tensor.flags.writeable)

    def read(self, tensor: numpy.ndarray) -> bytes:
        return tensor.tobytes()

    def write(self, tensor: numpy.ndarray, data: bytes) -> None:
        tensor[...] = numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape)

    def alias(self, tensor: numpy.ndarray) -> numpy.ndarray:
        return tensor.view()

    def source_read(self) -> str:
        return "x.tobytes()"
