# SPDX-License-Identifier: Apache-2.0
"""cuda.core's Buffers: bytes on CUDA devices and in pinned memory, which export and do not import.

cuda.core has no current stream: who calls it names one each time. So does this adapter.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from typing import Iterator

import cuda.core
import dlcert
from cuda.bindings import driver
from cuda.core import Buffer, Device, LegacyPinnedMemoryResource, Stream

CUDA, PINNED = 2, (3, 0)
INT8 = dlcert.Adapter.named_dtype("int8")
RING = 4 << 20  # bytes


class Bytes(dlcert.Adapter):
    library = cuda.core
    name = "cuda_core_buffer"
    import_from = None
    from_dlpack = None

    def __init__(self) -> None:
        self._streams = threading.local()
        self._ring = _Ring()

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.dtype == INT8 and len(spec.shape) == 1 and spec.size > 0 and spec.compact
                and spec.storage_size == spec.size and spec.state == 0 and not spec.read_only
                and (_devices() > 0 if spec.device == PINNED else
                     spec.device[0] == CUDA and 0 <= spec.device[1] < _devices()))

    def create(self, spec: dlcert.Spec, data: bytes) -> Buffer:
        if spec.device == PINNED:
            return _pinned(data)
        with self._working_on(spec.device) as stream:
            buffer = Device().allocate(len(data), stream=stream)
        self.write(buffer, data)
        return buffer

    def describe(self, tensor: Buffer) -> dlcert.Description:
        return dlcert.Description(INT8, (tensor.size,), tensor.__dlpack_device__(), (1,),
                                  int(tensor.handle), (int(tensor.handle), tensor.size))

    def read(self, tensor: Buffer) -> bytes:
        with self._working_on(tensor.__dlpack_device__()) as stream:
            copied = LegacyPinnedMemoryResource().allocate(tensor.size)
            tensor.copy_to(copied, stream=stream)
            stream.sync()
            return ctypes.string_at(int(copied.handle), tensor.size)

    def write(self, tensor: Buffer, data: bytes) -> None:
        """The copy is left to the stream, as a program's work would be."""
        with self._working_on(tensor.__dlpack_device__()) as stream:
            tensor.copy_from(self._ring.holding(data), stream=stream)

    # ---- streams ----

    @contextlib.contextmanager
    def run_with_stream(self, device: tuple[int, int], stream: int) -> Iterator[None]:
        streams, own = self._streams.__dict__, _index(device)
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

    def source_imports(self) -> str:
        return "import cuda.core"

    @contextlib.contextmanager
    def _working_on(self, device: tuple[int, int]) -> Iterator[Stream]:
        """With the device current on this thread; gives the stream for work on it."""
        index = device[1] if device[0] == CUDA else Device().device_id
        with _current(Device(index)):
            yield self._streams.__dict__.get(index) or cuda.core.LEGACY_DEFAULT_STREAM


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


def _index(device: tuple[int, int]) -> int:
    if device[0] != CUDA or not 0 <= device[1] < _devices():
        raise dlcert.NotFormable
    return device[1]


def _pinned(memory: bytes) -> Buffer:
    buffer = LegacyPinnedMemoryResource().allocate(len(memory))
    ctypes.memmove(int(buffer.handle), memory, len(memory))
    return buffer
