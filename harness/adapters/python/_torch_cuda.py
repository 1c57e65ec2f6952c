# SPDX-License-Identifier: Apache-2.0
"""torch.cuda: the devices, the runtime and the telemetry of PyTorch's builds for CUDA and for ROCm.

A build for ROCm has CUDA's names, such as torch.device("cuda"), but asks AMD SMI in place of NVML, by
functions with names of their own, and exports device memory under DLPack's code for ROCm.

Nothing here calls the GPU runtime before a method does: processes are forked behind the import.
Parameters that torch.cuda has defaults for are passed on as they come, by *device.
"""

from __future__ import annotations

import importlib.util
import inspect
from typing import Any, Callable, ContextManager

import dlcert
import torch

IS_ROCM = bool(torch.version.hip)
GPU = 10 if IS_ROCM else 2  # DLPack's device type of torch.device("cuda")
# PyTorch's name of each device type of DLPack. A build for ROCm has none for CUDA's.
TYPES = {1: "cpu", 4: "opencl", 7: "vulkan", 8: "mps", 12: "privateuseone", 14: "xpu", 17: "maia",
         **({} if IS_ROCM else {10: "hip"}), GPU: "cuda"}
# The management library, in names of functions; the module of its bindings; and where torch.cuda keeps
# whether it has the module, and why not. In 2.10 and before, both modules share one place.
MANAGEMENT, BINDINGS = ("amdsmi", "amdsmi") if IS_ROCM else ("nvml", "pynvml")
HAS_BINDINGS, BINDINGS_ERROR = (("_HAS_AMDSMI", "_AMDSMI_ERR") if IS_ROCM and hasattr(torch.cuda, "_HAS_AMDSMI")
                                else ("_HAS_PYNVML", "_PYNVML_ERR"))
# What a method needs of torch.cuda where releases differ; without it the method is one that PyTorch lacks.
NEEDS = {
    "raw_device_count": f"_raw_device_count_{MANAGEMENT}", "raw_device_uuids": f"_raw_device_uuid_{MANAGEMENT}",
    "uuids_to_ordinals": "_transform_uuid_to_ordinals",
    "management_device_count": f"_device_count_{MANAGEMENT}",
    "management_index": f"_get_{MANAGEMENT}_device_index",
    "exchange_device": "_exchange_device", "maybe_exchange_device": "_maybe_exchange_device",
    "parse_architecture": "_extract_arch_version", "set_generator_offset": "_set_rng_state_offset",
    "generator_offset": "_get_rng_state_offset", "temperature": "temperature", "power_draw": "power_draw",
    "clock_rate": "clock_rate", "registered_kernels": "_register_triton_kernels",
}
CONSTANTS = {
    dlcert.Constant.STATUS_SUCCESS: lambda: torch.cuda.cudaStatus.SUCCESS,
    dlcert.Constant.STATUS_NOT_READY: lambda: torch.cuda.cudaStatus.ERROR_NOT_READY,
    dlcert.Constant.HAS_HALF: lambda: int(torch.cuda.has_half),
    dlcert.Constant.HAS_LINEAR_ALGEBRA: lambda: int(torch.cuda.has_magma),
    dlcert.Constant.DEFAULT_GENERATORS: lambda: len(torch.cuda.default_generators),
}
SEEDS: dict[int, dict[str, bool]] = {
    dlcert.CallKind.PLAIN: {}, dlcert.CallKind.SEED: {"seed": True}, dlcert.CallKind.SEED_ALL: {"seed_all": True}}
STORAGE_BUILDERS = {
    dlcert.StorageSource.BUFFER: "from_buffer", dlcert.StorageSource.WEAK_POINTER: "_new_with_weak_ptr",
    dlcert.StorageSource.SHARED_FILE: "_new_shared_filename"}
BINDINGS_ERRORS = {  # torch.cuda does not keep the error of a module that is not there
    dlcert.Bindings.MISSING: None, dlcert.Bindings.BROKEN: ImportError(f"{BINDINGS} cannot be imported")}

Device = Any  # int, str, torch.device, torch.cuda.device or None


class Held:
    """Memory on a device, as a class beside torch.cuda._CudaBase has it: converted on the current one."""

    def __init__(self, device: Device) -> None:
        with torch.cuda.device(device):
            self.tensor = torch.empty(4, device="cuda")

    def get_device(self) -> int:
        return self.tensor.get_device()

    def type(self, dtype: torch.dtype) -> torch.Tensor:
        """In memory of its own: small tensors share a block that the allocator keeps."""
        return torch.empty(4 << 20, dtype=dtype, device="cuda")


class GpuObject(torch.cuda._CudaBase, Held):
    """PyTorch has the base, and since 2.0 no class of its own that is built on it."""

    def __new__(cls, device: Device) -> GpuObject:
        return super().__new__(cls)


class CudaAdapter(dlcert.Adapter):
    """Base of the adapter of a build for CUDA or for ROCm."""

    runtime = "torch-" + ".".join(torch.__version__.split(".")[:2])
    vendor = "rocm" if IS_ROCM else "cuda"
    deferred_error = torch.cuda.DeferredCudaCallError

    def named_device(self, device: tuple[int, int]) -> torch.device:
        kind, index = device
        if kind not in TYPES:
            raise dlcert.NotFormable
        return torch.device(TYPES[kind]) if index == -1 else torch.device(TYPES[kind], index)

    # ---- devices ----

    def visible_devices(self) -> list[str]:
        return [str(device) for device in torch.cuda._parse_visible_devices()]

    def raw_device_count(self) -> int:
        return _of_torch_cuda("raw_device_count")()

    def raw_device_uuids(self) -> list[str] | None:
        return _of_torch_cuda("raw_device_uuids")()

    def uuids_to_ordinals(self, identifiers: tuple[str, ...], uuids: tuple[str, ...]) -> list[int]:
        return torch.cuda._transform_uuid_to_ordinals(list(identifiers), list(uuids))

    def management_device_count(self) -> int:
        return _of_torch_cuda("management_device_count")()

    def device_count(self) -> int:
        return torch.cuda.device_count()

    def is_available(self) -> bool:
        return torch.cuda.is_available()

    def management_index(self, device: Device = None) -> int:
        return _of_torch_cuda("management_index")(device)

    def device_index(self, device: Device, optional: bool) -> int:
        return torch.cuda._utils._get_device_index(device, optional)

    def device_name(self, *device: Device) -> str:
        return torch.cuda.get_device_name(*device)

    def device_capability(self, *device: Device) -> tuple[int, int]:
        return torch.cuda.get_device_capability(*device)

    def device_properties(self, device: Device = None) -> dlcert.DeviceProperties:
        properties = torch.cuda.get_device_properties(device)
        return dlcert.DeviceProperties(properties.name, properties.major, properties.minor,
                                       properties.total_memory)

    def can_access_peer(self, device: Device, peer: Device = None) -> bool:
        return torch.cuda.can_device_access_peer(device, peer)

    # ---- the build ----

    def behave_as(self, build: dlcert.Build) -> None:
        """As torch.cuda is after an import in such a build, where that differs in Python alone."""
        if not build.gpu or build.linear_algebra != torch.cuda.has_magma:
            raise dlcert.NotFormable
        if build.management_bindings in BINDINGS_ERRORS:
            setattr(torch.cuda, HAS_BINDINGS, False)
            setattr(torch.cuda, BINDINGS_ERROR, BINDINGS_ERRORS[dlcert.Bindings(build.management_bindings)])
        elif not getattr(torch.cuda, HAS_BINDINGS):
            raise dlcert.NotFormable
        if not build.runtime_bindings:
            torch.cuda._cudart = None
        torch._C._cuda_getArchFlags = lambda: build.architecture_flags

    def architectures(self) -> list[str]:
        return torch.cuda.get_arch_list()

    def gencode_flags(self) -> str:
        return torch.cuda.get_gencode_flags()

    def parse_architecture(self, text: str) -> int:
        return torch.cuda._extract_arch_version(text)

    def supports_bfloat16(self, including_emulation: bool) -> bool:
        supported = torch.cuda.is_bf16_supported
        if "including_emulation" not in inspect.signature(supported).parameters:
            raise dlcert.NotFormable
        return supported(including_emulation)

    # ---- initialization ----

    def initialize(self) -> None:
        torch.cuda.init()

    def is_initialized(self) -> bool:
        return torch.cuda.is_initialized()

    def queue(self, kind: int, call: Callable[[], None]) -> None:
        torch.cuda._lazy_call(call, **SEEDS[dlcert.CallKind(kind)])

    def runtime_bindings(self) -> Any:
        return torch.cuda.cudart()

    def check_error(self, code: int) -> None:
        torch.cuda.check_error(code)

    def constant(self, which: int) -> int:
        return CONSTANTS[dlcert.Constant(which)]()

    # ---- the current device ----

    def current_device_index(self) -> int:
        return torch.cuda.current_device()

    def set_device(self, device: Device = None) -> None:
        torch.cuda.set_device(device)

    def exchange_device(self, device: int) -> int:
        return torch.cuda._exchange_device(device)

    def maybe_exchange_device(self, device: int) -> int:
        return torch.cuda._maybe_exchange_device(device)

    def device_guard(self, device: Device = None) -> ContextManager[Any]:
        return torch.cuda.device(device)

    def device_of_guard(self, device: Device) -> ContextManager[Any]:
        return torch.cuda.device_of(torch.empty(1, device=device))

    # ---- streams ----

    def stream_guard(self, stream: dlcert.Stream | None) -> ContextManager[Any]:
        return torch.cuda.stream(_stream(stream))

    def new_stream(self, *device: Device) -> dlcert.Stream:
        return _told(torch.cuda.Stream(*device))

    def external_stream(self, handle: int, *device: Device) -> dlcert.Stream:
        return _told(torch.cuda.ExternalStream(handle, *device))

    def current_stream_of(self, *device: Device) -> dlcert.Stream:
        return _told(torch.cuda.current_stream(*device))

    def default_stream_of(self, *device: Device) -> dlcert.Stream:
        return _told(torch.cuda.default_stream(*device))

    def set_stream(self, stream: dlcert.Stream | None) -> None:
        torch.cuda.set_stream(_stream(stream))

    def synchronize_device(self, *device: Device) -> None:
        torch.cuda.synchronize(*device)

    def sleep(self, cycles: int) -> None:
        torch.cuda._sleep(cycles)

    def ipc_collect(self) -> None:
        torch.cuda.ipc_collect()

    def blas_handle(self) -> int:
        return torch.cuda.current_blas_handle()

    def set_sync_debug_mode(self, mode: int | str) -> None:
        torch.cuda.set_sync_debug_mode(mode)

    def sync_debug_mode(self) -> int:
        return torch.cuda.get_sync_debug_mode()

    def registered_kernels(self) -> list[str]:
        return [operator for operator, _ in torch._TritonLibrary.ops_table]

    # ---- generators and storages ----

    def set_generator_offset(self, offset: int, *device: Device) -> None:
        torch.cuda._set_rng_state_offset(offset, *device)

    def generator_offset(self, *device: Device) -> int:
        return torch.cuda._get_rng_state_offset(*device)

    def storage_classes(self) -> list[str]:
        return [one.__name__ for one in torch._storage_classes if one.__module__ == "torch.cuda"]

    def storage_dtype(self, name: str, published: bool) -> dlcert.Dtype:
        storage = getattr(torch.cuda, name)
        return self.named_dtype(str(storage.dtype if published else storage._dtype))

    def build_storage(self, name: str, source: int) -> None:
        arguments = (None, None, 1) if source == dlcert.StorageSource.SHARED_FILE else (b"\0" * 16,)
        getattr(getattr(torch.cuda, name), STORAGE_BUILDERS[dlcert.StorageSource(source)])(*arguments)

    def gpu_object(self, device: Device = None) -> GpuObject:
        return GpuObject(device)

    def describe_gpu_object(self, made: GpuObject) -> tuple[bool, bool]:
        return made.is_cuda, made.is_sparse

    def convert_gpu_object(self, made: GpuObject, name: str) -> None:
        made.type(getattr(torch.cuda, name)._dtype)

    # ---- telemetry, in the units of torch.cuda's documentation, which names no others for ROCm ----

    def memory_usage(self, *device: Device) -> dlcert.Measurement:
        return dlcert.Measurement(torch.cuda.memory_usage(*device), dlcert.Unit.PERCENT)

    def utilization(self, *device: Device) -> dlcert.Measurement:
        return dlcert.Measurement(torch.cuda.utilization(*device), dlcert.Unit.PERCENT)

    def temperature(self, *device: Device) -> dlcert.Measurement:
        return dlcert.Measurement(torch.cuda.temperature(*device), dlcert.Unit.DEGREES_CELSIUS)

    def power_draw(self, *device: Device) -> dlcert.Measurement:
        return dlcert.Measurement(torch.cuda.power_draw(*device), dlcert.Unit.MILLIWATTS)

    def clock_rate(self, *device: Device) -> dlcert.Measurement:
        in_megahertz = "megahertz" in torch.cuda.clock_rate.__doc__  # hertz until 2.4
        return dlcert.Measurement(torch.cuda.clock_rate(*device),
                                  dlcert.Unit.MEGAHERTZ if in_megahertz else dlcert.Unit.HERTZ)


for _method, _needed in NEEDS.items():
    if not hasattr(torch.cuda, _needed):
        setattr(CudaAdapter, _method, None)
if importlib.util.find_spec(BINDINGS) is None:  # nothing measures without it
    for _method in ("memory_usage", "utilization", "temperature", "power_draw", "clock_rate"):
        setattr(CudaAdapter, _method, None)


def _of_torch_cuda(method: str) -> Callable[..., Any]:
    """The function of torch.cuda that NEEDS names for a method."""
    return getattr(torch.cuda, NEEDS[method])


def _stream(told: dlcert.Stream | None) -> torch.cuda.Stream | None:
    if told is None:
        return None
    return torch.cuda.Stream(stream_id=told.id, device_index=told.device_index, device_type=told.device_type)


def _told(stream: torch.cuda.Stream) -> dlcert.Stream:
    return dlcert.Stream(stream.stream_id, stream.device_index, stream.device_type, stream.cuda_stream)
