# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's eager tensors, on the host."""

from __future__ import annotations

import ctypes
from typing import Any

import dlcert
import numpy
import tensorflow

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "bfloat16", "complex64", "complex128")
DTYPES = {dlcert.Adapter.named_dtype(name): getattr(tensorflow, name) for name in NAMES}
CODES = {dtype: code for code, dtype in DTYPES.items()}
MOST_DIMENSIONS = 254
EXCHANGE = tensorflow.experimental.dlpack
# Without public names; as_dtype() knows them.
NOT_EXPORTED = {dlcert.Adapter.named_dtype(name): name
                for name in ("int2", "int4", "uint2", "uint4", "float8_e4m3fn")}
STATES = {
    dlcert.State.STRING: 'tensorflow.constant(["one", "two"])',
    dlcert.State.QUANTIZED: "tensorflow.quantization.quantize([1.0, 2.0], 0.0, 2.0, "
                            "tensorflow.qint8).output",
}


class TensorFlow(dlcert.Adapter):
    """Row-major tensors: it has no strides. They are immutable, and imported as capsules alone."""

    library = tensorflow
    from_dlpack = None
    import_from = None

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.state:
            return _source(spec) is not None
        return spec.plain and not spec.read_only and spec.dtype in DTYPES \
            and len(spec.shape) <= MOST_DIMENSIONS and _is_row_major(spec)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return not spec.state and self.can(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> Any:
        if spec.state:
            return eval(_source(spec))
        flat = tensorflow.constant(_laid_out(spec, data))
        return tensorflow.reshape(flat[spec.offset:spec.offset + spec.size], spec.shape)

    def describe(self, tensor: Any) -> dlcert.Description:
        # A scalar is copied into NumPy, an array is not.
        array = tensorflow.reshape(tensor, (-1,))._numpy_internal()
        return dlcert.Description(CODES[tensor.dtype], tuple(tensor.shape), (1, 0), None,
                                  array.ctypes.data if array.size else 0)

    def read(self, tensor: Any) -> bytes:
        return tensor.numpy().tobytes()

    def alias(self, tensor: Any) -> Any:
        return tensorflow.reshape(tensor, tensor.shape)

    def import_capsule(self, capsule: Any) -> Any:
        return EXCHANGE.from_dlpack(capsule)

    def to_dlpack(self, tensor: Any) -> Any:
        return EXCHANGE.to_dlpack(tensor)

    def source_imports(self) -> str:
        return "import numpy\nimport tensorflow\n" \
               "from_dlpack = tensorflow.experimental.dlpack.from_dlpack"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state:
            return _source(spec)
        storage = _laid_out(spec, data).tobytes().hex()
        return f'tensorflow.reshape(tensorflow.constant(numpy.frombuffer(bytes.fromhex("{storage}"), ' \
               f"tensorflow.{DTYPES[spec.dtype].name}.as_numpy_dtype))" \
               f"[{spec.offset}:{spec.offset + spec.size}], {spec.shape})"

    def source_read(self) -> str:
        return "x.numpy().tobytes()"


def _source(spec: dlcert.Spec) -> str | None:
    """An expression for a tensor in this state; None: TensorFlow has none, or exports it."""
    if spec.state == dlcert.State.NOT_EXPORTED and spec.dtype in NOT_EXPORTED:
        dtype = f'tensorflow.as_dtype("{NOT_EXPORTED[spec.dtype]}")'
        return f"tensorflow.constant(numpy.zeros({spec.shape}, {dtype}.as_numpy_dtype))"
    return STATES.get(spec.state)


def _is_row_major(spec: dlcert.Spec) -> bool:
    return spec._replace(offset=0).compact


def _laid_out(spec: dlcert.Spec, data: bytes) -> Any:
    values = numpy.frombuffer(data, DTYPES[spec.dtype].as_numpy_dtype)
    storage = numpy.zeros(spec.storage_size, values.dtype)
    storage[spec.offset:spec.offset + spec.size] = values
    return storage
