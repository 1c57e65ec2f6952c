# SPDX-License-Identifier: Apache-2.0
"""The reference's face in Python: reference/python, on PYTHONPATH."""

from __future__ import annotations

from typing import Any, ContextManager

import dlcert
import dlcert_reference
import dlcert_reference_memory
from dlcert_reference import Array

from ._dlcert_reference_devices import Devices

KINDS = {
    dlcert.State.PLAIN: "described",
    dlcert.State.BYTE_SWAPPED: "byte_swapped",
    dlcert.State.RECORD: "record",
    dlcert.State.EXTENDED_FLOAT: "extended_float",
    dlcert.State.BFLOAT_COMPLEX: "bfloat_complex",
}
RECORD = (1, 64, 4)
CPU = (1, 0)
# Memory whose streams are those of the current device, by the type of its vendor's devices.
PINNED = {2: (3, 0), 10: (11, 0)}


class Reference(Devices, dlcert.Adapter):
    library = dlcert_reference
    array_type = Array
    name = "reference in Python"
    runtime = "torch-2.4"
    array_api = "2025.12"
    thread_safe = True
    knows_read_only = True

    def can(self, spec: dlcert.Spec) -> bool:
        whole_bytes = spec.dtype.bits * spec.dtype.lanes % 8 == 0
        if spec.state not in KINDS or (spec.byte_strides and not whole_bytes):
            return False
        if spec.padded and spec.dtype.bits >= 8:
            return False
        axes = (0,) * max(len(spec.shape), 1)
        nowhere = spec._replace(device=CPU, shape=axes, strides=axes, offset=0, storage_size=0)
        try:
            if spec.device != CPU:
                dlcert_reference.ordinal(spec.device)
            self._array(None, nowhere)
        except (BufferError, ValueError):
            return False
        return True

    def create(self, spec: dlcert.Spec, data: bytes) -> Array:
        if spec.state == dlcert.State.BYTE_SWAPPED:
            data = swapped(spec.dtype, data)
        known = spec.state in (dlcert.State.PLAIN, dlcert.State.BYTE_SWAPPED)
        return self._array(data if known else None, spec)

    def describe(self, tensor: Array) -> dlcert.Description:
        return dlcert.Description(tensor.dtype, tensor.shape, tensor.device, tensor.strides,
                                  tensor.data, tensor.storage, tensor.readonly)

    def read(self, tensor: Array) -> bytes:
        return tensor.tobytes()

    def write(self, tensor: Array, data: bytes) -> None:
        tensor.write(data)

    def alias(self, tensor: Array) -> Array:
        return tensor.view()

    def live_allocations(self) -> int:
        return dlcert_reference_memory.live_allocations()

    def fail_allocation(self, successes: int) -> None:
        dlcert_reference_memory.fail_allocation(successes)

    def device(self, device: tuple[int, int]) -> tuple[int, int]:
        return device

    def import_capsule(self, capsule: Any) -> Array:
        return dlcert_reference.from_dlpack(capsule)

    def to_dlpack(self, tensor: Array) -> Any:
        return dlcert_reference.to_dlpack(tensor)

    def run_with_stream(self, device: tuple[int, int], stream: int) -> ContextManager[None]:
        return dlcert_reference.stream(device, stream)

    def current_stream(self, device: tuple[int, int]) -> int:
        return dlcert_reference.current_stream(device)

    def synchronize(self, device: tuple[int, int]) -> None:
        dlcert_reference.synchronize(device)

    def current_device(self, device_type: int) -> int:
        return dlcert_reference.ordinal(PINNED[device_type])

    # ---- programs ----

    def source_run_with_stream(self, device: tuple[int, int], stream: str) -> str:
        return f"{self.library.__name__}.stream({device}, {stream})"

    def source_write(self, data: bytes) -> str:
        return f'x.write(bytes.fromhex("{data.hex()}"))'

    def _array(self, data: bytes | None, spec: dlcert.Spec) -> Array:
        kind = KINDS[spec.state]
        dtype = RECORD if kind == "record" else spec.dtype
        return self.array_type(data, dtype, spec.shape, spec.strides, spec.offset,
                               storage_size=spec.storage_size, device=spec.device,
                               readonly=spec.read_only, padded=spec.padded,
                               byte_strides=spec.byte_strides, kind=kind)


def swapped(dtype: dlcert.Dtype, data: bytes) -> bytes:
    """The elements with their bytes reversed."""
    size = dtype.itemsize
    return b"".join(data[at:at + size][::-1] for at in range(0, len(data), size))
