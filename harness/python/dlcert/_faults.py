# SPDX-License-Identifier: Apache-2.0
"""Reports the faults of an adapter, each in one line with its likely correction. Raises nothing."""

from __future__ import annotations

import difflib
import inspect
import os
import traceback
from typing import Any, TextIO

from dlcert import _sides
from dlcert.adapter import Adapter

_stderr: TextIO | None = None  # the harness's own: a library may replace sys.stderr
_name_of_class = type.__dict__["__name__"].__get__  # whatever its metaclass says


def tell_on(stderr: TextIO) -> None:
    """Sends all later tracebacks to `stderr`."""
    global _stderr
    _stderr = stderr


def name_of(kind: type) -> str:
    """The name of a class."""
    return _name_of_class(kind)  # type: ignore[no-any-return]


def said(value: Any) -> str:
    """The str() of an error, or a note that str() fails."""
    try:
        return str(value)
    except BaseException:
        return "an error that has no text"


def tell_fault(error: BaseException, method: str = "") -> str:
    """Prints the traceback to standard error; returns one line: the error, its place, and how the
    method that raised it can likely be mended."""
    try:
        traceback.print_exception(type(error), error, error.__traceback__, file=_stderr)
    except BaseException as problem:
        print(f"the traceback cannot be shown: {name_of(type(problem))}", file=_stderr)
    where = place_of(error)
    correction = _correction(method, error)
    return f"{name_of(type(error))}: {said(error)}" + (f" ({where})" if where else "") + \
        (f"; {correction}" if correction else "")


def place_of(error: BaseException) -> str:
    """File and line of the innermost code that is not of this package; empty: there is none."""
    places = [place for place in _sides.places_of(error) if not place.is_of_package]
    return f"{places[-1].file}:{places[-1].line}" if places else ""


def tell_unassigned(method: str, error: BaseException) -> str:
    """Returns one line about an error of which nobody knows whose it is. It has no values, so that
    the cases of a check have few different ones."""
    places = [place for place in _sides.places_of(error) if place.is_of_adapter]
    where = f" ({os.path.basename(places[-1].file)}:{places[-1].line})" if places else ""
    return f"{method}() raised {name_of(type(error))}{where}"


def _correction(method: str, error: BaseException) -> str:
    """Returns the text that the author of the adapter likely wants; empty: unknown."""
    try:
        if isinstance(error, (NameError, AttributeError)):
            near = difflib.get_close_matches(str(error.name), _names_beside(error), 1)
            return f"did you mean '{near[0]}'?" if near else ""
        if isinstance(error, TypeError) and not _sides.places_of(error):
            own = getattr(Adapter, method, None)
            return f"dlcert calls {method}{inspect.signature(own)}" if own else ""
        if method in ("can", "can_import"):
            return f"let {method}() return False for what the library cannot make"
        if method == "create" and isinstance(error, LookupError):
            return "let can() return False for such tensors"
    except BaseException:  # an object of the library may do anything
        pass
    return ""


def _names_beside(error: NameError | AttributeError) -> list[str]:
    if isinstance(error, AttributeError):
        return dir(error.obj)
    frame = _sides.places_of(error)[-1].frame
    return [*frame.f_locals, *frame.f_globals, *frame.f_builtins]
