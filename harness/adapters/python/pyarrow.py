# SPDX-License-Identifier: Apache-2.0
"""Arrow's tensors, which are made from NumPy's arrays and share their memory."""

from __future__ import annotations

from typing import Any, Callable

import dlcert
import numpy
import pyarrow

NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {pyarrow.from_numpy_dtype(dtype): code for code, dtype in DTYPES.items()}

MOST_OF_NUMPY = 64  # dimensions; Arrow's tensors have no such limit


class Tensor(dlcert.Adapter):
    library = pyarrow
    knows_read_only = True

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return pyarrow.Tensor.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.device == (1, 0) and spec.state == 0 and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_OF_NUMPY and all(stride >= 0 for stride in spec.strides))

    def can_import(self, spec: dlcert.Spec) -> bool:
        return self.can(spec) and not spec.byte_strides

    def create(self, spec: dlcert.Spec, data: bytes) -> pyarrow.Tensor:
        return pyarrow.Tensor.from_numpy(_array(spec, data))

    def describe(self, tensor: pyarrow.Tensor) -> dlcert.Description:
        size = tensor.type.bit_width // 8
        of_numpy = tensor.to_numpy() if tensor.ndim <= MOST_OF_NUMPY else None
        whole = all(stride % size == 0 for stride in tensor.strides)
        return dlcert.Description(
            CODES[tensor.type], tensor.shape, (1, 0),
            tuple(stride // size for stride in tensor.strides) if whole else None,
            0 if of_numpy is None else of_numpy.__array_interface__["data"][0],
            (0, 0), not tensor.is_mutable)

    def read(self, tensor: pyarrow.Tensor) -> bytes:
        return tensor.to_numpy().tobytes() if tensor.ndim <= MOST_OF_NUMPY else super().read(tensor)

    def write(self, tensor: pyarrow.Tensor, data: bytes) -> None:
        array = tensor.to_numpy()
        if not array.flags.writeable:
            raise BufferError("the tensor is read-only")
        array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)

    def alias(self, tensor: pyarrow.Tensor) -> pyarrow.Tensor:
        return pyarrow.Tensor.from_numpy(tensor.to_numpy())

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        return device

    def source_imports(self) -> str:
        return "import pyarrow\nimport numpy\nfrom_dlpack = pyarrow.Tensor.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        array = _array(spec, data)
        unit = 1 if spec.byte_strides else array.itemsize
        kind = "bytes" if spec.read_only else "bytearray"
        return f'pyarrow.Tensor.from_numpy(numpy.ndarray({spec.shape}, "{array.dtype.name}", ' \
               f'{kind}.fromhex("{array.base.tobytes().hex()}"), {spec.offset * unit}, ' \
               f"{array.strides}))"

    def source_read(self) -> str:
        return "x.to_numpy().tobytes()"


def _array(spec: dlcert.Spec, data: bytes) -> numpy.ndarray:
    dtype = DTYPES[spec.dtype]
    unit = 1 if spec.byte_strides else dtype.itemsize
    storage = numpy.zeros(spec.storage_size * unit, numpy.uint8)
    array = numpy.ndarray(spec.shape, dtype, storage, spec.offset * unit,
                          tuple(stride * unit for stride in spec.strides))
    array[...] = numpy.frombuffer(data, dtype).reshape(spec.shape)
    if spec.read_only:
        array.flags.writeable = False
    return array
