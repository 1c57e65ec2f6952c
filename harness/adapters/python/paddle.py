# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle's tensors, on the host."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

import dlcert
import numpy
import paddle

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "float16", "float32",
         "float64", "bfloat16", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2")
DTYPES = {dlcert.Adapter.named_dtype(name): getattr(paddle, name) for name in NAMES
          if hasattr(paddle, name)}
CODES = {dtype: code for code, dtype in DTYPES.items()}
# What makes views and copies of them is not there for the host.
BARE_NAMES = ("uint32", "uint64")
STATES = (0, dlcert.State.REQUIRES_GRADIENT, dlcert.State.SPARSE)
CPU = (1, 0)
MOST_DIMENSIONS = 9


def _parameters(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters) - {"self", "dlpack"}


class Paddle(dlcert.Adapter):
    library = paddle
    array_type = paddle.Tensor
    export_arguments = _parameters(paddle.Tensor.__dlpack__)
    import_arguments = _parameters(paddle.utils.dlpack.from_dlpack)

    @property
    def from_dlpack(self) -> Any:
        return paddle.utils.dlpack.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.device != CPU or spec.read_only or spec.padded or spec.byte_strides:
            return False
        if spec.state not in STATES or spec.dtype not in DTYPES:
            return False
        if spec.state and spec.dtype.name not in ("float32", "float64"):
            return False
        if spec.state == dlcert.State.SPARSE and len(spec.shape) == 0:
            return False
        if spec.dtype.name in BARE_NAMES and not _is_bare(spec):
            return False
        return len(spec.shape) <= MOST_DIMENSIONS

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.state == 0 and self.can(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> paddle.Tensor:
        dtype = DTYPES[spec.dtype]
        if spec.dtype.name in BARE_NAMES:
            return paddle.to_tensor(numpy.frombuffer(data, numpy.uint8)).view(dtype)
        storage = paddle.to_tensor(_laid_out(spec, data)).view(dtype)
        tensor = paddle.as_strided(storage, spec.shape, spec.strides,
                                   spec.offset * spec.dtype.itemsize)
        if spec.state == dlcert.State.REQUIRES_GRADIENT:
            tensor.stop_gradient = False
        if spec.state == dlcert.State.SPARSE:
            return tensor.to_sparse_coo(len(spec.shape))
        return tensor

    def describe(self, tensor: paddle.Tensor) -> dlcert.Description:
        return dlcert.Description(CODES[tensor.dtype], tuple(tensor.shape), CPU,
                                  tuple(tensor.strides), tensor.data_ptr())

    def read(self, tensor: paddle.Tensor) -> bytes:
        if tensor.is_sparse():
            tensor = tensor.to_dense()
        compact = tensor
        if not tensor.is_contiguous():
            # contiguous() moves the tensor itself, and all that share it, to other memory.
            bare = CODES[tensor.dtype].name in BARE_NAMES
            compact = tensor.detach().contiguous() if bare else tensor.clone()
        return ctypes.string_at(compact.data_ptr(), compact.size * compact.element_size())

    def write(self, tensor: paddle.Tensor, data: bytes) -> None:
        if data:
            values = paddle.to_tensor(numpy.frombuffer(data, numpy.uint8))
            values = values.view(tensor.dtype)
            tensor.copy_(values if tensor.ndim == 1 else values.view(tensor.shape), True)

    def alias(self, tensor: paddle.Tensor) -> paddle.Tensor:
        return tensor.detach()

    def import_capsule(self, capsule: Any) -> paddle.Tensor:
        return self.from_dlpack(capsule)

    def to_dlpack(self, tensor: paddle.Tensor) -> Any:
        return paddle.utils.dlpack.to_dlpack(tensor)

    def device(self, device: tuple[int, int]) -> Any:
        if device != CPU:
            raise dlcert.NotFormable
        return paddle.CPUPlace()

    def source_imports(self) -> str:
        return "import paddle\nfrom paddle.utils.dlpack import from_dlpack"

    def source_device(self, device: tuple[int, int]) -> str:
        self.device(device)
        return "paddle.CPUPlace()"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state == dlcert.State.REQUIRES_GRADIENT:
            raise dlcert.NotFormable
        dtype = DTYPES[spec.dtype]
        if spec.dtype.name in BARE_NAMES:
            return f'paddle.to_tensor({list(data)}, "uint8").view({dtype})'
        storage = list(_laid_out(spec, data).tobytes())
        end = f".to_sparse_coo({len(spec.shape)})" if spec.state else ""
        return f'paddle.as_strided(paddle.to_tensor({storage}, "uint8").view({dtype}), ' \
               f"{spec.shape}, {spec.strides}, {spec.offset * spec.dtype.itemsize}){end}"

    def source_read(self) -> str:
        return "(lambda c: ctypes.string_at(c.data_ptr(), c.size * c.element_size()))" \
               "(x if x.is_contiguous() else x.clone())"


def _is_bare(spec: dlcert.Spec) -> bool:
    return spec.compact and len(spec.shape) == 1 and spec.size > 0


def _laid_out(spec: dlcert.Spec, data: bytes) -> Any:
    """The storage's bytes, with the elements at their places."""
    size = spec.dtype.itemsize
    storage = numpy.zeros(max(spec.storage_size, 1) * size, numpy.uint8)
    if data:
        places = numpy.ndarray(spec.shape, f"V{size}", storage, spec.offset * size,
                               tuple(stride * size for stride in spec.strides))
        places[...] = numpy.frombuffer(data, f"V{size}").reshape(spec.shape)
    return storage
