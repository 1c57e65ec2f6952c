# SPDX-License-Identifier: Apache-2.0
"""A small library of vectors that keeps the rules: what hostile ones depart from."""

from __future__ import annotations

import ctypes
from typing import Any

import _dlcert

__version__ = "1.0"

_NAMES = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (2, 32): "float32",
          (2, 64): "float64"}


class Array:
    """A vector with bytes of its own."""

    def __init__(self, dtype: tuple[int, int, int], shape: tuple[int, ...], data: bytes) -> None:
        self.code = dtype
        self.shape = shape
        self.data = data

    @property
    def dtype(self) -> str:
        return _NAMES[self.code[:2]]

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        versioned = max_version is not None and max_version[0] >= 1
        return _dlcert.strided_capsule(self.data, self.code, (1, 0), self.shape, (1,), 0, versioned,
                                       False)


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64))]


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """A vector of the same elements."""
    x.__dlpack_device__()
    return of_capsule(x.__dlpack__(max_version=(1, 0)))


def of_capsule(capsule: Any) -> Array:
    """A vector of the elements in a capsule, which is used from now on."""
    behind_version_and_flags = 32
    tensor = _Tensor.from_address(
        _dlcert.capsule_pointer(capsule, "dltensor_versioned") + behind_version_and_flags)
    dtype, shape = (tensor.code, tensor.bits, tensor.lanes), tuple(tensor.shape[:tensor.ndim])
    return Array(dtype, shape, _dlcert.logical_bytes(capsule))
