# SPDX-License-Identifier: Apache-2.0
"""A library of arrays that needs nothing but the interpreter, and does what the protocol says."""

from __future__ import annotations

import _dlcert

__version__ = "1.2.3"


class Array:
    """Compact rows of bytes, with a dtype (code, bits, lanes)."""

    def __init__(self, data: bytes, dtype=(2, 32, 1), shape=(1,)) -> None:
        self.data, self.dtype, self.shape = bytes(data), tuple(dtype), tuple(shape)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        strides, step = [], 1
        for extent in reversed(self.shape):
            strides.insert(0, step)
            step *= extent
        return _dlcert.strided_capsule(self.data, self.dtype, (1, 0), self.shape, strides, 0,
                                       max_version is not None, False)


def from_dlpack(x, /, *, device=None, copy=None):
    """A copy of what `x` has, as float32."""
    x.__dlpack_device__()
    return Array(_dlcert.logical_bytes(x.__dlpack__(max_version=(1, 3), copy=copy)))
