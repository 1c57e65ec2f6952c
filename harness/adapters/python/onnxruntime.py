# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's OrtValues, on the host: those of NumPy's dtypes are made from arrays, as users do."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Callable

import dlcert
import numpy
import onnxruntime
from onnxruntime import OrtValue

CPU = (1, 0)
OF_NUMPY = {
    dlcert.Adapter.named_dtype(name): number
    for name, number in {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6,
                         "int64": 7, "bool": 9, "float16": 10, "float64": 11, "uint32": 12,
                         "uint64": 13}.items()}
# bfloat16, the float8s, and what is smaller: TensorProto.DataType by DLPack's codes and bits.
OTHERS = {
    dlcert.Dtype(code, bits, 1): number
    for (code, bits), number in {(4, 16): 16, (10, 8): 17, (11, 8): 18, (12, 8): 19, (13, 8): 20,
                                 (14, 8): 24, (1, 4): 21, (0, 4): 22, (17, 4): 23, (1, 2): 25,
                                 (0, 2): 26}.items()}


def _is_exported(number: int) -> bool:
    """Whether this release has tensors of that type, and exports them."""
    try:
        OrtValue.ortvalue_from_shape_and_type([1], number).__dlpack__()
        return True
    except (AttributeError, RuntimeError):
        return False


DTYPES = {dtype: number for dtype, number in {**OF_NUMPY, **OTHERS}.items() if _is_exported(number)}
CODES = {number: dtype for dtype, number in DTYPES.items()}
NOT_EXPORTED = {dtype: number for dtype, number in OTHERS.items() if dtype not in DTYPES}


class OnnxRuntime(dlcert.Adapter):
    library = onnxruntime
    array_type = OrtValue
    export_arguments = frozenset({"stream"})
    import_arguments: frozenset[str] = frozenset()

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return OrtValue.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.state == dlcert.State.NOT_EXPORTED:
            return spec.dtype in NOT_EXPORTED
        return self.can_import(spec)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (spec.device == CPU and spec.state == 0 and spec.compact and not spec.padded
                and not spec.read_only and spec.dtype in DTYPES
                and (spec.dtype in OTHERS or len(spec.shape) <= 64))

    def create(self, spec: dlcert.Spec, data: bytes) -> OrtValue:
        if spec.state == dlcert.State.NOT_EXPORTED:
            return OrtValue.ortvalue_from_shape_and_type(spec.shape, NOT_EXPORTED[spec.dtype])
        if spec.dtype in OF_NUMPY:
            array = numpy.frombuffer(bytearray(data), spec.dtype.name).reshape(spec.shape)
            return OrtValue.ortvalue_from_numpy(array)
        value = OrtValue.ortvalue_from_shape_and_type(spec.shape, DTYPES[spec.dtype])
        self.write(value, data)
        return value

    def describe(self, tensor: OrtValue) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.element_type()], tuple(tensor.shape()),
                                  tensor.__dlpack_device__(), None, tensor.data_ptr())

    def read(self, tensor: OrtValue) -> bytes:
        memory = ctypes.string_at(tensor.data_ptr(), tensor.tensor_size_in_bytes())
        bits = CODES[tensor.element_type()].bits
        if bits >= 8:
            return memory
        per_byte, mask = 8 // bits, (1 << bits) - 1
        values = (byte >> bits * at & mask for byte in memory for at in range(per_byte))
        return bytes(values)[:math.prod(tensor.shape())]

    def write(self, tensor: OrtValue, data: bytes) -> None:
        memory = _packed(data, CODES[tensor.element_type()].bits)
        ctypes.memmove(tensor.data_ptr(), memory, len(memory))

    def import_capsule(self, capsule: Any) -> OrtValue:
        return OrtValue.from_dlpack(capsule)

    def source_imports(self) -> str:
        return "import ctypes, numpy, onnxruntime\nfrom onnxruntime import OrtValue\n" \
               "from_dlpack = OrtValue.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state == dlcert.State.NOT_EXPORTED:
            return "OrtValue.ortvalue_from_shape_and_type(" \
                   f"{list(spec.shape)}, {NOT_EXPORTED[spec.dtype]})"
        if spec.dtype in OF_NUMPY:
            return 'OrtValue.ortvalue_from_numpy(numpy.frombuffer(bytearray.fromhex(' \
                   f'"{data.hex()}"), "{spec.dtype.name}").reshape({spec.shape}))'
        memory = _packed(data, spec.dtype.bits)
        return f'(lambda v: ctypes.memmove(v.data_ptr(), bytes.fromhex("{memory.hex()}"), ' \
               f"{len(memory)}) and v or v)(OrtValue.ortvalue_from_shape_and_type(" \
               f"{list(spec.shape)}, {DTYPES[spec.dtype]}))"

    def source_read(self) -> str:
        return "ctypes.string_at(x.data_ptr(), x.tensor_size_in_bytes())"


def _packed(data: bytes, bits: int) -> bytes:
    """Logical bytes as they lie in memory: the first element of a byte in its low bits."""
    if bits >= 8:
        return data
    per_byte = 8 // bits
    return bytes(sum(value << bits * at for at, value in enumerate(data[start:start + per_byte]))
                 for start in range(0, len(data), per_byte))
