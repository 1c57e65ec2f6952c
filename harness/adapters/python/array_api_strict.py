# SPDX-License-Identifier: Apache-2.0
"""array-api-strict's arrays, which are NumPy's inside."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's threads wait busily

import array_api_strict
import dlcert
import numpy


CPU = (1, 0)
# In the order of their numbers here; DLPack calls all of them cpu:0.
DEVICES = [array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1", "device2")]


class ArrayApiStrict(dlcert.Adapter):
    library = array_api_strict
    knows_read_only = True  # as NumPy

    @property
    def array_type(self) -> type:
        return type(array_api_strict.asarray(0))

    def can(self, spec: dlcert.Spec) -> bool:
        return (super().can(spec._replace(device=CPU, read_only=False)) and len(spec.shape) <= 64
                and _is_there(spec.device))

    def create(self, spec: dlcert.Spec, data: bytes) -> Any:
        dtype = numpy.dtype(spec.dtype.name)
        array = numpy.ndarray(spec.shape, dtype, numpy.zeros(spec.storage_size, dtype),
                              spec.offset * dtype.itemsize,
                              tuple(stride * dtype.itemsize for stride in spec.strides))
        array[...] = numpy.frombuffer(data, dtype).reshape(spec.shape)
        array.flags.writeable = not spec.read_only
        return array_api_strict.asarray(array, device=self.device(spec.device), copy=False)

    def describe(self, tensor: Any) -> dlcert.Description:
        number = DEVICES.index(tensor.device)
        return super().describe(tensor)._replace(device=(1, number),
                                                 read_only=not tensor._array.flags.writeable)

    def device(self, device: tuple[int, int]) -> Any:
        if not _is_there(device):
            raise dlcert.NotFormable
        return DEVICES[device[1]]

    def source_device(self, device: tuple[int, int]) -> str:
        return repr(self.device(device))

    def source_imports(self) -> str:
        return super().source_imports() + "\nimport numpy"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        array = numpy.asarray(self.create(spec, data)._array)
        storage = array.base.tobytes() if array.base is not None else b""
        kind = "bytes" if spec.read_only else "bytearray"
        return f'array_api_strict.asarray(numpy.ndarray({spec.shape}, "{array.dtype.name}", ' \
               f'{kind}.fromhex("{storage.hex()}"), {spec.offset * array.itemsize}, ' \
               f"{array.strides}), device={self.source_device(spec.device)}, copy=False)"

    def source_read(self) -> str:
        return "numpy.from_dlpack(x).tobytes()"


def _is_there(device: tuple[int, int]) -> bool:
    return device[0] == 1 and 0 <= device[1] < len(DEVICES)
