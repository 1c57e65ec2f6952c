# SPDX-License-Identifier: Apache-2.0
"""cuda.core's StridedMemoryViews: on the host of other libraries' memory, on CUDA devices of its own
buffers.
"""

from __future__ import annotations

import contextlib
import itertools
from types import SimpleNamespace
from typing import Any, Iterator

import dlcert
import numpy
from cuda.core import Buffer, Device, LegacyPinnedMemoryResource, Stream
from cuda.core.utils import StridedMemoryView

from ._cuda_core_devices import CUDA, MANAGED, PINNED, DevicesAdapter, is_there, pinned

NO_STREAM = -1  # it must be said on the host as well
NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_OF_NUMPY = 64  # dimensions
CPU = (1, 0)


class View(DevicesAdapter):
    name = "cuda_core"
    array_type = StridedMemoryView
    import_arguments = frozenset()
    knows_read_only = True

    def can(self, spec: dlcert.Spec) -> bool:
        return self.can_import(spec) and spec.device != MANAGED

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec._replace(device=CPU).plain and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_OF_NUMPY and (spec.device == CPU or is_there(spec.device)))

    def create(self, spec: dlcert.Spec, data: bytes) -> StridedMemoryView:
        if spec.device == CPU:
            return super().create(spec, data)
        dtype, memory = DTYPES[spec.dtype], dlcert.laid_out(spec, data)
        with self.working_on(spec.device) as stream:
            buffer = pinned(memory) if spec.device == PINNED else self._on_device(memory, stream)
            begin = Buffer.from_handle(buffer.handle + spec.offset * dtype.itemsize,
                                       buffer.size - spec.offset * dtype.itemsize, owner=buffer)
            return StridedMemoryView.from_buffer(begin, spec.shape, spec.strides, dtype=dtype,
                                                 is_readonly=spec.read_only)

    def from_dlpack(self, source: Any, /, **arguments: Any) -> StridedMemoryView:
        """A view that has told what it is: what it does not take, it refuses only when it is asked. The
        class method is not the array API's function, and has none of its arguments."""
        if arguments:
            raise dlcert.NotFormable
        # It is cuda.core that refuses an object without a device, and a device that is not there.
        device = source.__dlpack_device__() if hasattr(source, "__dlpack_device__") else CPU
        with self._working_where_it_is(device if is_there(device) else CPU) as stream:
            handle = int(stream.handle) if stream else NO_STREAM
            view = StridedMemoryView.from_dlpack(source, stream_ptr=handle)
        view.dtype, view.shape
        return view

    def describe(self, tensor: StridedMemoryView) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, tensor.__dlpack_device__(),
                                  tensor.strides, tensor.ptr, (0, 0), tensor.readonly)

    def read(self, tensor: StridedMemoryView) -> bytes:
        device = tensor.__dlpack_device__()
        with self._working_where_it_is(device) as stream:
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
        if tensor.readonly:
            raise BufferError("the view is read-only")
        device = tensor.__dlpack_device__()
        with self._working_where_it_is(device) as stream:
            if device[0] != CUDA:
                array = _array(tensor)
                array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)
                return
            for place, part in _runs(tensor, data):
                self.copy(part, _part(tensor, place, len(part)), stream)

    def alias(self, tensor: StridedMemoryView) -> StridedMemoryView:
        return tensor.view()

    # ---- programs ----

    def source_imports(self) -> str:
        return "import numpy\nfrom cuda.bindings import driver\n" \
               "from cuda.core import Device, LEGACY_DEFAULT_STREAM\n" \
               "from cuda.core.utils import StridedMemoryView\n" \
               "from_dlpack = lambda source: (lambda view: (view.dtype, view.shape) and view)(" \
               f"StridedMemoryView.from_dlpack(source, stream_ptr={NO_STREAM}))"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        size = spec.dtype.itemsize
        if spec.device[0] == CUDA and spec.offset == 0 and spec.size > 0:
            memory = dlcert.laid_out(spec, data)
            return f"(Device({spec.device[1]}).set_current(), " \
                   f"b := Device().allocate({len(memory)}, stream=LEGACY_DEFAULT_STREAM), " \
                   f'driver.cuMemcpyHtoD(int(b.handle), bytes.fromhex("{memory.hex()}"), {len(memory)}), ' \
                   f"StridedMemoryView.from_buffer(b, {spec.shape}, {spec.strides}, " \
                   f'dtype=numpy.dtype("{spec.dtype.name}"), is_readonly={spec.read_only}))[-1]'
        if spec.device != CPU:
            raise dlcert.NotFormable
        kind = "bytes" if spec.read_only else "bytearray"
        return f'from_dlpack(numpy.ndarray({spec.shape}, "{spec.dtype.name}", ' \
               f'{kind}.fromhex("{dlcert.laid_out(spec, data).hex()}"), {spec.offset * size}, ' \
               f"{tuple(stride * size for stride in spec.strides)}))"

    def source_read(self) -> str:
        return "numpy.from_dlpack(x).tobytes()"

    # ---- on devices ----

    @contextlib.contextmanager
    def _working_where_it_is(self, device: tuple[int, int]) -> Iterator[Stream | None]:
        """As working_on(); nothing for the host."""
        if device[0] not in (CUDA, PINNED[0], MANAGED[0]):
            yield None
            return
        with self.working_on(device) as stream:
            yield stream

    def _on_device(self, memory: bytes, stream: Stream) -> Buffer:
        """A byte more: a view without elements at the end of the memory lies in it, too."""
        buffer = Device().allocate(len(memory) + 1, stream=stream)
        if memory:
            self.copy(memory, Buffer.from_handle(buffer.handle, len(memory), owner=buffer), stream)
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
