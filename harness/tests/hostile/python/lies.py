# SPDX-License-Identifier: Apache-2.0
"""What is given that is none of what was asked for."""

from __future__ import annotations

import ctypes
from typing import Any

import _dlcert
import plain_arrays
from acts import Variant, before, instead
from plain_arrays import Array

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_usual = Array.__dlpack__
_kept: list[Any] = []


class _SaysItIsACapsule:
    __class__ = property(lambda self: type(_usual(Array((0, 8, 1), (0,), b""))))  # type: ignore


def _gives(value: Any) -> Variant:
    return lambda adapter: instead(Array, "__dlpack__", lambda *_, **__: value)


def _the_same_capsule(array: Array, **arguments: Any) -> Any:
    if not _kept:
        _kept.append(_usual(array, **arguments))
    return _kept[0]


def _used_capsule(array: Array, **arguments: Any) -> Any:
    capsule = _usual(array, **arguments)
    plain_arrays.of_capsule(capsule)
    return capsule


def _nameless_capsule(array: Array, **arguments: Any) -> Any:
    capsule = _usual(array, **arguments)
    _kept.append(capsule)
    address = _dlcert.capsule_pointer(capsule, "dltensor_versioned")
    return _new_capsule(address, None, None)


def _as_property(adapter: type) -> None:
    Array.__dlpack__ = property(lambda self: lambda **arguments: _usual(self, **arguments))


def _as_instance_attribute(adapter: type) -> None:
    del Array.__dlpack__
    usual = Array.__init__

    def init(self: Array, *arguments: Any) -> None:
        usual(self, *arguments)
        self.__dlpack__ = lambda **request: _usual(self, **request)

    Array.__init__ = init


def _by_getattr(adapter: type) -> None:
    del Array.__dlpack__

    def find(self: Array, name: str) -> Any:
        if name == "__dlpack__":
            return lambda **request: _usual(self, **request)
        raise AttributeError(name)

    Array.__getattr__ = find


def _by_metaclass(adapter: type) -> None:
    class Meta(type):
        def __getattr__(cls, name: str) -> Any:
            if name == "__dlpack__":
                return _usual
            raise AttributeError(name)

    class Other(Array, metaclass=Meta):
        def __getattr__(self, name: str) -> Any:
            return getattr(type(self), name).__get__(self)

    del Array.__dlpack__
    plain_arrays.Array = Other


def _consumes_twice(adapter: type) -> None:
    usual = plain_arrays.of_capsule

    def of_capsule(capsule: Any) -> Array:
        usual(capsule)
        return usual(capsule)

    plain_arrays.of_capsule = of_capsule


def _never_consumes(adapter: type) -> None:
    def of_capsule(capsule: Any) -> Array:
        _kept.append(capsule)
        return Array((2, 64, 1), (0,), b"")

    plain_arrays.of_capsule = of_capsule


def _wrong(name: str, value: Any) -> Variant:
    return lambda adapter: instead(adapter, name, lambda *_, **__: value)


class _Unequal:
    def __eq__(self, other: object) -> bool:
        raise ValueError("compare me not")

    __hash__ = None  # type: ignore[assignment]


class _Lying:
    __class__ = dict  # type: ignore[assignment]


class _Speechless:
    def __repr__(self) -> str:
        raise ValueError("no words")

    __str__ = __repr__

    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise ValueError("no class")


def _short_read(adapter: type) -> None:
    usual = adapter.read
    adapter.read = lambda self, tensor: usual(self, tensor)[:-1]


def _raises_in_can(adapter: type) -> None:
    before(adapter, "can", lambda: 1 // 0)


VARIANTS: dict[str, Variant] = {
    "capsule-none": _gives(None),
    "capsule-number": _gives(7),
    "capsule-text": _gives("dltensor_versioned"),
    "capsule-in-name": _gives(_SaysItIsACapsule()),
    "capsule-speechless": _gives(_Speechless()),
    "capsule-of-another-name": lambda adapter: instead(
        Array, "__dlpack__", lambda *_, **__: _new_capsule(1, b"numpy.array", None)),
    "capsule-without-name": lambda adapter: instead(Array, "__dlpack__", _nameless_capsule),
    "capsule-given-twice": lambda adapter: instead(Array, "__dlpack__", _the_same_capsule),
    "capsule-that-is-used": lambda adapter: instead(Array, "__dlpack__", _used_capsule),
    "capsule-consumed-twice": _consumes_twice,
    "capsule-never-consumed": _never_consumes,
    "dlpack-as-property": _as_property,
    "dlpack-as-instance-attribute": _as_instance_attribute,
    "dlpack-by-getattr": _by_getattr,
    "dlpack-by-metaclass": _by_metaclass,
    "dlpack-none": lambda adapter: setattr(Array, "__dlpack__", None),
    "can-gives-text": _wrong("can", "no"),
    "can-gives-none": _wrong("can", None),
    "can-raises": _raises_in_can,
    "create-gives-none": _wrong("create", None),
    "describe-gives-none": _wrong("describe", None),
    "describe-gives-list": _wrong("describe", [(2, 32, 1), (3,)]),
    "describe-gives-text": _wrong("describe", "float32"),
    "describe-gives-float-shape": _wrong("describe", ((2, 32, 1), (3.0,), (1, 0), None, 0, (0, 0),
                                                      False)),
    "describe-gives-huge-shape": _wrong("describe", ((2, 32, 1), (1 << 80,), (1, 0), None, 0,
                                                     (0, 0), False)),
    "describe-gives-no-storage": _wrong("describe", ((2, 32, 1), (3,), (1, 0), None, 0, (), False)),
    "describe-gives-negative-address": _wrong("describe", ((2, 32, 1), (3,), (1, 0), None, -1,
                                                           (0, 0), False)),
    "describe-gives-speechless": _wrong("describe", _Speechless()),
    "describe-gives-unequal": _wrong("describe", (_Unequal(),) * 7),
    "describe-gives-lying-dtype": _wrong("describe", (_Lying(), (3,), (1, 0), None, 0, (0, 0),
                                                      False)),
    "read-gives-text": _wrong("read", "????????"),
    "read-gives-memoryview": _wrong("read", memoryview(b"????????")),
    "read-gives-none": _wrong("read", None),
    "read-gives-short": _short_read,
    "device-gives-none": _wrong("dlpack_device", None),
    "device-gives-text": _wrong("dlpack_device", "cpu"),
    "export-gives-none": _wrong("export_capsule", None),
    "import-gives-none": _wrong("import_from", None),
}
