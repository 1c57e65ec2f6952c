# SPDX-License-Identifier: Apache-2.0
"""CuPy's arrays, on CUDA devices and in managed memory.

They are made and read by copies alone: what a kernel writes is not known to a simulated device. For
those CuPy's wheel must be relinked (harness/adapters/recipes/relink_cupy.py).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from typing import Any, Iterator

import cupy
import dlcert
import numpy

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
CPU, CUDA, MANAGED = (1, 0), 2, (13, 0)
MOST_DIMENSIONS = 64


class Cupy(dlcert.Adapter):
    library = cupy

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec._replace(device=CPU).plain and not spec.read_only and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_DIMENSIONS and _is_there(spec.device)
                # CuPy allocates nothing for no bytes.
                and (spec.device != MANAGED or spec.storage_size > 0))

    def create(self, spec: dlcert.Spec, data: bytes) -> cupy.ndarray:
        """CuPy leaves the copy to the current stream, from pinned memory that it keeps so long. It
        takes managed memory for that of the device that is current here."""
        dtype, is_managed = DTYPES[spec.dtype], spec.device == MANAGED
        with cupy.cuda.Device() if is_managed else cupy.cuda.Device(spec.device[1]):
            storage = cupy.asarray(numpy.frombuffer(dlcert.laid_out(spec, data), numpy.uint8))
            memory = storage.data
            if is_managed:
                memory = cupy.cuda.malloc_managed(storage.nbytes)
                memory.copy_from_device_async(storage.data, storage.nbytes)
            return cupy.ndarray(spec.shape, dtype, memory + spec.offset * dtype.itemsize,
                                tuple(stride * dtype.itemsize for stride in spec.strides))

    def describe(self, tensor: cupy.ndarray) -> dlcert.Description:
        size, memory, device = tensor.dtype.itemsize, tensor.data.mem, tensor.__dlpack_device__()
        if device[0] == MANAGED[0]:
            device = MANAGED
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, device,
                                  tuple(stride // size for stride in tensor.strides),
                                  tensor.data.ptr, (memory.ptr, memory.size))

    def read(self, tensor: cupy.ndarray) -> bytes:
        if tensor.size == 0:
            return b""
        reaches = [(extent - 1) * step for extent, step in zip(tensor.shape, tensor.strides)]
        low = sum(reach for reach in reaches if reach < 0)
        span = sum(map(abs, reaches)) + tensor.dtype.itemsize
        with tensor.device:
            memory = cupy.ndarray((span,), numpy.uint8, tensor.data + low).get()
        return numpy.ndarray(tensor.shape, tensor.dtype, memory, -low, tensor.strides).tobytes()

    def write(self, tensor: cupy.ndarray, data: bytes) -> None:
        """Part by part, as a copy without a kernel can; an axis with stride 0 has one element."""
        if not data:
            return
        once = tuple(slice(0, 1) if step == 0 else slice(None) for step in tensor.strides)
        tensor, values = tensor[once], numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape)[once]
        with tensor.device:
            source = cupy.asarray(numpy.ascontiguousarray(values))
            whole = tensor.flags.c_contiguous
            for index in [()] if whole else itertools.product(*map(range, tensor.shape)):
                part = tensor[index]
                part.data.copy_from_device_async(source[index].data, part.nbytes)

    def alias(self, tensor: cupy.ndarray) -> cupy.ndarray:
        return tensor.view()

    def import_capsule(self, capsule: Any) -> cupy.ndarray:
        return cupy.from_dlpack(capsule)

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        return device

    # ---- streams ----

    @contextlib.contextmanager
    def run_with_stream(self, device: tuple[int, int], stream: int) -> Iterator[None]:
        own = _index(device)
        given = cupy.cuda.ExternalStream(stream, own) if stream else cupy.cuda.Stream.null
        with cupy.cuda.Device(own):
            before = cupy.cuda.get_current_stream()
            given.use()
        try:
            yield
        finally:
            with cupy.cuda.Device(own):
                before.use()

    def current_stream(self, device: tuple[int, int]) -> int:
        with cupy.cuda.Device(_index(device)):
            return cupy.cuda.get_current_stream().ptr

    def synchronize(self, device: tuple[int, int]) -> None:
        cupy.cuda.Device(_index(device)).synchronize()

    def current_device(self, device_type: int) -> int:
        if device_type != CUDA:
            raise dlcert.NotFormable
        return cupy.cuda.Device().id

    # ---- programs ----

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        dtype = DTYPES[spec.dtype]
        steps = tuple(stride * dtype.itemsize for stride in spec.strides)
        data = dlcert.laid_out(spec, data)
        memory = f'cupy.asarray(numpy.frombuffer(bytes.fromhex("{data.hex()}"), "u1"))'
        if spec.device == MANAGED:
            memory = f"managed({memory})"
        return f'cupy.ndarray({spec.shape}, "{dtype}", ' \
               f"{memory}.data + {spec.offset * dtype.itemsize}, {steps})"

    def source_imports(self) -> str:
        return "import cupy, numpy\nfrom cupy import from_dlpack\n" \
               'managed = lambda x: (y := cupy.ndarray(x.shape, "u1", cupy.cuda.malloc_managed(x.nbytes)), ' \
               "y.data.copy_from_device(x.data, x.nbytes))[0]"

    def source_read(self) -> str:
        return "x.get().tobytes()"

    def source_run_with_stream(self, device: tuple[int, int], stream: str) -> str:
        """The device is current then: CuPy leaves a stream for the device that is."""
        own = _index(device)
        return "cupy.cuda.Stream.null" if stream == "0" else f"cupy.cuda.ExternalStream({stream}, {own})"

    def source_write(self, data: bytes) -> str:
        """A copy without a kernel takes an element, or an array without gaps."""
        memory = f'cupy.asarray(numpy.frombuffer(bytes.fromhex("{data.hex()}"), x.dtype))'
        return f"[x[i].data.copy_from_device_async(v.data, v.nbytes) " \
               f"for i, v in zip(numpy.ndindex(x.shape), {memory})]"


@functools.cache
def _devices() -> int:
    try:
        return cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0


def _is_there(device: tuple[int, int]) -> bool:
    if device == MANAGED:
        return _devices() > 0
    return device[0] == CUDA and 0 <= device[1] < _devices()


def _index(device: tuple[int, int]) -> int:
    if device == MANAGED or not _is_there(device):
        raise dlcert.NotFormable
    return device[1]
