# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays, on the host, with 64-bit dtypes enabled."""

from __future__ import annotations

import mmap
from typing import Any, Callable

import dlcert
import jax
import jax.numpy
import ml_dtypes
import numpy

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128", "bfloat16", "float8_e3m4", "float8_e4m3",
         "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
         "float8_e8m0fnu")
DTYPES = {name: numpy.dtype(getattr(ml_dtypes, name, name)) for name in NAMES}
CPU = (1, 0)
PROGRAMS_KEPT = 100  # JAX compiles one for each shape and dtype that is copied, and keeps it: a megabyte


class Jax(dlcert.Adapter):
    library = jax
    dtypes = frozenset(NAMES)

    def __init__(self) -> None:
        self._copied: set[Any] = set()

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return jax.numpy.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        return (super().can(spec) and spec.compact and spec.storage_size == spec.size
                and len(spec.shape) <= 64)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return super().can(spec) and len(spec.shape) <= 64 and _is_permuted(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> jax.Array:
        place = _place(spec)
        memory = mmap.mmap(-1, place + len(data) + 1)
        memory[place:place + len(data)] = data
        values = numpy.frombuffer(memory, DTYPES[spec.dtype.name], spec.size, place)
        # jax.numpy.array() would compile a program for each shape.
        return jax.device_put(values.reshape(spec.shape)).block_until_ready()

    def describe(self, tensor: jax.Array) -> dlcert.Description:
        return super().describe(tensor)._replace(data=tensor.unsafe_buffer_pointer())

    def export_capsule(self, tensor: jax.Array, **arguments: Any) -> Any:
        if arguments.get("copy"):
            self._copied.add((tensor.dtype, tensor.shape))
            if len(self._copied) > PROGRAMS_KEPT:
                self._copied.clear()
                jax.clear_caches()
        return super().export_capsule(tensor, **arguments)

    def device(self, device: tuple[int, int]) -> jax.Device:
        if device != CPU:
            raise dlcert.NotFormable
        return jax.devices("cpu")[0]

    def source_device(self, device: tuple[int, int]) -> str:
        self.device(device)
        return 'jax.devices("cpu")[0]'

    def source_imports(self) -> str:
        return "import jax\nimport ml_dtypes, mmap, numpy\nfrom jax.numpy import from_dlpack\n" \
               'jax.config.update("jax_platforms", "cpu"); jax.config.update("jax_enable_x64", True)'

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        name = spec.dtype.name
        dtype = f"ml_dtypes.{name}" if hasattr(ml_dtypes, name) else f'"{name}"'
        place = _place(spec)
        memory = f"(m := mmap.mmap(-1, {place + len(data) + 1}), m.seek({place}), " \
                 f'm.write(bytes.fromhex("{data.hex()}")))[0]'
        return f"jax.device_put(numpy.frombuffer({memory}, {dtype}, {spec.size}, {place})" \
               f".reshape({spec.shape})).block_until_ready()"

    def source_read(self) -> str:
        return "numpy.asarray(x).tobytes()"


def _place(spec: dlcert.Spec) -> int:
    """Of elements in memory that begins at a multiple of 64: NumPy's elements there stay where they
    are, and others become JAX's own. JAX treats the two otherwise, so that there are both."""
    return 0 if len(spec.shape) % 2 else spec.dtype.itemsize


def _is_permuted(spec: dlcert.Spec) -> bool:
    """Whether the axes lie in memory without gaps, in any order."""
    expected = 1
    for stride, extent in sorted(zip(spec.strides, spec.shape)):
        if extent != 1 and stride != expected:
            return False
        expected *= max(extent, 1)
    return True
