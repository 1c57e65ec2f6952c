# SPDX-License-Identifier: Apache-2.0
"""Types for the methods of devices, runtime and telemetry. adapter_runtime.h describes them."""

from __future__ import annotations

import enum
from typing import NamedTuple


class DeviceProperties(NamedTuple):
    """The properties of a device, as the library reports them."""

    name: str
    major: int  # of the compute capability
    minor: int
    total_memory: int  # bytes


class Bindings(enum.IntEnum):
    """State of the Python bindings of the management library."""

    PRESENT = 0
    MISSING = 1
    BROKEN = 2


class Build(NamedTuple):
    """The build options that a library must behave as if it had."""

    gpu: bool
    runtime_bindings: bool
    linear_algebra: bool
    management_bindings: int  # a Bindings
    architecture_flags: str  # "sm_70 compute_80"


class CallKind(enum.IntEnum):
    """The kind of a queued call."""

    PLAIN = 0
    SEED = 1
    SEED_ALL = 2


class Constant(enum.IntEnum):
    """Numbers that a library publishes."""

    STATUS_SUCCESS = 0
    STATUS_NOT_READY = 1
    HAS_HALF = 2
    HAS_LINEAR_ALGEBRA = 3
    DEFAULT_GENERATORS = 4


class Stream(NamedTuple):
    """A stream of the library, by value."""

    id: int
    device_index: int
    device_type: int
    handle: int


class StorageSource(enum.IntEnum):
    """What a storage is built from."""

    BUFFER = 0
    WEAK_POINTER = 1
    SHARED_FILE = 2


class Unit(enum.IntEnum):
    """The units of a measurement."""

    NOT_TOLD = 0
    PERCENT = 1
    MEBIBYTES = 2
    DEGREES_CELSIUS = 3
    MILLIWATTS = 4
    WATTS = 5
    MEGAHERTZ = 6
    HERTZ = 7


class Measurement(NamedTuple):
    """One sample, in the unit that the library reports."""

    value: int
    unit: int = Unit.NOT_TOLD
