# SPDX-License-Identifier: Apache-2.0
"""Decides whether an adapter or its library caused an error, and reports it. Raises nothing."""

from __future__ import annotations

import os
import sys
import traceback
import types
from typing import Any, TextIO

from dlcert.adapter import Adapter, Description
from dlcert.spec import Dtype, Spec

_PACKAGE = os.path.dirname(__file__)
_adapters: list[str] = []  # the names of their modules
_stderr: TextIO | None = None  # the harness's own: a library may replace sys.stderr
_name_of_class = type.__dict__["__name__"].__get__  # whatever its metaclass says


def tell_on(stderr: TextIO) -> None:
    """Sends all later tracebacks to `stderr`."""
    global _stderr
    _stderr = stderr


def is_adapter(module: str) -> None:
    """Treats all later errors of that module and of its helpers as faults of the adapter."""
    _adapters.append(module)


def name_of(kind: type) -> str:
    """The name of a class."""
    return _name_of_class(kind)


def said(value: Any) -> str:
    """The str() of an error, or a note that str() fails."""
    try:
        return str(value)
    except BaseException:
        return "an error that has no text"


def tell_fault(error: BaseException) -> str:
    """Prints the traceback to standard error; returns one line."""
    try:
        traceback.print_exception(type(error), error, error.__traceback__, file=_stderr)
    except BaseException as problem:
        print(f"the traceback cannot be shown: {name_of(type(problem))}", file=_stderr)
    places = [(frame.f_code.co_filename, line)
              for frame, line in traceback.walk_tb(error.__traceback__)
              if not _is_of_package(frame.f_code.co_filename)]
    where = f" ({places[-1][0]}:{places[-1][1]})" if places else ""
    return f"{name_of(type(error))}: {said(error)}{where}"


def is_own(adapter: Adapter | None, method: str, error: BaseException) -> bool:
    """Whether the adapter caused the error, and not its library."""
    if method in ("can", "can_import"):
        return True
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    last = files[-1] if files else ""
    if isinstance(error, (NameError, SyntaxError)):
        return _is_of_package(last) or _is_of_adapter(last)
    if isinstance(error, AttributeError):
        own = isinstance(error.obj, (Adapter, Spec, Dtype, Description, types.ModuleType))
        return own and (_is_of_package(last) or _is_of_adapter(last))
    if isinstance(error, TypeError):  # the method cannot be called as it must be
        return not files and isinstance(getattr(type(adapter), method, None), types.FunctionType)
    return False


def _is_of_adapter(file: str) -> bool:
    """Whether it is an adapter's file, or that of a helper, whenever it was imported."""
    return any(getattr(module, "__file__", None) == file
               for name, module in list(sys.modules.items())
               if any(name == own or name.startswith(f"{own}._") for own in _adapters))


def _is_of_package(file: str) -> bool:
    return os.path.dirname(file) == _PACKAGE
