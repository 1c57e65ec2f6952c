# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors, on the host and on the devices of CUDA or, in builds for it, of ROCm.

On a device they are made and read by copies alone: what a kernel writes is not known to a simulated
one.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import itertools
from typing import Any, Iterator

import dlcert
import torch
from ._torch_cuda import GPU, IS_ROCM, TYPES, CudaAdapter

HAS_GPU = IS_ROCM or bool(torch.version.cuda)
Base = CudaAdapter if HAS_GPU else dlcert.Adapter

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "bfloat16", "complex32", "complex64", "complex128", "float8_e4m3fn",
         "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")


def _is_exported(name: str) -> bool:
    """Whether this release has tensors of that dtype, and DLPack functions for them."""
    try:
        torch.utils.dlpack.to_dlpack(torch.empty(1, dtype=getattr(torch, name)))
        return True
    except (AttributeError, RuntimeError, BufferError):
        return False


DTYPES = {dlcert.Adapter.named_dtype(name): getattr(torch, name) for name in NAMES
          if _is_exported(name)}
CODES = {dtype: code for code, dtype in DTYPES.items()}
# What stands before and behind the plain tensor that such a state is made of.
SOURCES = {
    0: ("", ""),
    dlcert.State.REQUIRES_GRADIENT: ("", ".requires_grad_()"),
    dlcert.State.CONJUGATE: ("torch.conj(", ")"),
    dlcert.State.NEGATED: ("torch._neg_view(", ")"),
    dlcert.State.SPARSE: ("", ".to_sparse()"),
}
# Expressions for states whose values do not matter.
OF_NO_VALUES = {
    dlcert.State.QUANTIZED: "torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)",
    dlcert.State.RAGGED: "torch.nested.nested_tensor([torch.ones(1), torch.ones(2)])",
}
LAZY = {dlcert.State.CONJUGATE: torch.conj, dlcert.State.NEGATED: torch._neg_view}
CPU = (1, 0)
READ_ONLY = getattr(torch.utils.dlpack, "ReadOnlyTensorWrapper", None)  # since 2.15; exports alone
DEVICE_TYPES = {name: code for code, name in TYPES.items()}


def _parameters(function: Any) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


class Torch(Base):
    library = torch
    array_type = torch.Tensor
    export_arguments = _parameters(torch.Tensor.__dlpack__)
    import_arguments = _parameters(torch.from_dlpack)

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.padded or spec.byte_strides or not _is_there(spec.device):
            return False
        if spec.read_only and (READ_ONLY is None or spec.device != CPU or spec.state):
            return False
        if spec.device != CPU and spec.state not in (0, dlcert.State.REQUIRES_GRADIENT):
            return False
        if spec.state in OF_NO_VALUES:
            return hasattr(torch, "nested") and hasattr(torch, "quantize_per_tensor")
        if spec.state not in SOURCES or spec.dtype not in DTYPES or len(spec.shape) > 64:
            return False
        if spec.state and not _has_state(spec):
            return False
        return all(stride >= 0 for stride in spec.strides)

    def can_import(self, spec: dlcert.Spec) -> bool:
        return spec.state == 0 and not spec.read_only and self.can(spec)

    def create(self, spec: dlcert.Spec, data: bytes) -> torch.Tensor:
        if spec.device != CPU:
            return self._create_on_device(spec, data)
        if spec.state in OF_NO_VALUES:
            return eval(OF_NO_VALUES[spec.state])
        dtype = DTYPES[spec.dtype]
        storage = torch.zeros(spec.storage_size, dtype=dtype)
        tensor = torch.as_strided(storage, spec.shape, spec.strides, spec.offset)
        if spec.state in LAZY:
            tensor = LAZY[spec.state](tensor)
        if data:
            # An axis with stride 0 has one element, which is written once.
            once = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in spec.strides)
            tensor[once].copy_(_compact(data, dtype).reshape(spec.shape)[once])
        if spec.state == dlcert.State.REQUIRES_GRADIENT:
            return tensor.requires_grad_()
        if spec.state == dlcert.State.SPARSE:
            return tensor.to_sparse()
        return READ_ONLY(tensor) if spec.read_only else tensor

    def _create_on_device(self, spec: dlcert.Spec, data: bytes) -> torch.Tensor:
        """The copy is left to the current stream, as a program's work would be."""
        dtype = DTYPES[spec.dtype]
        storage = _on_host(dlcert.laid_out(spec, data), dtype).pin_memory().to(
            self.device(spec.device), non_blocking=True)
        tensor = torch.as_strided(storage, spec.shape, spec.strides, spec.offset)
        return tensor.requires_grad_() if spec.state else tensor

    def describe(self, tensor: torch.Tensor) -> dlcert.Description:
        is_read_only, tensor = _is_read_only(tensor), _plain(tensor)
        has_untyped = hasattr(tensor, "untyped_storage")  # since 2.0
        storage = tensor.untyped_storage() if has_untyped else tensor.storage()
        return dlcert.Description(
            CODES[tensor.dtype], tuple(tensor.shape),
            (DEVICE_TYPES[tensor.device.type], tensor.device.index or 0), tensor.stride(),
            tensor.data_ptr(), (storage.data_ptr(), storage.nbytes()), is_read_only)

    def read(self, tensor: torch.Tensor) -> bytes:
        tensor = _plain(tensor)
        if tensor.is_sparse:
            tensor = tensor.to_dense()
        if tensor.is_cuda:
            tensor = _to_host(tensor.detach())
        compact = tensor.detach().resolve_conj().resolve_neg().contiguous()
        return ctypes.string_at(compact.data_ptr(), compact.numel() * compact.element_size())

    def write(self, tensor: torch.Tensor, data: bytes) -> None:
        if not data:
            return
        source = _compact(data, tensor.dtype).reshape(tensor.shape)
        if tensor.is_cuda:
            source = source.pin_memory()
            for part, of_source in _runs(tensor, source):
                part.copy_(of_source, non_blocking=True)
        else:
            tensor.copy_(source)

    def alias(self, tensor: torch.Tensor) -> torch.Tensor:
        plain = _plain(tensor)
        view = plain.view(plain.shape)
        return READ_ONLY(view) if _is_read_only(tensor) else view

    def import_capsule(self, capsule: Any) -> torch.Tensor:
        return torch.from_dlpack(capsule)

    def to_dlpack(self, tensor: torch.Tensor) -> Any:
        if _is_read_only(tensor):
            raise dlcert.NotFormable
        return torch.utils.dlpack.to_dlpack(tensor)

    def device(self, device: tuple[int, int]) -> torch.device:
        if device == CPU:
            return torch.device("cpu")
        if device[0] != GPU or not HAS_GPU:
            raise dlcert.NotFormable
        return torch.device("cuda", device[1])

    # ---- streams ----

    @contextlib.contextmanager
    def run_with_stream(self, device: tuple[int, int], stream: int) -> Iterator[None]:
        own = self.device(device)
        given = torch.cuda.ExternalStream(stream, own) if stream else torch.cuda.default_stream(own)
        with torch.cuda.stream(given):
            yield

    def current_stream(self, device: tuple[int, int]) -> int:
        return torch.cuda.current_stream(self.device(device)).cuda_stream

    def synchronize(self, device: tuple[int, int]) -> None:
        torch.cuda.synchronize(self.device(device))

    def current_device(self, device_type: int) -> int:
        if device_type != GPU:
            raise dlcert.NotFormable
        return torch.cuda.current_device()

    def source_device(self, device: tuple[int, int]) -> str:
        return f"torch.{self.device(device)!r}"

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state in OF_NO_VALUES:
            return OF_NO_VALUES[spec.state]
        before, behind = SOURCES[spec.state]
        if spec.read_only:
            before, behind = "torch.utils.dlpack.ReadOnlyTensorWrapper(", ")"
        if spec.device != CPU:
            storage = dlcert.laid_out(spec, data)
            made = f'torch.frombuffer(bytearray.fromhex("{storage.hex()}"), dtype=torch.uint8)' \
                if storage else "torch.zeros(0)"
            return f"{before}{made}.view({DTYPES[spec.dtype]}).to({str(self.device(spec.device))!r})" \
                   f".as_strided({spec.shape}, {spec.strides}, {spec.offset}){behind}"
        tensor = _plain(self.create(spec if spec.state in LAZY else spec._replace(state=0), data))
        storage = ctypes.string_at(*self.describe(tensor).storage)
        if not storage:
            return f"{before}torch.zeros({spec.shape}, dtype={tensor.dtype}){behind}"
        return f'{before}torch.frombuffer(bytearray.fromhex("{storage.hex()}"), dtype=torch.uint8)' \
               f".view({tensor.dtype}).as_strided({spec.shape}, {spec.strides}, {spec.offset}){behind}"

    def source_run_with_stream(self, device: tuple[int, int], stream: str) -> str:
        own = str(self.device(device))
        given = f'torch.cuda.default_stream("{own}")' if stream == "0" \
            else f'torch.cuda.ExternalStream({stream}, "{own}")'
        return f"torch.cuda.stream({given})"

    def source_write(self, data: bytes) -> str:
        """Element by element: of an array with gaps the copy would be a kernel."""
        memory = f'torch.frombuffer(bytearray.fromhex("{data.hex()}"), dtype=torch.uint8)' \
            ".view(x.dtype).pin_memory()"
        return f"[x[tuple(i)].copy_(v, non_blocking=True) " \
               f"for i, v in zip(torch.ones(x.shape).nonzero().tolist(), {memory})]"

    def source_read(self) -> str:
        return "bytes(x.detach().cpu().resolve_conj().resolve_neg().contiguous().reshape(-1)" \
               ".view(torch.uint8).tolist())"


def _is_read_only(tensor: torch.Tensor) -> bool:
    return READ_ONLY is not None and type(tensor) is READ_ONLY


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor of which it is a read-only view, which refuses all but exports."""
    if not _is_read_only(tensor):
        return tensor
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(torch.Tensor)


def _is_there(device: tuple[int, int]) -> bool:
    """Whether this process has that device; asks the GPU runtime only of a device of its own."""
    return device == CPU or device[0] == GPU and 0 <= device[1] < torch.cuda.device_count()


def _on_host(data: bytes, dtype: torch.dtype) -> torch.Tensor:
    return _compact(data, dtype) if data else torch.empty(0, dtype=dtype)


def _to_host(tensor: torch.Tensor) -> torch.Tensor:
    """The same view of a copy of the memory that it spans."""
    if tensor.numel() == 0:
        return torch.empty(tensor.shape, dtype=tensor.dtype)
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride()))
    memory = torch.as_strided(tensor, (span,), (1,), tensor.storage_offset()).cpu()
    return torch.as_strided(memory, tensor.shape, tensor.stride(), 0)


def _runs(tensor: torch.Tensor, source: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Parts of both that a copy takes without a kernel; an axis with stride 0 has one element."""
    once = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in tensor.stride())
    tensor, source = tensor[once], source[once]
    if tensor.is_contiguous() and source.is_contiguous():
        yield tensor, source
        return
    for index in itertools.product(*(range(extent) for extent in tensor.shape)):
        yield tensor[index], source[index]


def _has_state(spec: dlcert.Spec) -> bool:
    complexes, reals = ("complex64", "complex128"), ("float32", "float64")
    if spec.state == dlcert.State.CONJUGATE:
        return spec.dtype.name in complexes
    if spec.state == dlcert.State.NEGATED:  # x.conj().imag is real
        return spec.dtype.name in complexes + reals
    return spec.dtype.name in reals


def _compact(data: bytes, dtype: torch.dtype) -> torch.Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(dtype)
