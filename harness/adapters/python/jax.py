# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays, on the host: row-major, immutable, with 64-bit dtypes enabled."""

from __future__ import annotations

from typing import Any

import dlcert
import jax
import ml_dtypes
import numpy

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "bfloat16", "complex64", "complex128", "float8_e3m4", "float8_e4m3",
         "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
         "float8_e8m0fnu")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(getattr(ml_dtypes, name, name))
          for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_NUMPY = 64  # dimensions


class Jax(dlcert.Adapter):
    library = jax

    @property
    def from_dlpack(self) -> Any:
        return jax.dlpack.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and not spec.read_only and spec.dtype in DTYPES \
            and spec._replace(offset=0).compact and len(spec.shape) <= MOST_OF_NUMPY

    def create(self, spec: dlcert.Spec, data: bytes) -> jax.Array:
        return jax.device_put(numpy.frombuffer(data, DTYPES[spec.dtype]).reshape(spec.shape)
                              ).block_until_ready()

    def describe(self, tensor: jax.Array) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, (1, 0), None,
                                  tensor.unsafe_buffer_pointer() if tensor.size else 0,
                                  read_only=False)

    def read(self, tensor: jax.Array) -> bytes:
        return numpy.asarray(tensor).tobytes()

    def device(self, device: tuple[int, int]) -> Any:
        if device != (1, 0):
            raise dlcert.NotFormable
        return jax.devices("cpu")[0]

    def source_imports(self) -> str:
        return 'import jax, ml_dtypes, numpy\njax.config.update("jax_enable_x64", True)\n' \
               "from jax.dlpack import from_dlpack"

    def source_device(self, device: tuple[int, int]) -> str:
        self.device(device)
        return 'jax.devices("cpu")[0]'

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        dtype = DTYPES[spec.dtype]
        module = "ml_dtypes" if hasattr(ml_dtypes, dtype.name) else "numpy"
        name = "bool_" if dtype.name == "bool" else dtype.name
        return f'jax.device_put(numpy.frombuffer(bytes.fromhex("{data.hex()}"), {module}.{name})' \
               f".reshape({spec.shape}))"

    def source_read(self) -> str:
        return "numpy.asarray(x).tobytes()"
