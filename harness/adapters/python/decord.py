# SPDX-License-Identifier: Apache-2.0
"""decord's arrays on the host, which have capsules and no __dlpack__."""

from __future__ import annotations

import ctypes
from typing import Any

import decord
import dlcert
from decord._ffi.base import _LIB, check_call

NDArray = decord.nd.NDArray
NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64")


class Decord(dlcert.Adapter):
    library = decord
    import_from = None
    export_capsule = None
    dlpack_device = None
    passes_codes_through = True

    def can(self, spec: dlcert.Spec) -> bool:
        return (spec.plain and spec.compact and not spec.read_only
                and spec.dtype._replace(lanes=1).name in NAMES)

    def create(self, spec: dlcert.Spec, data: bytes) -> NDArray:
        array = decord.nd.empty(spec.shape, spec.dtype.name)
        self.write(array, data)
        return array

    def describe(self, tensor: NDArray) -> dlcert.Description:
        """By the handle: `dtype` and `context` raise KeyError for what decord has no name for."""
        array = tensor.handle.contents
        dtype = dlcert.Dtype(array.dtype.type_code, array.dtype.bits, array.dtype.lanes)
        return dlcert.Description(dtype, tensor.shape, (array.ctx.device_type, array.ctx.device_id),
                                  None, (array.data or 0) + array.byte_offset)

    # As asnumpy() and copyfrom(), which have no vectors: they forget the lanes of a dtype for good.
    def read(self, tensor: NDArray) -> bytes:
        memory = ctypes.create_string_buffer(_bytes_of(tensor))
        check_call(_LIB.DECORDArrayCopyToBytes(tensor.handle, memory, ctypes.c_size_t(len(memory))))
        return memory.raw

    def write(self, tensor: NDArray, data: bytes) -> None:
        check_call(_LIB.DECORDArrayCopyFromBytes(tensor.handle, data, ctypes.c_size_t(len(data))))

    def to_dlpack(self, tensor: NDArray) -> Any:
        return tensor.to_dlpack()

    def import_capsule(self, capsule: Any) -> NDArray:
        return decord.nd.from_dlpack(capsule)

    def source_imports(self) -> str:
        return "import decord\nimport numpy\nfrom_dlpack = decord.nd.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.dtype.lanes != 1:
            raise dlcert.NotFormable
        return f'decord.nd.array(numpy.frombuffer(bytes.fromhex("{data.hex()}"), "{spec.dtype.name}")' \
               f".reshape({spec.shape}))"

    def source_read(self) -> str:
        return "x.asnumpy().tobytes()"


def _bytes_of(tensor: NDArray) -> int:
    dtype = tensor.handle.contents.dtype
    return len(tensor) * ((dtype.bits * dtype.lanes + 7) // 8)
