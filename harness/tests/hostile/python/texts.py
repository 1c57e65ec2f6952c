# SPDX-License-Identifier: Apache-2.0
"""Names, and errors that are hard to tell."""

from __future__ import annotations

from typing import Any

from acts import Variant, at_import, in_create, raises


class _Speechless(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class _SaysNumbers(Exception):
    def __str__(self) -> Any:  # type: ignore[override]
        return 7


class _ExitsWhenShown(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class _Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise ValueError("no name")


class _OfNamelessClass(Exception, metaclass=_Nameless):
    pass


class _Everything(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        raise ValueError("no instance")

    def __subclasscheck__(cls, subclass: Any) -> bool:
        raise ValueError("no subclass")


class _OfEverything(Exception, metaclass=_Everything):
    pass


class _SaysItIsFine(Exception):
    __class__ = int  # type: ignore[assignment]


class _NoError(BaseException):
    def __init__(self) -> None:
        raise ValueError("cannot be made")


def _group() -> None:
    raise BaseExceptionGroup("many", [ValueError(str(number)) for number in range(9)])


def _circle() -> None:
    error = ValueError("round")
    error.__cause__ = error
    raise error


def _called(value: Any) -> Variant:
    return lambda adapter: setattr(adapter, "name", value)


def _versioned(value: Any) -> Variant:
    return lambda adapter: setattr(adapter, "version", value)


class _NoText:
    def __repr__(self) -> str:
        raise ValueError("no words")

    __str__ = __repr__


def _raising(adapter: type) -> None:
    adapter.name = property(lambda self: 1 // 0)


VARIANTS: dict[str, Variant] = {
    "error-speechless": in_create(raises(_Speechless)),
    "error-speechless-at-import": at_import(raises(_Speechless)),
    "error-of-number": in_create(raises(_SaysNumbers)),
    "error-that-exits-when-shown": in_create(raises(_ExitsWhenShown)),
    "error-of-surrogates": in_create(raises(ValueError("\udcff\ud800"))),
    "error-of-escapes": in_create(raises(ValueError("\x1b[2J\r\n\0 passed"))),
    "error-of-megabytes": in_create(raises(ValueError("x" * (1 << 24)))),
    "error-of-nameless-class": in_create(raises(_OfNamelessClass)),
    "error-of-everything": in_create(raises(_OfEverything)),
    "error-that-lies": in_create(raises(_SaysItIsFine)),
    "error-that-cannot-be-made": in_create(raises(_NoError)),
    "error-in-a-group": in_create(_group),
    "error-in-a-circle": in_create(_circle),
    "error-in-a-circle-at-import": at_import(_circle),
    "error-of-surrogates-at-import": at_import(raises(ValueError("\udcff\ud800"))),
    "name-empty": _called(""),
    "name-none": _called(None),
    "name-number": _called(7),
    "name-speechless": _called(_NoText()),
    "name-raises": _raising,
    "name-of-lines": _called("a\nb\x1b[2J\0c"),
    "name-of-surrogates": _called("a\udcff"),
    "name-huge": _called("x" * (1 << 20)),
    "version-none": _versioned(None),
    "version-speechless": _versioned(_NoText()),
    "version-of-lines": _versioned("1\n2"),
}
