# SPDX-License-Identifier: Apache-2.0
"""A producer of the adapter's own, for libraries that make tensors by importing them."""

from __future__ import annotations

import itertools
from typing import Any

import _dlcert
from dlcert.spec import Spec


class Strided:
    """Memory laid out as a spec says, with the protocol's two methods."""

    def __init__(self, spec: Spec, data: bytes) -> None:
        self._spec = spec
        self._storage = laid_out(spec, data)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._spec.device

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        spec = self._spec
        if dl_device not in (None, spec.device) or copy:
            raise BufferError("it is made where it is, without a copy")
        versioned = max_version is not None and max_version[0] >= 1
        if spec.read_only and not versioned:
            raise BufferError("a read-only tensor needs max_version (1, 0)")
        return _dlcert.strided_capsule(self._storage, spec.dtype, spec.device, spec.shape,
                                       spec.strides, spec.offset * spec.dtype.itemsize, versioned,
                                       spec.read_only)


def laid_out(spec: Spec, data: bytes) -> bytes:
    """The storage of `spec` with the logical bytes at their places."""
    size = spec.dtype.itemsize
    if spec.compact and spec.storage_size == spec.size:
        return data
    storage = bytearray(spec.storage_size * size)
    places = itertools.product(*(range(extent) for extent in spec.shape))
    for element, index in enumerate(places):
        at = (spec.offset + sum(map(int.__mul__, index, spec.strides))) * size
        storage[at:at + size] = data[element * size:(element + 1) * size]
    return bytes(storage)
