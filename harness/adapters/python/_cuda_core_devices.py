# SPDX-License-Identifier: Apache-2.0
"""What the adapters of cuda.core share: devices, streams, and memory that copies to devices read."""

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

CUDA, PINNED, MANAGED = 2, (3, 0), (13, 0)
RING = 4 << 20  # bytes


class DevicesAdapter(dlcert.Adapter):
    """cuda.core has no current stream: its functions take one, and this adapter passes it to each of them."""

    library = cuda.core

    def __init__(self) -> None:
        self._streams = threading.local()
        self._ring = _Ring()

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
        with self.working_on((CUDA, _index(device))):
            driver.cuCtxSynchronize()

    def current_device(self, device_type: int) -> int:
        if device_type != CUDA:
            raise dlcert.NotFormable
        return Device().device_id

    @contextlib.contextmanager
    def working_on(self, device: tuple[int, int]) -> Iterator[Stream]:
        """With the device current on this thread; gives the stream for work on it."""
        index = device[1] if device[0] == CUDA else Device().device_id
        with _current(Device(index)):
            yield self._streams.__dict__.get(index) or cuda.core.LEGACY_DEFAULT_STREAM

    def copy(self, memory: bytes, target: Buffer, stream: Stream) -> None:
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
            self._kept = [pinned(bytes(RING))]
        if len(data) > RING:
            self._kept.append(pinned(data))
            return self._kept[-1]
        place = int(self._kept[0].handle) + self._used
        ctypes.memmove(place, data, len(data))
        self._used += len(data)
        return Buffer.from_handle(place, len(data), owner=self._kept[0])


def pinned(memory: bytes) -> Buffer:
    """Of at least one byte."""
    buffer = LegacyPinnedMemoryResource().allocate(max(len(memory), 1))
    ctypes.memmove(int(buffer.handle), memory, len(memory))
    return buffer


def is_there(device: tuple[int, int]) -> bool:
    """Not the host: a device of CUDA's, or memory that there is where there is one."""
    if device in (PINNED, MANAGED):
        return _devices() > 0
    return device[0] == CUDA and 0 <= device[1] < _devices()


@functools.cache
def _devices() -> int:
    try:
        return len(Device.get_all_devices())
    except Exception:  # there is no driver, or it has no device
        return 0


def _index(device: tuple[int, int]) -> int:
    if device[0] != CUDA or not is_there(device):
        raise dlcert.NotFormable
    return device[1]


@contextlib.contextmanager
def _current(device: Device) -> Iterator[None]:
    before = Device()
    device.set_current()
    try:
        yield
    finally:
        if before.device_id != device.device_id:
            before.set_current()
