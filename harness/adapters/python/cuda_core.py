# SPDX-License-Identifier: Apache-2.0
"""cuda.core's StridedMemoryViews, which are made by importing and export again, on the host."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import cuda.core
import dlcert
import numpy
from cuda.core.utils import StridedMemoryView

NO_STREAM = -1  # it must be said on the host as well
NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_NUMPY = 64  # dimensions


def _told(source: Any, **arguments: Any) -> StridedMemoryView:
    """A view that has told what it is: what it does not take, it refuses only when it is asked."""
    view = StridedMemoryView.from_dlpack(source, stream_ptr=NO_STREAM, **arguments)
    view.dtype, view.shape
    return view


class View(dlcert.Adapter):
    library = cuda.core
    name = "cuda_core"
    array_type = StridedMemoryView
    import_arguments = frozenset()
    knows_read_only = True
    from_dlpack = staticmethod(_told)

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and spec.dtype in DTYPES and len(spec.shape) <= MOST_OF_NUMPY

    def describe(self, tensor: StridedMemoryView) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, tensor.__dlpack_device__(),
                                  tensor.strides, tensor.ptr, (0, 0), tensor.readonly)

    def read(self, tensor: StridedMemoryView) -> bytes:
        return _array(tensor).tobytes()

    def write(self, tensor: StridedMemoryView, data: bytes) -> None:
        array = _array(tensor)
        array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)

    def alias(self, tensor: StridedMemoryView) -> StridedMemoryView:
        return tensor.view()

    def source_imports(self) -> str:
        return "import numpy\nfrom cuda.core.utils import StridedMemoryView\n" \
               "from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(" \
               f"StridedMemoryView.from_dlpack(source, stream_ptr={NO_STREAM}))"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        size = spec.dtype.itemsize
        kind = "bytes" if spec.read_only else "bytearray"
        return f'from_dlpack(numpy.ndarray({spec.shape}, "{spec.dtype.name}", ' \
               f'{kind}.fromhex("{dlcert.laid_out(spec, data).hex()}"), {spec.offset * size}, ' \
               f"{tuple(stride * size for stride in spec.strides)}))"

    def source_read(self) -> str:
        return "numpy.from_dlpack(x).tobytes()"


def _array(view: StridedMemoryView) -> numpy.ndarray:
    """NumPy's array on the memory of a view, which exports nothing."""
    strides = view.strides and tuple(
        stride * view.dtype.itemsize if extent > 1 else 0
        for extent, stride in zip(view.shape, view.strides))
    return numpy.asarray(SimpleNamespace(__array_interface__={
        "data": (view.ptr, view.readonly), "shape": view.shape, "strides": strides,
        "typestr": view.dtype.str, "version": 3}))
