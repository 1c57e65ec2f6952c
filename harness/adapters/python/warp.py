# SPDX-License-Identifier: Apache-2.0
"""Warp's arrays, on the host: they are made from NumPy's arrays and share their memory."""

from __future__ import annotations

import math
from typing import Any

import dlcert
import numpy
import warp

warp.config.quiet = True
warp.init()

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "bfloat16")
DTYPES = {dlcert.Adapter.named_dtype(name): getattr(warp, name) for name in NAMES
          if hasattr(warp, name)}
CODES = {dtype: code for code, dtype in DTYPES.items()}


def _is_imported(name: str) -> bool:
    """Whether this release takes the dtype, which it exports: bool came later."""
    try:
        warp.from_dlpack(warp.zeros(1, getattr(warp, name), device="cpu"))
        return True
    except RuntimeError:
        return False


IMPORTED = {dtype for dtype in DTYPES if _is_imported(dtype.name)}
MOST_DIMENSIONS = 4
NUMBER_NAMES = frozenset(NAMES) - {"bool", "bfloat16"}  # of vectors and matrices
MOST_NUMBERS = 4  # along an axis of those, as far as Warp has names for them
GRADIENT_NAMES = ("float32", "float64")


@warp.struct
class Record:
    first: warp.float64
    others: warp.types.vector(3, warp.int64)


class Warp(dlcert.Adapter):
    library = warp
    export_arguments = frozenset({"stream"})
    import_arguments = frozenset()

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.state == dlcert.State.RECORD:
            return True
        if spec.state == dlcert.State.REQUIRES_GRADIENT:
            # The gradient's array has the same strides, and is a new one.
            return (spec.dtype.name in GRADIENT_NAMES and self.can(spec._replace(state=0))
                    and all(stride >= 0 for stride in spec.strides))
        # An array without dimensions becomes one of shape (1,). Strides are in bytes, of any number.
        return spec._replace(byte_strides=False).plain and not spec.read_only and spec.dtype in DTYPES \
            and (1 <= len(spec.shape) <= MOST_DIMENSIONS or _is_of_vectors(spec))

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.state == 0 and self.can(spec) and not spec.byte_strides \
            and len(spec.shape) <= MOST_DIMENSIONS and spec.dtype in IMPORTED

    def create(self, spec: dlcert.Spec, data: bytes) -> warp.array:
        if spec.state == dlcert.State.RECORD:
            return warp.zeros(spec.shape, Record, device="cpu")
        dtype, tracked = _element(spec), spec.state == dlcert.State.REQUIRES_GRADIENT
        if not data:
            return warp.empty(spec.shape[:MOST_DIMENSIONS], dtype, device="cpu", requires_grad=tracked)
        return warp.array(_array(spec, data), dtype, copy=False, device="cpu", requires_grad=tracked)

    def describe(self, tensor: warp.array) -> dlcert.Description:
        inner = getattr(tensor.dtype, "_shape_", ())  # of a vector or matrix
        code = CODES[tensor.dtype._wp_scalar_type_ if inner else tensor.dtype]
        strides = None
        if all(stride % code.itemsize == 0 for stride in tensor.strides):
            strides = tuple(stride // code.itemsize for stride in tensor.strides) \
                + tuple(math.prod(inner[axis + 1:]) for axis in range(len(inner)))
        return dlcert.Description(code, (*tensor.shape, *inner), tensor.__dlpack_device__(), strides,
                                  tensor.ptr or 0)

    def read(self, tensor: warp.array) -> bytes:
        return tensor.numpy().tobytes()

    def write(self, tensor: warp.array, data: bytes) -> None:
        array = tensor.numpy()
        array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)

    def alias(self, tensor: warp.array) -> warp.array:
        return tensor.view(tensor.dtype)

    def import_capsule(self, capsule: Any) -> warp.array:
        return warp.from_dlpack(capsule)

    def to_dlpack(self, tensor: warp.array) -> Any:
        return warp.to_dlpack(tensor)

    def source_imports(self) -> str:
        return "import numpy, warp\nfrom warp import from_dlpack\nwarp.init()"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state or _is_of_vectors(spec):
            raise dlcert.NotFormable
        dtype = f"warp.{spec.dtype.name}"
        if not data:
            return f'warp.empty({spec.shape}, {dtype}, device="cpu")'
        array = _array(spec, data)
        return f'warp.array(numpy.ndarray({spec.shape}, "{array.dtype.name}", ' \
               f'bytearray.fromhex("{array.base.tobytes().hex()}"), ' \
               f'{spec.offset * array.itemsize}, {array.strides}), {dtype}, copy=False, device="cpu")'

    def source_read(self) -> str:
        return "x.numpy().tobytes()"


def _is_of_vectors(spec: dlcert.Spec) -> bool:
    """Whether such a tensor is an array of four axes, of vectors or matrices, whose numbers have no gaps."""
    inner = spec.shape[MOST_DIMENSIONS:]
    return (1 <= len(inner) <= 2 and all(2 <= extent <= MOST_NUMBERS for extent in inner)
            and not spec.byte_strides and spec.state == 0 and spec.dtype.name in NUMBER_NAMES
            and spec.strides[MOST_DIMENSIONS:] == ((1,) if len(inner) == 1 else (inner[-1], 1)))


def _element(spec: dlcert.Spec) -> Any:
    """The dtype of Warp's that the array has."""
    inner, number = spec.shape[MOST_DIMENSIONS:], DTYPES[spec.dtype]
    if not inner:
        return number
    return warp.types.vector(*inner, number) if len(inner) == 1 else warp.types.matrix(inner, number)


def _array(spec: dlcert.Spec, data: bytes) -> numpy.ndarray:
    """NumPy's array of that layout; brain floats are taken as integers of their width."""
    dtype = numpy.dtype("uint16" if spec.dtype.name == "bfloat16" else spec.dtype.name)
    unit = _unit(spec, dtype)
    array = numpy.ndarray(spec.shape, dtype, numpy.zeros(spec.storage_size * unit, numpy.uint8),
                          spec.offset * unit, tuple(stride * unit for stride in spec.strides))
    array[...] = numpy.frombuffer(data, dtype).reshape(spec.shape)
    return array


def _unit(spec: dlcert.Spec, of: numpy.ndarray | numpy.dtype) -> int:
    """The bytes that strides and offset count."""
    return 1 if spec.byte_strides else of.itemsize
