# SPDX-License-Identifier: Apache-2.0
"""Arrow's arrays of numbers, which have one axis, no gaps, and are never written."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import dlcert
import pyarrow

NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64")
TYPES = {dlcert.Adapter.named_dtype(name): pyarrow.type_for_alias(name) for name in NAMES}
CODES = {kind: code for code, kind in TYPES.items()}
BOOL = dlcert.Adapter.named_dtype("bool")  # of one bit, here
STATES = {
    dlcert.State.STRING: '["one", "two"]',
    dlcert.State.MISSING: "[1.0, None]",
    dlcert.State.RAGGED: "[[1.0], [2.0, 3.0]]",
}


class Array(dlcert.Adapter):
    library = pyarrow
    name = "pyarrow_array"
    knows_read_only = True

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return pyarrow.Array.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.state:
            return _values(spec) is not None
        return self.can_import(spec) and spec.read_only

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec.device == (1, 0) and spec.state == 0 and spec.dtype in TYPES
                and not spec.byte_strides and len(spec.shape) == 1 and spec.strides == (1,))

    def create(self, spec: dlcert.Spec, data: bytes) -> pyarrow.Array:
        if spec.state:
            return pyarrow.array(eval(_values(spec)))
        return pyarrow.Array.from_buffers(TYPES[spec.dtype], spec.shape[0],
                                          [None, pyarrow.py_buffer(_storage(spec, data))],
                                          offset=spec.offset)

    def describe(self, tensor: pyarrow.Array) -> dlcert.Description:
        buffer = tensor.buffers()[1]
        at = buffer.address + tensor.offset * (tensor.type.bit_width // 8)
        return dlcert.Description(CODES[tensor.type], (len(tensor),), (1, 0), (1,), at,
                                  (buffer.address, buffer.size), True)

    def read(self, tensor: pyarrow.Array) -> bytes:
        return ctypes.string_at(self.describe(tensor).data, len(tensor) * tensor.type.bit_width // 8)

    def alias(self, tensor: pyarrow.Array) -> pyarrow.Array:
        return tensor.slice()

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        return device

    def source_imports(self) -> str:
        return "import pyarrow\nfrom_dlpack = pyarrow.Array.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state:
            return f"pyarrow.array({_values(spec)})"
        return f'pyarrow.Array.from_buffers(pyarrow.type_for_alias("{spec.dtype.name}"), ' \
               f'{spec.shape[0]}, [None, pyarrow.py_buffer(bytes.fromhex(' \
               f'"{_storage(spec, data).hex()}"))], offset={spec.offset})'

    def source_read(self) -> str:
        return "x.to_numpy(zero_copy_only=False).tobytes()"


def _values(spec: dlcert.Spec) -> str | None:
    """The values, in Python, of an array in this state; None: Arrow has none, or exports it."""
    if spec.state == dlcert.State.NOT_EXPORTED and spec.dtype == BOOL:
        return "[True, False]"
    return STATES.get(spec.state)


def _storage(spec: dlcert.Spec, data: bytes) -> bytes:
    size = spec.dtype.itemsize
    before = bytes(spec.offset * size)
    return before + data + bytes(spec.storage_size * size - len(before) - len(data))
