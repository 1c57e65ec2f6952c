# SPDX-License-Identifier: Apache-2.0
"""decord's arrays on the host, which have capsules and no __dlpack__."""

from __future__ import annotations

from typing import Any

import decord
import dlcert
import numpy

NDArray = decord.nd.NDArray


class Decord(dlcert.Adapter):
    library = decord
    dtypes = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                        "float32", "float64"})
    import_from = None
    export_capsule = None
    dlpack_device = None

    def can(self, spec: dlcert.Spec) -> bool:
        return super().can(spec) and spec.compact and len(spec.shape) <= 64

    def create(self, spec: dlcert.Spec, data: bytes) -> NDArray:
        return decord.nd.array(numpy.frombuffer(data, spec.dtype.name).reshape(spec.shape))

    @classmethod
    def dtype_of(cls, tensor: NDArray) -> dlcert.Dtype:
        """Several lanes are told as in "float32x4"."""
        name, _, lanes = str(tensor.dtype).partition("x")
        return cls.named_dtype(name)._replace(lanes=int(lanes or 1))

    def read(self, tensor: NDArray) -> bytes:
        return tensor.asnumpy().tobytes()

    def write(self, tensor: NDArray, data: bytes) -> None:
        tensor.copyfrom(numpy.frombuffer(data, tensor.dtype).reshape(tensor.shape))

    def to_dlpack(self, tensor: NDArray) -> Any:
        return tensor.to_dlpack()

    def import_capsule(self, capsule: Any) -> NDArray:
        return decord.nd.from_dlpack(capsule)

    def source_imports(self) -> str:
        return "import decord\nimport numpy\nfrom_dlpack = decord.nd.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        return f'decord.nd.array(numpy.frombuffer(bytes.fromhex("{data.hex()}"), "{spec.dtype.name}")' \
               f".reshape({spec.shape}))"

    def source_read(self) -> str:
        return "x.asnumpy().tobytes()"
