# SPDX-License-Identifier: Apache-2.0
"""The arrays of an extension module, which nanobind exports and imports."""

from __future__ import annotations

import dlcert
import nanobind_example
from nanobind_example import Array


class Nanobind(dlcert.Adapter):
    library = nanobind_example
    name = "nanobind"
    import_arguments = frozenset()
    knows_read_only = True
    passes_codes_through = True  # of dtypes

    def can(self, spec: dlcert.Spec) -> bool:
        return spec.plain and len(spec.shape) <= 128

    def can_import(self, spec: dlcert.Spec) -> bool:
        return self.can(spec) and not spec.read_only

    def create(self, spec: dlcert.Spec, data: bytes) -> Array:
        return nanobind_example.array(dlcert.laid_out(spec, data), spec.dtype, spec.shape,
                                      spec.strides, spec.offset, spec.read_only)

    def describe(self, tensor: Array) -> dlcert.Description:
        return dlcert.Description(tensor.dtype, tuple(tensor.shape), tensor.__dlpack_device__(),
                                  tuple(tensor.strides), tensor.data, (0, 0), tensor.read_only)

    def read(self, tensor: Array) -> bytes:
        return tensor.tobytes()

    def write(self, tensor: Array, data: bytes) -> None:
        tensor.setbytes(data)

    def from_dlpack(self, source: object, /, **arguments: object) -> Array:
        """nanobind has none: this function is dlcert's example, which shows how a function of an extension takes
        an array. It is not judged for arguments that the example could have or not have."""
        if arguments:
            raise dlcert.NotFormable
        return nanobind_example.from_dlpack(source)

    def import_capsule(self, capsule: object) -> Array:
        return nanobind_example.from_dlpack(capsule)

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        return f'nanobind_example.array(bytes.fromhex("{dlcert.laid_out(spec, data).hex()}"), ' \
               f"{tuple(spec.dtype)}, {spec.shape}, {spec.strides}, {spec.offset}, {spec.read_only})"

    def source_read(self) -> str:
        return "x.tobytes()"
