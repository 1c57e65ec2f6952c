# SPDX-License-Identifier: Apache-2.0
"""The library of the page on Python: compact arrays, which are NumPy's inside."""

from __future__ import annotations

from typing import Any

import numpy

__version__ = "2.0"


class Array:
    def __init__(self, values: numpy.ndarray) -> None:
        self._values = values

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def dtype(self) -> numpy.dtype:
        return self._values.dtype

    def tobytes(self) -> bytes:
        return self._values.tobytes()

    def setbytes(self, data: bytes) -> None:
        self._values[...] = numpy.frombuffer(data, self.dtype).reshape(self.shape)

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._values.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._values.__dlpack_device__()


def frombytes(data: bytes, dtype: str, shape: tuple[int, ...]) -> Array:
    return Array(numpy.frombuffer(data, dtype).reshape(shape).copy())


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    return Array(numpy.from_dlpack(x, device=device, copy=copy))
