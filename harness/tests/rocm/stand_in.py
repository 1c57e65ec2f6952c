# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the module torch: the parts that harness/adapters/python/torch.py uses.

The variable STAND_IN_TORCH chooses a release and a build: "2.4.1 rocm", "2.15.0 rocm", "2.4.1 cuda" or "2.4.1 cpu". If
a third word follows, no tensor can be exported, so that the adapter claims none.

As in PyTorch since 2.4, every build has the functions for NVML and those for AMD SMI, without those that
STAND_IN_WITHOUT names. They record their calls in `calls`, and return a fixed value.
"""

import os
import types

__version__, _build, *_without_tensors = os.environ["STAND_IN_TORCH"].split()
_number = tuple(int(part) for part in __version__.split("."))
version = types.SimpleNamespace(cuda="12.1" if _build == "cuda" else None, hip="6.1" if _build == "rocm" else None)
DEVICES = 0 if _build == "cpu" else 2
calls = []


def _recorder(name, value):
    def function(*arguments):
        calls.append((name, *arguments))
        return value

    return function


class device:
    def __init__(self, kind, index=None):
        self.type, self.index = kind, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __repr__(self):
        return f"device(type={self.type!r}, index={self.index})"


float32 = "torch.float32"


class Tensor:
    def __init__(self, place):
        self.device, self.dtype, self.shape = place, float32, (4,)

    def __dlpack__(self, stream=None):
        raise NotImplementedError

    def stride(self):
        return (1,)

    def data_ptr(self):
        return 4096

    def nbytes(self):
        return 16

    def untyped_storage(self):
        return self


def empty(size, dtype=None, device=None):
    return Tensor(device)


def from_dlpack(source):
    raise NotImplementedError


conj = _neg_view = None
def _to_dlpack(tensor):
    if _without_tensors:
        raise RuntimeError


utils = types.SimpleNamespace(dlpack=types.SimpleNamespace(to_dlpack=_to_dlpack))
_C = types.SimpleNamespace()


class _Base:
    pass


def clock_rate(*arguments):
    """The clock in Hz."""
    calls.append(("clock_rate", *arguments))
    return 1500


cuda = types.SimpleNamespace(
    DeferredCudaCallError=type("DeferredCudaCallError", (Exception,), {}),
    _CudaBase=_Base,
    cudaStatus=types.SimpleNamespace(SUCCESS=0, ERROR_NOT_READY=34),
    has_half=True,
    has_magma=True,
    default_generators=(),
    device_count=lambda: DEVICES,
    current_device=_recorder("current_device", 1),
    clock_rate=clock_rate,
    _HAS_PYNVML=True,
    _PYNVML_ERR=None,
    **{name: _recorder(name, value) for name, value in {
        "_parse_visible_devices": [1, 0], "_transform_uuid_to_ordinals": [1],
        "_raw_device_count_nvml": 2, "_raw_device_count_amdsmi": 3,
        "_raw_device_uuid_nvml": ["GPU-1"], "_raw_device_uuid_amdsmi": ["1"],
        "_device_count_nvml": 4, "_device_count_amdsmi": 5,
        "_get_nvml_device_index": 6, "_get_amdsmi_device_index": 7,
        "memory_usage": 50, "utilization": 60, "temperature": 70, "power_draw": 80}.items()})
if _number >= (2, 15):
    cuda._HAS_PYNVML, cuda._HAS_AMDSMI, cuda._AMDSMI_ERR = _build == "cuda", _build == "rocm", None
for _name in filter(None, os.environ.get("STAND_IN_WITHOUT", "").split(",")):
    delattr(cuda, _name)
