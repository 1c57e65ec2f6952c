# SPDX-License-Identifier: Apache-2.0
"""The arguments of numba-cuda's kernels, over cuda.core: there alone Numba imports, and it exports nothing.

Its arrays have no `__dlpack__`, and there is no `from_dlpack`. Judged is what a kernel is given for an
argument with `__dlpack__`, by the function of Numba's that its launch calls, for the stream of the launch;
within, cuda.core's view imports it. No kernel is launched: copies read and write what it would be given.

Numba has no current stream: a caller names one for each launch, and so does this adapter. If none is named,
it is Numba's own default.
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
RING = 4 << 20  # bytes

SOURCE_IMPORTS = '''from numba import cuda
from_dlpack = lambda source: cuda.InOut(source).to_device([], 0)'''


class NumbaCuda(dlcert.Adapter):
    library = numba_cuda
    create = dlpack_device = export_capsule = None
    import_arguments = frozenset()
    knows_read_only = True  # of what a kernel is given

    def __init__(self) -> None:
        self._streams = threading.local()
        self._ring = _Ring()

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec._replace(device=CPU).plain and spec.dtype in DTYPES
                and len(spec.shape) <= MOST_DIMENSIONS and _is_there(spec.device))

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

    def describe(self, tensor: StridedMemoryView) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tensor.shape, (CUDA, tensor.device_id),
                                  tensor.strides, tensor.ptr, (0, 0), tensor.readonly)

    def read(self, tensor: StridedMemoryView) -> bytes:
        array = _array(tensor)
        if array.size == 0:
            return b""
        reaches = [(extent - 1) * step for extent, step in zip(array.shape, array.strides)]
        low = sum(reach for reach in reaches if reach < 0)
        span = sum(map(abs, reaches)) + array.dtype.itemsize
        memory = numpy.empty(span, numpy.uint8)
        with self._working_where_it_is(tensor) as stream:
            _bytes(array, low, span).copy_to_host(memory, stream=stream)
            if stream:
                stream.synchronize()
        return numpy.ndarray(array.shape, array.dtype, memory, -low, array.strides).tobytes()

    def write(self, tensor: StridedMemoryView, data: bytes) -> None:
        """Element by element, where it is not compact."""
        array = _array(tensor)
        with self._working_where_it_is(tensor) as stream:
            for place, part in _runs(array, data):
                self._copy(part, _bytes(array, place, part.nbytes), stream)

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

    # ---- copies ----

    @contextlib.contextmanager
    def _working_where_it_is(self, tensor: StridedMemoryView) -> Iterator[Any]:
        """With its device current on this thread; gives the stream for work on it."""
        with cuda.gpus[tensor.device_id]:
            yield self._streams.__dict__.get(tensor.device_id, 0)

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


def _array(tensor: StridedMemoryView) -> Any:
    size = tensor.dtype.itemsize
    steps = None if tensor.strides is None else tuple(stride * size for stride in tensor.strides)
    with cuda.gpus[tensor.device_id]:
        return _on_memory(tensor, tensor.ptr, tensor.shape, tensor.dtype, steps)


def _bytes(array: Any, begin: int, size: int) -> Any:
    """Those from a place on, which counts from the first element."""
    address = array.device_ctypes_pointer.value or 0
    return _on_memory(array, address + begin, (size,), numpy.dtype("u1"))


def _on_memory(owner: Any, address: int, shape: tuple[int, ...], dtype: Any,
               strides: tuple[int, ...] | None = None) -> Any:
    """An array on the memory of another; None: the strides of a compact one."""
    return cuda.from_cuda_array_interface({"shape": shape, "strides": strides, "typestr": dtype.str,
                                           "data": (address, False), "version": 3}, owner)


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
