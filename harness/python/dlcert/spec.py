# SPDX-License-Identifier: Apache-2.0
"""Descriptions of the tensors that dlcert asks an adapter for."""

from __future__ import annotations

import enum
from typing import NamedTuple

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
SMALL_FLOATS = {
    7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 10: "float8_e4m3fn",
    11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu",
    15: "float6_e2m3fn", 16: "float6_e3m2fn", 17: "float4_e2m1fn",
}


class Dtype(NamedTuple):
    """A DLDataType, with the codes of dlpack.h."""

    code: int
    bits: int
    lanes: int

    @property
    def name(self) -> str:
        """The usual name: "float32", "bool", "bfloat16"; with "x4" for four lanes."""
        name = SMALL_FLOATS.get(self.code)
        if name is None or int(name[5]) != self.bits:
            kind = _KINDS.get(self.code, f"code{self.code}_")
            name = "bool" if (self.code, self.bits) == (6, 8) else f"{kind}{self.bits}"
        return name if self.lanes == 1 else f"{name}x{self.lanes}"

    @property
    def itemsize(self) -> int:
        """Bytes of an element, in memory and in logical bytes."""
        return (self.bits * self.lanes + 7) // 8


class State(enum.IntEnum):
    """States of data that DLPack cannot describe, or that the library does not export.

    dlcert/adapter.h describes each state: DLCERT_STATE_*.
    """

    PLAIN = 0
    BYTE_SWAPPED = 1
    RECORD = 2
    EXTENDED_FLOAT = 3
    BFLOAT_COMPLEX = 4
    QUANTIZED = 5
    REQUIRES_GRADIENT = 6
    CONJUGATE = 7
    NEGATED = 8
    SPARSE = 9
    STRING = 10
    MISSING = 11
    RAGGED = 12
    NOT_EXPORTED = 13


class Spec(NamedTuple):
    """Describes a tensor that dlcert asks for: a strided view on its own storage.

    Element (i0, i1, ...) is at position `offset + sum(ik * strides[k])` of a storage of
    `storage_size` elements. With `byte_strides`, all of these count bytes instead of elements.
    """

    dtype: Dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage_size: int
    device: tuple[int, int]
    read_only: bool
    padded: bool  # each element that is smaller than a byte has its own byte
    byte_strides: bool
    state: int  # a State

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def compact(self) -> bool:
        """Whether the tensor is row-major, without gaps and without offset."""
        if self.offset != 0 or self.byte_strides:
            return False
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides)):
            if stride != expected:
                return False
            expected *= max(extent, 1)
        return True

    @property
    def plain(self) -> bool:
        """Whether it is in host memory, in state PLAIN, with elements of whole bytes."""
        return (self.state == 0 and self.device == (1, 0) and self.dtype.bits % 8 == 0
                and not self.byte_strides and not self.padded)
