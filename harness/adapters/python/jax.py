# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays, on the host, on CUDA devices and in their pinned memory, with 64-bit dtypes enabled.

On a device they are made and read by copies alone: what a kernel writes is not known to a simulated
one, and JAX can compile none there, since cuDNN does not start. What JAX would ask of a device's
files and libraries before it starts is answered here.
"""

from __future__ import annotations

import ctypes
import importlib.util
import mmap
import os
from typing import Any, Callable

os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# A second device of the host.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import dlcert
import jax
import jax.numpy
import ml_dtypes
import numpy


def _has_cuda() -> bool:
    """Whether JAX's plugin is there, and a driver that has devices. A child asks: no fork of a process
    that has called the driver can use it, and cases run in forks of this one."""
    if not any(importlib.util.find_spec(f"jax_cuda{major}_plugin") for major in (12, 13)):
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    child = os.fork()
    if child == 0:
        count = ctypes.c_int()
        failed = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
        os._exit(0 if not failed and count.value > 0 else 1)
    return os.waitpid(child, 0)[1] == 0


HAS_CUDA = _has_cuda()
if HAS_CUDA:
    from jax._src import hardware_utils
    hardware_utils.has_visible_nvidia_gpu = lambda: True  # looks for /dev/nvidia0
jax.config.update("jax_platforms", "cuda,cpu" if HAS_CUDA else "cpu")
jax.config.update("jax_enable_x64", True)

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64", "complex64", "complex128", "bfloat16", "float8_e3m4", "float8_e4m3",
         "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
         "float8_e8m0fnu")
FLOAT4 = dlcert.Adapter.named_dtype("float4_e2m1fn")  # exported, and not imported
DTYPES = {name: numpy.dtype(getattr(ml_dtypes, name, name)) for name in (*NAMES, FLOAT4.name)}
NOT_EXPORTED = {dlcert.Dtype(code, bits, 1): f"{kind}{bits}"
                for code, kind in {0: "int", 1: "uint"}.items() for bits in (2, 4)}
CPU, CUDA, PINNED = (1, 0), 2, (3, 0)
PROGRAMS_KEPT = 100  # JAX compiles one for each shape and dtype that is copied, and keeps it: a megabyte


class Jax(dlcert.Adapter):
    library = jax
    dtypes = frozenset(NAMES)

    def __init__(self) -> None:
        self._copied: set[Any] = set()

    @property
    def array_api(self) -> str | None:
        return getattr(jax.numpy, "__array_api_version__", None)

    @property
    def from_dlpack(self) -> Callable[..., Any]:
        return jax.numpy.from_dlpack

    def can(self, spec: dlcert.Spec) -> bool:
        if spec.state == dlcert.State.NOT_EXPORTED:
            return spec.dtype in NOT_EXPORTED
        if spec.state == dlcert.State.STRING:
            return hasattr(numpy.dtypes, "StringDType")  # since NumPy 2
        in_bytes = spec._replace(dtype=dlcert.Adapter.named_dtype("int8")) if spec.dtype == FLOAT4 else spec
        return self.can_import(in_bytes) and spec.compact and spec.storage_size == spec.size

    def can_import(self, spec: dlcert.Spec) -> bool:
        return (super().can(spec._replace(device=CPU)) and len(spec.shape) <= 64
                and _is_permuted(spec) and _is_there(spec.device))

    def create(self, spec: dlcert.Spec, data: bytes) -> jax.Array:
        if spec.state == dlcert.State.NOT_EXPORTED:
            with jax.default_device(self.device(CPU)):  # it compiles a program
                return jax.numpy.zeros(spec.shape, NOT_EXPORTED[spec.dtype])
        if spec.state == dlcert.State.STRING:
            return jax.device_put(numpy.array(["one", "two"], numpy.dtypes.StringDType()),
                                  self.device(CPU))
        place = _place(spec)
        memory = mmap.mmap(-1, place + len(data) + 1)
        memory[place:place + len(data)] = data
        values = numpy.frombuffer(memory, DTYPES[spec.dtype.name], spec.size, place)
        # jax.numpy.array() would compile a program for each shape.
        array = jax.device_put(values.reshape(spec.shape),
                               _pinned(spec) if spec.device == PINNED else self.device(spec.device))
        return array.block_until_ready() if spec.device[0] == CPU[0] else array

    def describe(self, tensor: jax.Array) -> dlcert.Description:
        said = super().describe(tensor)._replace(data=tensor.unsafe_buffer_pointer())
        if said.device[0] == PINNED[0]:
            return said._replace(device=PINNED)
        is_on_the_host = tensor.device.platform == "cpu"
        return said._replace(device=(CPU[0], tensor.device.id)) if is_on_the_host else said

    def read(self, tensor: jax.Array) -> bytes:
        # NumPy's copy of an array is kept, whatever is written to the array later.
        copied = jax.device_put(tensor, self.device(CPU))
        in_bytes = tensor.dtype != DTYPES[FLOAT4.name]
        return super().read(copied) if in_bytes else numpy.asarray(copied).tobytes()

    def export_capsule(self, tensor: jax.Array, **arguments: Any) -> Any:
        if arguments.get("copy") and tensor.device.platform != "cpu":
            raise dlcert.NotFormable  # a program would be compiled
        if arguments.get("copy"):
            self._copied.add((tensor.dtype, tensor.shape))
            if len(self._copied) > PROGRAMS_KEPT:
                self._copied.clear()
                jax.clear_caches()
        return super().export_capsule(tensor, **arguments)

    def device(self, device: tuple[int, int]) -> jax.Device:
        if device == PINNED or not _is_there(device):
            raise dlcert.NotFormable
        return jax.devices("cpu" if device[0] == CPU[0] else "cuda")[device[1]]

    # ---- streams: each device has its own, which no program can change ----

    def run_with_stream(self, device: tuple[int, int], stream: int) -> Any:
        raise dlcert.NotFormable

    def current_stream(self, device: tuple[int, int]) -> int:
        _cuda_ordinal(device)
        return self.device(device).get_stream_for_external_ready_events()

    def synchronize(self, device: tuple[int, int]) -> None:
        driver, context, before = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
        if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), _cuda_ordinal(device)) \
                or driver.cuCtxPushCurrent_v2(context) or driver.cuCtxSynchronize() \
                or driver.cuCtxPopCurrent_v2(ctypes.byref(before)):
            raise RuntimeError("the driver does not wait")
        driver.cuDevicePrimaryCtxRelease_v2(_cuda_ordinal(device))

    def current_device(self, device_type: int) -> int:
        raise dlcert.NotFormable

    # ---- programs ----

    def source_device(self, device: tuple[int, int]) -> str:
        self.device(device)
        return f'jax.devices("{"cpu" if device[0] == CPU[0] else "cuda"}")[{device[1]}]'

    def source_imports(self) -> str:
        platforms, before, behind = '"cpu"', "", ""
        if HAS_CUDA:  # programs for the host run without a driver too
            platforms = "platforms"
            before = 'os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"\n' \
                     'os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"\n'
            behind = "from jax._src import hardware_utils\n" \
                     "hardware_utils.has_visible_nvidia_gpu = lambda: True\n" \
                     "try:\n" \
                     '    ctypes.CDLL("libcuda.so.1")\n' \
                     '    platforms = "cuda,cpu"\n' \
                     "except OSError:\n" \
                     '    platforms = "cpu"\n'
        return "import os\n" \
               'os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"\n' \
               f"{before}import jax\nimport ml_dtypes, mmap, numpy\n" \
               f"from jax.numpy import from_dlpack\n{behind}" \
               f'jax.config.update("jax_platforms", {platforms})\njax.config.update("jax_enable_x64", True)'

    def source_create(self, spec: dlcert.Spec, data: bytes) -> str:
        if spec.state == dlcert.State.NOT_EXPORTED:
            return f'jax.numpy.zeros({spec.shape}, "{NOT_EXPORTED[spec.dtype]}")'
        if spec.state == dlcert.State.STRING:
            return 'jax.device_put(numpy.array(["one", "two"], numpy.dtypes.StringDType()), ' \
                   f"{self.source_device(CPU)})"
        where = self.source_device(spec.device) if spec.device != PINNED else \
            f'jax.sharding.SingleDeviceSharding({self.source_device((CUDA, _of_pinned(spec)))}, ' \
            'memory_kind="pinned_host")'
        name = spec.dtype.name
        dtype = f"ml_dtypes.{name}" if hasattr(ml_dtypes, name) else f'"{name}"'
        place = _place(spec)
        memory = f"(m := mmap.mmap(-1, {place + len(data) + 1}), m.seek({place}), " \
                 f'm.write(bytes.fromhex("{data.hex()}")))[0]'
        return f"jax.device_put(numpy.frombuffer({memory}, {dtype}, {spec.size}, {place})" \
               f".reshape({spec.shape}), {where}).block_until_ready()"

    def source_read(self) -> str:
        return "numpy.asarray(x).tobytes()"


def _cuda_ordinal(device: tuple[int, int]) -> int:
    if device[0] != CUDA or not _is_there(device):
        raise dlcert.NotFormable
    return device[1]


def _is_there(device: tuple[int, int]) -> bool:
    if device == PINNED:
        return HAS_CUDA
    platforms = {CPU[0]: "cpu", CUDA: "cuda"} if HAS_CUDA else {CPU[0]: "cpu"}
    return device[0] in platforms and 0 <= device[1] < len(jax.devices(platforms[device[0]]))


def _pinned(spec: dlcert.Spec) -> jax.sharding.Sharding:
    return jax.sharding.SingleDeviceSharding(jax.devices("cuda")[_of_pinned(spec)],
                                             memory_kind="pinned_host")


def _of_pinned(spec: dlcert.Spec) -> int:
    """Each device of CUDA has pinned memory of its own: by the rank, so that all are there."""
    return len(spec.shape) % len(jax.devices("cuda"))


def _place(spec: dlcert.Spec) -> int:
    """Of elements in memory that begins at a multiple of 64: NumPy's elements there stay where they
    are, and others become JAX's own. JAX treats the two otherwise, so that there are both."""
    return 0 if len(spec.shape) % 2 else spec.dtype.itemsize


def _is_permuted(spec: dlcert.Spec) -> bool:
    """Whether the axes lie in memory without gaps, in any order."""
    expected = 1
    for stride, extent in sorted(zip(spec.strides, spec.shape)):
        if extent != 1 and stride != expected:
            return False
        expected *= max(extent, 1)
    return True
