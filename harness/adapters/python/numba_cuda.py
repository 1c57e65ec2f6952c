# SPDX-License-Identifier: Apache-2.0
"""numba-cuda's device arrays, over cuda.core: Numba has no `__dlpack__` and no `from_dlpack` of its own.

As a producer, the chain that its users have is judged: the array's `__cuda_array_interface__`, which is
Numba's, viewed by cuda.core's StridedMemoryView for the consumer's stream, and exported by that view.
Memory, shape, strides and the array's own stream are what Numba says; the capsule, and the answers to
other requests, are cuda.core's. A stream that DLPack has not is no stream for a view either: not judged.

As a consumer, what a kernel is given for an argument with `__dlpack__`, by the function of Numba's that its
launch calls, for the stream of the launch; within, cuda.core's view imports it. No kernel is launched, and
what it would be given is not handed on.

An array of Numba's has a stream of its own, which it tells. A caller names one each time, and so does this
adapter: the current stream is the one that it names for the arrays. If there is none, it is Numba's own default.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import threading
from typing import Any, Iterator

import dlcert
import numba_cuda
import numpy
from cuda.core.utils import StridedMemoryView
from numba import cuda

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): numpy.dtype(name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_DIMENSIONS = 64
CPU, CUDA = (1, 0), 2
LEGACY, NO_ORDER = 1, -1  # streams of DLPack
RING = 4 << 20  # bytes

SOURCE_IMPORTS = '''from numba import cuda
import numpy
from cuda.core.utils import StridedMemoryView
from_dlpack = lambda source: cuda.InOut(source).to_device([], 0)
view = lambda x, stream: StridedMemoryView.from_cuda_array_interface(x.array, stream_ptr=stream)
own_device = lambda x: view(x, -1).__dlpack_device__()
export = lambda x, *, stream=None, **others: view(x, stream or 1).__dlpack__(**others)
hold = lambda x, array: setattr(x, "array", array)
Handed = type("Handed", (), {"__init__": hold, "__dlpack_device__": own_device, "__dlpack__": export})
on_device = lambda data: cuda.to_device(numpy.frombuffer(bytes.fromhex(data + "00"), "u1"))
copied = lambda device, data: cuda.select_device(device) and on_device(data)
at = lambda array, offset: (array.device_ctypes_pointer.value + offset, False)
interface = lambda array, offset, **layout: {"data": at(array, offset), "version": 3, **layout}
part = lambda array, *at, **layout: cuda.from_cuda_array_interface(interface(array, *at, **layout), array)'''


class Handed:
    """An array of Numba's, handed on by a view that cuda.core makes for the consumer's stream."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._view(NO_ORDER).__dlpack_device__()

    def __dlpack__(self, *, stream: int | None = None, **others: Any) -> Any:
        stream = LEGACY if stream is None else stream
        if type(stream) is not int or stream < NO_ORDER or stream == 0:
            raise dlcert.NotFormable
        return self._view(stream).__dlpack__(**others)

    def _view(self, stream: int) -> StridedMemoryView:
        """A view asks for streams of the current device."""
        with cuda.gpus[_place(self)]:
            return StridedMemoryView.from_cuda_array_interface(self.array, stream_ptr=stream)


class NumbaCuda(dlcert.Adapter):
    library = numba_cuda
    import_arguments = frozenset()
    knows_read_only = True  # of what a kernel is given

    def __init__(self) -> None:
        self._streams = threading.local()
        self._ring = _Ring()

    def can(self, spec: dlcert.Spec) -> bool:
        return self.can_import(spec) and not spec.read_only

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec._replace(device=CPU).plain and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_DIMENSIONS and _is_there(spec.device))

    def create(self, spec: dlcert.Spec, data: bytes) -> Handed:
        dtype = DTYPES[spec.dtype]
        with self._working_on(spec.device) as stream:
            if spec.compact:
                array = cuda.device_array(spec.shape, dtype, stream=stream)
                self._copy(numpy.frombuffer(data, dtype).reshape(spec.shape), array, stream)
                return Handed(array)
            memory = numpy.frombuffer(dlcert.laid_out(spec, data), numpy.uint8)
            storage = cuda.device_array(len(memory) + 1, numpy.uint8, stream=stream)
            self._copy(memory, _part(storage, _address(storage), len(memory)), stream)
            begin = _address(storage) + spec.offset * dtype.itemsize
            steps = tuple(stride * dtype.itemsize for stride in spec.strides)
            return Handed(_part(storage, begin, spec.shape, dtype, steps).bind(stream))

    def from_dlpack(self, source: Any, /, **arguments: Any) -> StridedMemoryView:
        """A launch is on the current device, and asks what it is given for size and dtype, too: what it does
        not take, it refuses then."""
        if arguments:  # an argument of a kernel has none
            raise dlcert.NotFormable
        index = _index_of(source)
        with contextlib.nullcontext() if index is None else cuda.gpus[index]:
            argument = cuda.InOut(source).to_device([], self._streams.__dict__.get(index, 0))
            argument.size, argument.dtype, argument.ptr, argument.shape
        return argument

    def export_capsule(self, tensor: Handed, **arguments: Any) -> Any:
        if not isinstance(tensor, Handed):
            raise dlcert.NotFormable
        return super().export_capsule(tensor, **arguments)

    def describe(self, tensor: Handed | StridedMemoryView) -> dlcert.Description:
        if isinstance(tensor, StridedMemoryView):
            return dlcert.Description(CODES[tensor.dtype], tensor.shape, (CUDA, tensor.device_id),
                                      tensor.strides, tensor.ptr, (0, 0), tensor.readonly)
        array = tensor.array
        size = array.dtype.itemsize
        return dlcert.Description(CODES[array.dtype], array.shape, (CUDA, _place(tensor)),
                                  tuple(step // size for step in array.strides), _address(array))

    def read(self, tensor: Handed | StridedMemoryView) -> bytes:
        array = _array(tensor)
        if array.size == 0:
            return b""
        reaches = [(extent - 1) * step for extent, step in zip(array.shape, array.strides)]
        low = sum(reach for reach in reaches if reach < 0)
        span = sum(map(abs, reaches)) + array.dtype.itemsize
        memory = numpy.empty(span, numpy.uint8)
        with self._working_on((CUDA, _place(tensor))) as stream:
            _part(array, _address(array) + low, span).copy_to_host(memory, stream=stream)
            if stream:
                stream.synchronize()
        return numpy.ndarray(array.shape, array.dtype, memory, -low, array.strides).tobytes()

    def write(self, tensor: Handed | StridedMemoryView, data: bytes) -> None:
        """Element by element, where it is not compact; its own stream is then the one of the copies."""
        array = _array(tensor)
        with self._working_on((CUDA, _place(tensor))) as stream:
            for place, part in _runs(array, data):
                self._copy(part, _part(array, _address(array) + place, part.nbytes), stream)
            if isinstance(tensor, Handed):
                tensor.array = array.bind(stream)

    def alias(self, tensor: Handed) -> Handed:
        if not isinstance(tensor, Handed):
            raise dlcert.NotFormable
        return Handed(tensor.array.bind(tensor.array.stream))

    # ---- streams ----

    @contextlib.contextmanager
    def run_with_stream(self, device: tuple[int, int], stream: int) -> Iterator[None]:
        streams, own = self._streams.__dict__, _index(device)
        before = streams.get(own, 0)
        with cuda.gpus[own]:
            streams[own] = cuda.external_stream(stream) if stream else 0
        try:
            yield
        finally:
            streams[own] = before

    def current_stream(self, device: tuple[int, int]) -> int:
        stream = self._streams.__dict__.get(_index(device), 0)
        return int(stream)

    def synchronize(self, device: tuple[int, int]) -> None:
        with cuda.gpus[_index(device)]:
            cuda.synchronize()

    def current_device(self, device_type: int) -> int:
        if device_type != CUDA:
            raise dlcert.NotFormable
        return cuda.current_context().device.id

    # ---- programs ----

    def source_imports(self) -> str:
        return SOURCE_IMPORTS

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        dtype, memory = DTYPES[spec.dtype], dlcert.laid_out(spec, data)
        steps = tuple(stride * dtype.itemsize for stride in spec.strides)
        return f'Handed(part(copied({spec.device[1]}, "{memory.hex()}"), {spec.offset * dtype.itemsize}, ' \
               f'shape={spec.shape}, strides={steps}, typestr="{dtype.str}"))'

    # ---- copies ----

    @contextlib.contextmanager
    def _working_on(self, device: tuple[int, int]) -> Iterator[Any]:
        """With the device current on this thread; gives the stream for work on it."""
        with cuda.gpus[device[1]]:
            yield self._streams.__dict__.get(device[1], 0)

    def _copy(self, values: numpy.ndarray, target: Any, stream: Any) -> None:
        """Left to the stream; without one, as Numba does it by default: from memory of any kind."""
        if values.size:
            target.copy_to_device(self._ring.holding(values) if stream else values, stream=stream)


class _Ring:
    """Pinned memory that copies read at any time: a place is used again when all have run."""

    def __init__(self) -> None:
        self._kept: list[numpy.ndarray] = []
        self._used = RING

    def holding(self, values: numpy.ndarray) -> numpy.ndarray:
        if self._used + values.nbytes > RING:
            for device in cuda.gpus if self._kept else ():
                with device:
                    cuda.synchronize()
            self._kept = [cuda.pinned_array(max(RING, values.nbytes), numpy.uint8)]
            self._used = 0
        held = numpy.ndarray(values.shape, values.dtype, self._kept[0], self._used)
        held[...] = values
        self._used += -(-values.nbytes // 16) * 16
        return held


@functools.cache
def _devices() -> int:
    return len(cuda.gpus) if cuda.is_available() else 0


def _is_there(device: tuple[int, int]) -> bool:
    return device[0] == CUDA and 0 <= device[1] < _devices()


def _index(device: tuple[int, int]) -> int:
    if not _is_there(device):
        raise dlcert.NotFormable
    return device[1]


def _index_of(source: Any) -> int | None:
    """On which device the launch is: the source's, if it tells one."""
    try:
        device = source.__dlpack_device__()
        return device[1] if _is_there(device) else None
    except Exception:  # Numba finds out by itself
        return None


def _place(tensor: Handed | StridedMemoryView) -> int:
    return tensor.array.gpu_data.context.device.id if isinstance(tensor, Handed) else tensor.device_id


def _address(array: Any) -> int:
    return array.device_ctypes_pointer.value or 0


def _part(owner: Any, address: int, shape: int | tuple[int, ...], dtype: Any = numpy.dtype("u1"),
          strides: tuple[int, ...] | None = None) -> Any:
    """An array on the memory of another; None: the strides of a compact one."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    return cuda.from_cuda_array_interface({"shape": shape, "strides": strides, "typestr": dtype.str,
                                           "data": (address, False), "version": 3}, owner)


def _array(tensor: Handed | StridedMemoryView) -> Any:
    if isinstance(tensor, Handed):
        return tensor.array
    size = tensor.dtype.itemsize
    steps = None if tensor.strides is None else tuple(stride * size for stride in tensor.strides)
    with cuda.gpus[tensor.device_id]:
        return _part(tensor, tensor.ptr, tensor.shape, tensor.dtype, steps)


def _runs(array: Any, data: bytes) -> Iterator[tuple[int, numpy.ndarray]]:
    """Places in bytes from the first element, and what lies there; an axis with step 0 has one element."""
    if not data:
        return
    values = numpy.frombuffer(data, array.dtype).reshape(array.shape)
    expected = tuple(math.prod(array.shape[axis + 1:]) * array.dtype.itemsize
                     for axis in range(len(array.shape)))
    if array.strides == expected:
        yield 0, values.reshape(-1).view(numpy.uint8)
        return
    for index in itertools.product(*(range(extent if step else 1)
                                     for extent, step in zip(array.shape, array.strides))):
        element = numpy.atleast_1d(values[index]).view(numpy.uint8)
        yield sum(map(int.__mul__, index, array.strides)), element
