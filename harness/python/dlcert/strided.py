# SPDX-License-Identifier: Apache-2.0
"""dlcert's own producer, for libraries that make tensors by an import."""

from __future__ import annotations

import itertools
import math
from typing import Any

try:
    import _dlcert
except ImportError:  # only the interpreter of a worker has it
    pass

from dlcert.spec import Spec


class Strided:
    """Memory with the layout of a spec, and the two methods of the protocol."""

    def __init__(self, spec: Spec, data: bytes) -> None:
        self._spec = spec
        self._storage = laid_out(spec, data)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._spec.device

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        spec = self._spec
        if dl_device not in (None, spec.device) or copy:
            raise BufferError("expected no copy and the tensor's own device")
        versioned = max_version is not None and max_version[0] >= 1
        if spec.read_only and not versioned:
            raise BufferError("a read-only tensor needs max_version (1, 0)")
        return _dlcert.strided_capsule(self._storage, spec.dtype, spec.device, spec.shape,
                                       spec.strides, spec.offset * spec.dtype.itemsize, versioned,
                                       spec.read_only)


def laid_out(spec: Spec, data: bytes) -> bytes:
    """The bytes of the whole storage of `spec`, with each element in its place."""
    size = spec.dtype.itemsize
    if spec.compact and spec.storage_size == spec.size:
        return data
    storage = bytearray(spec.storage_size * size)
    if not data:
        return bytes(storage)
    if not spec.shape:
        storage[spec.offset * size:(spec.offset + 1) * size] = data
        return bytes(storage)
    # The elements along the longest axis are moved together.
    longest = max(range(len(spec.shape)), key=spec.shape.__getitem__)
    step, apart = spec.strides[longest] * size, math.prod(spec.shape[longest + 1:]) * size
    count = spec.shape[longest] if step else 1
    others = (range(1 if axis == longest else extent) for axis, extent in enumerate(spec.shape))
    rows = [math.prod(spec.shape[axis + 1:]) for axis in range(len(spec.shape))]
    for index in itertools.product(*others):
        at = (spec.offset + sum(map(int.__mul__, index, spec.strides))) * size
        element = sum(map(int.__mul__, index, rows)) * size
        for byte in range(size):
            values = data[element + byte:element + byte + (count - 1) * apart + 1:apart]
            storage[_places(at + byte, step or 1, count)] = values
    return bytes(storage)


def _places(first: int, step: int, count: int) -> slice:
    behind = first + step * count
    return slice(first, behind if behind >= 0 else None, step)
