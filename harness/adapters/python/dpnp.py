# SPDX-License-Identifier: Apache-2.0
"""dpnp's arrays on its first oneAPI device, of which dlcert reads the descriptors alone, and what its from_dlpack makes of
memory on the host: a NumPy array, by dpnp's own code.
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
HOST = (1, 0)
ONEAPI = (14, 0)


def _has_device() -> bool:
    try:
        return dpnp.empty(1).__dlpack_device__() == ONEAPI
    except Exception:  # SYCL's own, where there is no device
        return False


class Dpnp(dlcert.Adapter):
    library = dpnp
    knows_read_only = True

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.device == ONEAPI and spec._replace(device=HOST).plain and not spec.read_only
                and spec.compact and spec.dtype in DTYPES)

    def create(self, spec: dlcert.Spec, data: bytes) -> dpnp.ndarray:
        return dpnp.asarray(numpy.frombuffer(data, DTYPES[spec.dtype]).reshape(spec.shape))

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.plain and spec.dtype in DTYPES and len(spec.shape) <= MOST_OF_NUMPY

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        if device != HOST:
            raise dlcert.NotFormable
        return device

    def describe(self, tensor: numpy.ndarray | dpnp.ndarray) -> dlcert.Description:
        if isinstance(tensor, dpnp.ndarray):
            return dlcert.Description(CODES[numpy.dtype(tensor.dtype)], tensor.shape, ONEAPI)
        size = tensor.itemsize
        return dlcert.Description(
            CODES[tensor.dtype], tensor.shape, (1, 0),
            tuple(stride // size for stride in tensor.strides),
            tensor.__array_interface__["data"][0], (0, 0), not tensor.flags.writeable)

    def export_capsule(self, tensor: numpy.ndarray | dpnp.ndarray, **arguments: Any) -> Any:
        if not isinstance(tensor, dpnp.ndarray):
            raise dlcert.NotFormable  # an import is NumPy's array, and so would be its export
        return super().export_capsule(tensor, **arguments)

    def read(self, tensor: numpy.ndarray) -> bytes:
        return tensor.tobytes()

    def write(self, tensor: numpy.ndarray, data: bytes) -> None:
        tensor[...] = numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape)

    def alias(self, tensor: numpy.ndarray) -> numpy.ndarray:
        return tensor.view()

    def source_imports(self) -> str:
        return super().source_imports() + "\nimport numpy"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        return f'dpnp.asarray(numpy.frombuffer(bytes.fromhex("{data.hex()}"), "{spec.dtype.name}")' \
               f".reshape({spec.shape}))"

    def source_read(self) -> str:
        return "x.tobytes()"

    if not _has_device():
        create = dlpack_device = export_capsule = None
