# SPDX-License-Identifier: Apache-2.0
"""A library of arrays that needs nothing but the interpreter, and has the fault that WRONG names."""

from __future__ import annotations

import builtins
import ctypes
import itertools
import math
import os
import time

__version__ = "0.1"
FAULT = os.environ.get("WRONG", "")
DTYPES = {"int32": (0, 32, 1), "int64": (0, 64, 1), "float32": (2, 32, 1), "float64": (2, 64, 1)}


class AcmeError(Exception):
    """The library's own error."""


def _fail(function: str) -> None:
    """Raises the error that WRONG names for the function: "tobytes:KeyError"."""
    if FAULT.startswith(f"{function}:"):
        kind = FAULT.partition(":")[2]
        raise getattr(builtins, kind, AcmeError)("acme has failed")


class _Unlucky:
    def __del__(self) -> None:
        raise KeyError("nobody hears it")


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Legacy(ctypes.Structure):
    name = b"dltensor"
    used = b"used_dltensor"
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    name = b"dltensor_versioned"
    used = b"used_dltensor_versioned"
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
for _function in (_api.PyCapsule_IsValid, _api.PyCapsule_GetPointer, _api.PyCapsule_SetName):
    _function.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_exported = {}
_refused = []


@_DELETER
def _delete(address: int) -> None:
    del _exported[address]


def _managed(capsule: int):
    for kind in (_Versioned, _Legacy):
        if _api.PyCapsule_IsValid(capsule, kind.name):
            return kind.from_address(_api.PyCapsule_GetPointer(capsule, kind.name))
    return None


@_DELETER
def _drop(capsule: int) -> None:
    managed = _managed(capsule)
    if managed is not None and managed.deleter:
        _DELETER(managed.deleter)(ctypes.addressof(managed))


class Array:
    """Compact elements on the host."""

    def __init__(self, data: bytes, dtype: str, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = dtype, tuple(shape)
        if FAULT == "short axes" and max(self.shape, default=0) >= 2 ** 31:
            raise ValueError("an axis is too long")
        self._data = (ctypes.c_char * len(data))(*(bytes([byte]) for byte in data))

    def tobytes(self) -> bytes:
        _fail("tobytes")
        if FAULT == "a finalizer raises":
            _Unlucky()
        return self._data.raw

    def __dlpack_device__(self) -> tuple[int, int | None]:
        _fail("__dlpack_device__")
        return (1, None if FAULT == "no index" else 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        _fail("__dlpack__")
        if FAULT == "crash in export":
            ctypes.string_at(0)
        kind = _Versioned if max_version is not None and max_version[0] >= 1 else _Legacy
        managed, rank = kind(), len(self.shape)
        shape = list(self.shape)
        if FAULT == "wrong shape" and rank:
            shape[0] += 1
        strides = [math.prod(self.shape[axis + 1:]) for axis in range(rank)]
        size = len(self._data)
        others = {"zeros": bytes(size), "noise": os.urandom(size)}
        data = Array(others[FAULT], self.dtype, self.shape)._data if FAULT in others else self._data
        lists = [(ctypes.c_int64 * rank)(*values) for values in (shape, strides)]
        tensor = managed.tensor
        tensor.data, tensor.device[:], tensor.ndim = ctypes.addressof(data), (1, 0), rank
        tensor.code, tensor.bits, tensor.lanes = DTYPES[self.dtype]
        tensor.shape, tensor.strides = lists
        if kind is _Versioned:
            managed.version[:] = (1, 0)
        managed.deleter = ctypes.cast(_delete, ctypes.c_void_p)
        _exported[ctypes.addressof(managed)] = (managed, lists, data)
        return _api.PyCapsule_New(ctypes.addressof(managed), kind.name,
                                  ctypes.cast(_drop, ctypes.c_void_p))


def from_dlpack(x, /, *, device=None, copy=None) -> Array:
    """A copy of what `x` has."""
    _fail("from_dlpack")
    if FAULT == "refuses":
        raise BufferError("not today")
    if FAULT == "hang":
        time.sleep(3600)
    x.__dlpack_device__()
    capsule = x.__dlpack__(max_version=(1, 0))
    managed = _managed(id(capsule))
    if managed is None:
        raise TypeError("expected a capsule with a tensor")
    if isinstance(managed, _Versioned) and managed.version[0] != 1:
        raise BufferError("another major version")
    array = _copied(managed.tensor)
    _api.PyCapsule_SetName(id(capsule), managed.used)
    if FAULT == "crash in import":
        ctypes.string_at(0)
    if FAULT == "exit in import":
        os._exit(3)
    if managed.deleter and FAULT != "deleter never called":
        _DELETER(managed.deleter)(ctypes.addressof(managed))
    return array


def _copied(tensor: _Tensor) -> Array:
    dtype = {value: name for name, value in DTYPES.items()}.get(
        (tensor.code, tensor.bits, tensor.lanes))
    if tensor.device[0] != 1 and FAULT == "crash at the second refusal":
        _refused.append(tensor.device[0])
        ctypes.string_at(0 if len(_refused) > 1 else ctypes.addressof(tensor), 1)
        raise RuntimeError("another device")
    if dtype is None or tensor.device[0] != 1 or tensor.ndim < 0:
        raise BufferError("such a tensor is not taken")
    shape = tensor.shape[:tensor.ndim] if tensor.ndim else []
    if any(extent < 0 for extent in shape):
        raise BufferError("an extent is negative")
    strides = tensor.strides[:tensor.ndim] if tensor.strides and tensor.ndim else \
        [math.prod(shape[axis + 1:]) for axis in range(tensor.ndim)]
    size = tensor.bits // 8
    first = (tensor.data or 0) + tensor.byte_offset
    places = itertools.product(*map(range, shape))
    data = b"".join(ctypes.string_at(first + size * sum(map(int.__mul__, index, strides)), size)
                    for index in places)
    return Array(data, dtype, tuple(shape))
