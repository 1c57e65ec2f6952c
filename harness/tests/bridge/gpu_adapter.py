# SPDX-License-Identifier: Apache-2.0
"""A runtime whose answers show what reached it."""

import contextlib
import os
import types
import warnings

import dlcert

from ._gpu_adapter_guard import Guard, shown


class LateError(Exception):
    pass


class Gpu(dlcert.Adapter):
    library = types.SimpleNamespace(__name__="gpu", __version__="0", from_dlpack=None)
    deferred_error = LateError
    vendor = "cuda"

    def __init__(self):
        self.journal, self.queued, self.build = [], [], None

    def named_device(self, device):
        return f"device {device}"

    # ---- devices ----

    def visible_devices(self):
        return os.environ.get("CUDA_VISIBLE_DEVICES", "unset").split(",")

    def raw_device_count(self):
        return -1

    def raw_device_uuids(self):
        return ["GPU-1", "GPU-2"] if self.visible_devices() == ["uuids"] else None

    def uuids_to_ordinals(self, identifiers, uuids):
        return [uuids.index(one) for one in identifiers]

    def management_device_count(self):
        return 2

    def device_count(self):
        return 3

    def is_available(self):
        return True

    def management_index(self, device=7):
        return 10 * device

    def device_index(self, device, optional):
        raise ValueError(f"{shown(device)}, {optional}")

    def device_name(self, device="absent"):
        return f"<{shown(device)}>"

    def device_capability(self, device=None):
        return 9, 1

    def device_properties(self, device=None):
        return dlcert.DeviceProperties("H100", 9, 0, 2 ** 40)

    def can_access_peer(self, device, peer):
        return device < peer

    # ---- runtime ----

    def behave_as(self, build):
        if not build.gpu:
            raise dlcert.NotFormable
        self.build = build

    def initialize(self):
        for kind, call in self.queued:
            try:
                call()
            except ValueError as error:
                raise LateError(f"kind {kind}: {error}") from error

    def is_initialized(self):
        return self.build is not None and self.build.runtime_bindings

    def queue(self, kind, call):
        self.queued.append((kind, call))

    def runtime_bindings(self):
        return types

    def check_error(self, code):
        raise RuntimeError(f"code {code}")

    def constant(self, which):
        return {dlcert.Constant.STATUS_NOT_READY: 600}[which]

    def current_device_index(self):
        return "no number"

    def set_device(self, device):
        raise TypeError(shown(device))

    def exchange_device(self, device):
        return device - 1

    def maybe_exchange_device(self, device):
        return device - 2

    def device_guard(self, device):
        return Guard(self, shown(device))

    def device_of_guard(self, device):
        return contextlib.nullcontext()

    def stream_guard(self, stream):
        return Guard(self, str(stream))

    def new_stream(self, device=None):
        return dlcert.Stream(1, 2, 3, 2 ** 63)

    def external_stream(self, handle, device=None):
        return dlcert.Stream(4, 5, 6, handle)

    def current_stream_of(self, device=None):
        return dlcert.Stream(7, 0, 1, 0)

    def default_stream_of(self, device=None):
        return dlcert.Stream(0, 0, 1, 0)

    def set_stream(self, stream):
        raise ValueError(str(stream))

    def synchronize_device(self, device=None):
        raise ValueError(shown(device))

    def sleep(self, cycles):
        raise ValueError(cycles)

    def ipc_collect(self):
        raise ValueError(" ".join(self.journal))

    def blas_handle(self):
        return 2 ** 64 - 1

    def set_sync_debug_mode(self, mode):
        raise ValueError(mode)

    def sync_debug_mode(self):
        return 2

    def architectures(self):
        return self.build.architecture_flags.split()

    def gencode_flags(self):
        return ""

    def parse_architecture(self, text):
        return int(text[3:5])

    def supports_bfloat16(self, including_emulation):
        return not including_emulation

    def set_generator_offset(self, offset, device=None):
        raise ValueError(f"{offset} of {shown(device)}")

    def generator_offset(self, device=None):
        return 8

    def registered_kernels(self):
        return ["sparse_product"]

    def storage_classes(self):
        return "ByteStorage", "BoolStorage"

    def storage_dtype(self, name, published):
        if published:
            warnings.warn(name, FutureWarning)
        return dlcert.Dtype(1, 8, 1)

    def build_storage(self, name, source):
        raise RuntimeError(f"{name} from {dlcert.StorageSource(source).name}")

    def gpu_object(self, device=None):
        return [device]

    def describe_gpu_object(self, made):
        return True, made != [0]

    def convert_gpu_object(self, made, type):
        raise ValueError(f"{made} to {type}")

    # ---- telemetry ----

    def memory_usage(self, device=None):
        return dlcert.Measurement(50, dlcert.Unit.PERCENT)

    def utilization(self, device=None):
        return dlcert.Measurement(60)

    def temperature(self, device=None):
        return dlcert.Measurement(-5, dlcert.Unit.DEGREES_CELSIUS)

    def power_draw(self, device=None):
        return dlcert.Measurement(70_000, dlcert.Unit.MILLIWATTS)

    def clock_rate(self, device=None):
        raise OSError("no sensor")
