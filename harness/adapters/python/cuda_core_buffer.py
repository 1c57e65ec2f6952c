# SPDX-License-Identifier: Apache-2.0
"""cuda.core's Buffers: bytes on CUDA devices and in pinned memory, which export and do not import."""

from __future__ import annotations

import ctypes

import dlcert
from cuda.core import Buffer, Device, LegacyPinnedMemoryResource

from ._cuda_core_devices import CUDA, PINNED, DevicesAdapter, is_there, pinned

INT8 = dlcert.Adapter.named_dtype("int8")


class Bytes(DevicesAdapter):
    name = "cuda_core_buffer"
    import_from = None
    from_dlpack = None

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.dtype == INT8 and len(spec.shape) == 1 and spec.size > 0 and spec.compact
                and spec.storage_size == spec.size and spec.state == 0 and not spec.read_only
                and (spec.device == PINNED or spec.device[0] == CUDA) and is_there(spec.device))

    def create(self, spec: dlcert.Spec, data: bytes) -> Buffer:
        if spec.device == PINNED:
            return pinned(data)
        with self.working_on(spec.device) as stream:
            buffer = Device().allocate(len(data), stream=stream)
        self.write(buffer, data)
        return buffer

    def describe(self, tensor: Buffer) -> dlcert.Description:
        return dlcert.Description(INT8, (tensor.size,), tensor.__dlpack_device__(), (1,),
                                  int(tensor.handle), (int(tensor.handle), tensor.size))

    def read(self, tensor: Buffer) -> bytes:
        with self.working_on(tensor.__dlpack_device__()) as stream:
            copied = LegacyPinnedMemoryResource().allocate(tensor.size)
            tensor.copy_to(copied, stream=stream)
            stream.sync()
            return ctypes.string_at(int(copied.handle), tensor.size)

    def write(self, tensor: Buffer, data: bytes) -> None:
        with self.working_on(tensor.__dlpack_device__()) as stream:
            self.copy(data, tensor, stream)

    # ---- programs ----

    def source_imports(self) -> str:
        return "from cuda.bindings import driver\n" \
               "from cuda.core import Device, LEGACY_DEFAULT_STREAM\n" \
               "made = lambda device, data: (device.set_current(), " \
               "x := device.allocate(len(data), stream=LEGACY_DEFAULT_STREAM), " \
               "driver.cuMemcpyHtoD(int(x.handle), data, len(data)))[1]"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.device[0] != CUDA:
            raise dlcert.NotFormable
        return f'made(Device({spec.device[1]}), bytes.fromhex("{data.hex()}"))'
