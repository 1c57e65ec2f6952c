# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays."""

from __future__ import annotations

import math
import os
from typing import Any, Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait busily

import dlcert
import numpy

def _parameters(call: Callable[..., Any], names: tuple[str, ...]) -> frozenset[str]:
    """Those of `names` that a function without a signature takes."""
    known = set()
    for name in names:
        try:
            call(**{name: None})
            known.add(name)
        except TypeError:
            pass
    return frozenset(known)


ONE = numpy.zeros(1)
EXPORT_ARGUMENTS = _parameters(ONE.__dlpack__, ("stream", "max_version", "dl_device", "copy"))


def _is_exported(name: str) -> bool:
    """Whether this release exports the dtype: bool since NumPy 1.25."""
    try:
        numpy.zeros(1, name).__dlpack__()
        return True
    except (BufferError, TypeError):
        return False


NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES
          if _is_exported(name)}
CODES = {dtype: code for code, dtype in DTYPES.items()}
STATES = {
    dlcert.State.RECORD: numpy.dtype([("first", "f8"), ("others", "i8", 3)]),
    dlcert.State.EXTENDED_FLOAT: numpy.dtype("longdouble"),
    dlcert.State.STRING: numpy.dtype("U8"),
}


def _most_dimensions() -> int:
    """Arrays have 64 since NumPy 2.0; that their elements can be read in order came later."""
    try:
        numpy.zeros((2, 2) + (1,) * 31).T.tobytes()
        return 64
    except (RuntimeError, ValueError):
        return 32


MOST_DIMENSIONS = _most_dimensions()


class NumPy(dlcert.Adapter):
    library = numpy
    array_type = numpy.ndarray
    export_arguments = EXPORT_ARGUMENTS
    import_arguments = _parameters(lambda **given: numpy.from_dlpack(ONE, **given), ("device", "copy"))
    knows_read_only = True

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.read_only and "max_version" not in self.export_arguments:
            return False  # a legacy tensor cannot say so, and NumPy refuses
        if spec.device != (1, 0) or spec.padded or len(spec.shape) > MOST_DIMENSIONS:
            return False
        return spec.state in STATES or (spec.dtype in DTYPES
                                        and spec.state in (0, dlcert.State.BYTE_SWAPPED))

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.state == 0 and self.can(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> Any:
        dtype = STATES.get(spec.state) or DTYPES[spec.dtype]
        if spec.state == dlcert.State.BYTE_SWAPPED:
            dtype = dtype.newbyteorder()
        unit = 1 if spec.byte_strides else dtype.itemsize
        storage = numpy.zeros(spec.storage_size * unit, numpy.uint8)
        array = numpy.ndarray(spec.shape, dtype, storage, spec.offset * unit,
                              tuple(stride * unit for stride in spec.strides))
        if spec.state not in STATES:
            array[...] = numpy.frombuffer(data, DTYPES[spec.dtype]).reshape(spec.shape)
        if spec.read_only:
            array.flags.writeable = False
        return array

    def device(self, device: tuple[int, int]) -> str:
        if device != (1, 0):
            raise dlcert.NotFormable
        return "cpu"

    def describe(self, tensor: Any) -> dlcert.Description:
        size = tensor.itemsize
        whole = all(stride % size == 0 for stride in tensor.strides)
        return dlcert.Description(
            CODES[tensor.dtype], tensor.shape, (1, 0),
            tuple(stride // size for stride in tensor.strides) if whole else None,
            tensor.__array_interface__["data"][0], (0, 0), not tensor.flags.writeable)

    def read(self, tensor: Any) -> bytes:
        return tensor.tobytes()

    def write(self, tensor: Any, data: bytes) -> None:
        tensor[...] = numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape)

    def alias(self, tensor: Any) -> Any:
        return tensor.view()

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if not self.can(spec):
            raise dlcert.NotFormable
        array = self.create(spec, data)
        plain = spec.state == dlcert.State.PLAIN and not spec.read_only
        if data and plain and spec.compact and spec.storage_size == math.prod(spec.shape):
            return f'numpy.frombuffer(bytes.fromhex("{data.hex()}"), "{array.dtype.name}").reshape({spec.shape}).copy()'
        dtype = array.dtype.descr if array.dtype.names else array.dtype.str
        kind = "bytes" if spec.read_only else "bytearray"
        offset = spec.offset * (1 if spec.byte_strides else array.itemsize)
        storage = array.base.tobytes().hex()
        return f'numpy.ndarray({spec.shape}, {dtype!r}, {kind}.fromhex("{storage}"), ' \
               f'{offset}, {array.strides})'

    def source_read(self) -> str:
        return "x.tobytes()"
