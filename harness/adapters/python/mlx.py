# SPDX-License-Identifier: Apache-2.0
"""MLX's arrays, on the host."""

from __future__ import annotations

import ctypes

import dlcert
import mlx.core as mlx
import numpy

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "bfloat16", "complex64")
DTYPES = {dlcert.Adapter.named_dtype(name): getattr(mlx, "bool_" if name == "bool" else name)
          for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_PYTHON = 64  # dimensions of a buffer; MLX has no such limit


class Mlx(dlcert.Adapter):
    library = mlx
    name = "mlx"
    import_arguments = frozenset({"copy"})

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and not spec.read_only and spec.dtype in DTYPES

    def can_import(self, spec: dlcert.Spec) -> bool:
        # A float64 comes in as a float32.
        return (self.can(spec) and spec.dtype.name != "float64"
                and all(stride >= 0 for stride in spec.strides))

    def create(self, spec: dlcert.Spec, data: bytes) -> mlx.array:
        dtype = DTYPES[spec.dtype]
        if not data:
            return mlx.zeros(spec.shape, dtype)
        storage = mlx.array(numpy.frombuffer(dlcert.laid_out(spec, data), numpy.uint8)).view(dtype)
        array = mlx.as_strided(storage, spec.shape, spec.strides, spec.offset)
        mlx.eval(array)
        return array

    def describe(self, tensor: mlx.array) -> dlcert.Description:
        strides, address = None, 0
        if tensor.ndim <= MOST_OF_PYTHON:
            strides = tuple(stride // tensor.itemsize for stride in memoryview(tensor).strides)
            address = _address(tensor)
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, tensor.__dlpack_device__(),
                                  strides, address)

    def read(self, tensor: mlx.array) -> bytes:
        return memoryview(tensor.flatten()).tobytes()

    def source_imports(self) -> str:
        return "import mlx.core\nfrom mlx.core import from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        dtype = f"mlx.core.{'bool_' if spec.dtype.name == 'bool' else spec.dtype.name}"
        if not data:
            return f"mlx.core.zeros({spec.shape}, {dtype})"
        storage = f'mlx.core.array(bytearray.fromhex("{dlcert.laid_out(spec, data).hex()}")).view({dtype})'
        return f"mlx.core.as_strided({storage}, {spec.shape}, {spec.strides}, {spec.offset})"

    def source_read(self) -> str:
        return "memoryview(x.flatten()).tobytes()"


class _Buffer(ctypes.Structure):
    """Py_buffer, whose first member is the address."""

    _fields_ = [("address", ctypes.c_void_p), ("others", ctypes.c_void_p * 15)]


def _address(tensor: mlx.array) -> int:
    buffer = _Buffer()
    full_read_only = 0x11c
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), ctypes.byref(buffer),
                                        full_read_only)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return buffer.address or 0
