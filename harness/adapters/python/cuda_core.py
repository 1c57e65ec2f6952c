# SPDX-License-Identifier: Apache-2.0
"""cuda.core's StridedMemoryViews: on the host of other libraries' memory, on CUDA devices of its own
buffers.

cuda.core has no current stream: who calls it names one each time. So does this adapter.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import threading
from types import SimpleNamespace
from typing import Any, Iterator

import cuda.core
import dlcert
import numpy
from cuda.bindings import driver
from cuda.core import Buffer, Device, LegacyPinnedMemoryResource, Stream
from cuda.core.utils import StridedMemoryView

NO_STREAM = -1  # it must be said on the host as well
NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_NUMPY = 64  # dimensions
CPU = (1, 0)
CUDA, PINNED, MANAGED = 2, (3, 0), (13, 0)
RING = 4 << 20  # bytes


class View(dlcert.Adapter):
    library = cuda.core
    name = "cuda_core"
    array_type = StridedMemoryView
    import_arguments = frozenset()
    knows_read_only = True

    def __init__(self) -> None:
        self._streams = threading.local()
        self._ring = _Ring()

    def can(self, spec: dlcert.Spec) -> bool:
        return self.can_import(spec) and spec.device != MANAGED

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec._replace(device=CPU).plain and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_OF_NUMPY and _is_there(spec.device))

    def create(self, spec: dlcert.Spec, data: bytes) -> StridedMemoryView:
        if spec.device == CPU:
            return super().create(spec, data)
        dtype, memory = DTYPES[spec.dtype], dlcert.laid_out(spec, data)
        with self._working_on(spec.device) as stream:
            buffer = _pinned(memory) if spec.device == PINNED else self._on_device(memory, stream)
            begin = Buffer.from_handle(buffer.handle + spec.offset * dtype.itemsize,
                                       buffer.size - spec.offset * dtype.itemsize, owner=buffer)
            return StridedMemoryView.from_buffer(begin, spec.shape, spec.strides, dtype=dtype,
                                                 is_readonly=spec.read_only)

    def from_dlpack(self, source: Any) -> StridedMemoryView:
        """A view that has told what it is: what it does not take, it refuses only when it is asked."""
        device = source.__dlpack_device__()
        with self._working_on(device) as stream:
            handle = int(stream.handle) if stream else NO_STREAM
            view = StridedMemoryView.from_dlpack(source, stream_ptr=handle)
        view.dtype, view.shape
        return view

    def describe(self, tensor: StridedMemoryView) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, tensor.__dlpack_device__(),
                                  tensor.strides, tensor.ptr, (0, 0), tensor.readonly)

    def read(self, tensor: StridedMemoryView) -> bytes:
        device = tensor.__dlpack_device__()
        with self._working_on(device) as stream:
            if device[0] != CUDA:
                if device != CPU:
                    stream.sync()
                return _array(tensor).tobytes()
            if tensor.size == 0:
                return b""
            low, high = _span(tensor)
            copied = LegacyPinnedMemoryResource().allocate(high - low)
            _part(tensor, low, high - low).copy_to(copied, stream=stream)
            stream.sync()
            return _array(tensor, int(copied.handle) - low).tobytes()

    def write(self, tensor: StridedMemoryView, data: bytes) -> None:
        device = tensor.__dlpack_device__()
        with self._working_on(device) as stream:
            if device[0] != CUDA:
                array = _array(tensor)
                array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)
                return
            for place, part in _runs(tensor, data):
                self._copy(part, _part(tensor, place, len(part)), stream)

    def alias(self, tensor: StridedMemoryView) -> StridedMemoryView:
        return tensor.view()

    # ---- streams ----

    @contextlib.contextmanager
    def run_with_stream(self, device: tuple[int, int], stream: int) -> Iterator[None]:
        own = _index(device)
        streams = self._streams.__dict__
        before = streams.get(own)
        streams[own] = Stream.from_handle(stream) if stream else None
        try:
            yield
        finally:
            streams[own] = before

    def current_stream(self, device: tuple[int, int]) -> int:
        raise dlcert.NotFormable

    def synchronize(self, device: tuple[int, int]) -> None:
        # Device.sync() does it by a cudart that was linked statically.
        with self._working_on((CUDA, _index(device))):
            driver.cuCtxSynchronize()

    def current_device(self, device_type: int) -> int:
        if device_type != CUDA:
            raise dlcert.NotFormable
        return Device().device_id

    # ---- programs ----

    def source_imports(self) -> str:
        return "import numpy\nfrom cuda.core.utils import StridedMemoryView\n" \
               "from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(" \
               f"StridedMemoryView.from_dlpack(source, stream_ptr={NO_STREAM}))"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.device != CPU:
            raise dlcert.NotFormable
        size = spec.dtype.itemsize
        kind = "bytes" if spec.read_only else "bytearray"
        return f'from_dlpack(numpy.ndarray({spec.shape}, "{spec.dtype.name}", ' \
               f'{kind}.fromhex("{dlcert.laid_out(spec, data).hex()}"), {spec.offset * size}, ' \
               f"{tuple(stride * size for stride in spec.strides)}))"

    def source_read(self) -> str:
        return "numpy.from_dlpack(x).tobytes()"

    # ---- on devices ----

    @contextlib.contextmanager
    def _working_on(self, device: tuple[int, int]) -> Iterator[Stream | None]:
        """With the device current on this thread; gives the stream for work on it."""
        if device[0] not in (CUDA, PINNED[0], MANAGED[0]):
            yield None
            return
        index = device[1] if device[0] == CUDA else Device().device_id
        with _current(Device(index)):
            yield self._streams.__dict__.get(index) or cuda.core.LEGACY_DEFAULT_STREAM

    def _on_device(self, memory: bytes, stream: Stream) -> Buffer:
        """A byte more: a view without elements at the end of the memory lies in it, too."""
        buffer = Device().allocate(len(memory) + 1, stream=stream)
        if memory:
            part = Buffer.from_handle(buffer.handle, len(memory), owner=buffer)
            self._copy(memory, part, stream)
        return buffer

    def _copy(self, memory: bytes, target: Buffer, stream: Stream) -> None:
        """Left to the stream, as a program's work would be."""
        target.copy_from(self._ring.holding(memory), stream=stream)


class _Ring:
    """Pinned memory that copies read at any time: a place is used again when all have run."""

    def __init__(self) -> None:
        self._kept: list[Buffer] = []
        self._used = RING

    def holding(self, data: bytes) -> Buffer:
        if self._used + len(data) > RING:
            for device in Device.get_all_devices() if self._kept else ():
                with _current(device):
                    driver.cuCtxSynchronize()
            self._kept[1:] = []
            self._used = 0
        if not self._kept:
            self._kept = [_pinned(bytes(RING))]
        if len(data) > RING:
            self._kept.append(_pinned(data))
            return self._kept[-1]
        place = int(self._kept[0].handle) + self._used
        ctypes.memmove(place, data, len(data))
        self._used += len(data)
        return Buffer.from_handle(place, len(data), owner=self._kept[0])


@contextlib.contextmanager
def _current(device: Device) -> Iterator[None]:
    before = Device()
    device.set_current()
    try:
        yield
    finally:
        if before.device_id != device.device_id:
            before.set_current()


@functools.cache
def _devices() -> int:
    try:
        return len(Device.get_all_devices())
    except Exception:  # there is no driver, or it has no device
        return 0


def _is_there(device: tuple[int, int]) -> bool:
    if device in (CPU, PINNED, MANAGED):
        return device == CPU or _devices() > 0
    return device[0] == CUDA and 0 <= device[1] < _devices()


def _index(device: tuple[int, int]) -> int:
    if device[0] != CUDA or not _is_there(device):
        raise dlcert.NotFormable
    return device[1]


def _pinned(memory: bytes) -> Buffer:
    buffer = LegacyPinnedMemoryResource().allocate(max(len(memory), 1))
    ctypes.memmove(int(buffer.handle), memory, len(memory))
    return buffer


def _steps(view: StridedMemoryView) -> tuple[int, ...]:
    """Strides in bytes; 0 for an axis whose stride is never taken."""
    strides = view.strides
    if strides is None:
        steps = [view.dtype.itemsize]
        for extent in reversed(view.shape[1:]):
            steps.insert(0, steps[0] * extent)
        strides = [step // view.dtype.itemsize for step in steps[len(steps) - len(view.shape):]]
    return tuple(stride * view.dtype.itemsize if extent > 1 else 0
                 for extent, stride in zip(view.shape, strides))


def _span(view: StridedMemoryView) -> tuple[int, int]:
    """Where the elements lie, in bytes from the first one."""
    reaches = [(extent - 1) * step for extent, step in zip(view.shape, _steps(view))]
    return (sum(reach for reach in reaches if reach < 0),
            sum(reach for reach in reaches if reach > 0) + view.dtype.itemsize)


def _part(view: StridedMemoryView, begin: int, size: int) -> Buffer:
    return Buffer.from_handle(view.ptr + begin, size, owner=view)


def _runs(view: StridedMemoryView, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Places from the first element, and what lies there; an axis with step 0 has one element."""
    if not data:
        return
    if _array_is_compact(view):
        yield 0, data
        return
    size = view.dtype.itemsize
    values = numpy.frombuffer(data, f"V{size}").reshape(view.shape)
    steps = _steps(view)
    once = (range(extent if step else 1) for extent, step in zip(view.shape, steps))
    for index in itertools.product(*once):
        yield sum(map(int.__mul__, index, steps)), values[index].tobytes()


def _array_is_compact(view: StridedMemoryView) -> bool:
    low, high = _span(view)
    expected = view.dtype.itemsize
    for extent, step in zip(reversed(view.shape), reversed(_steps(view))):
        if extent > 1 and step != expected:
            return False
        expected *= extent
    return low == 0 and high == expected


def _array(view: StridedMemoryView, address: int | None = None) -> numpy.ndarray:
    """NumPy's array on the memory of a view, which exports nothing, or on a copy of it."""
    place = view.ptr if address is None else address
    return numpy.asarray(SimpleNamespace(__array_interface__={
        "data": (place, view.readonly), "shape": view.shape, "strides": _steps(view),
        "typestr": view.dtype.str, "version": 3}))
