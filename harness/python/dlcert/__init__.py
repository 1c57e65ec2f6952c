# SPDX-License-Identifier: Apache-2.0
"""Tests whether a tensor library follows DLPack.

Certify a library, and look at the verdicts:

    import dlcert

    result = dlcert.certify("python:numpy")
    print(result)

An adapter gives dlcert access to a library. An adapter file has one subclass of Adapter:

    import acme
    import dlcert

    class Acme(dlcert.Adapter):
        library = acme

You can override each method of Adapter. Set a method to None if the library does not have that
function. adapter.h and adapter_runtime.h describe each method, its arguments and its result: see
the C function of the same name. Its defaults run only in the interpreter of a worker of dlcert.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dlcert._error import DlcertError
    from dlcert._results import (Cell, Certification, Fault, Feature, Library, Loss, Matrix, Role,
                                 Run, Verdict)
    from dlcert._run import certify, matrix
    from dlcert.adapter import Adapter, Description, NotFormable
    from dlcert.runtime import (Bindings, Build, CallKind, Constant, DeviceProperties, Measurement,
                                StorageSource, Stream, Unit)
    from dlcert.spec import Dtype, Spec, State
    from dlcert.strided import laid_out

__all__ = ["Adapter", "Bindings", "Build", "CallKind", "Cell", "Certification", "Constant",
           "Description", "DeviceProperties", "DlcertError", "Dtype", "Fault", "Feature", "Library",
           "Loss", "Matrix", "Measurement", "NotFormable", "Role", "Run", "Spec", "State",
           "StorageSource", "Stream", "Unit", "Verdict", "certify", "laid_out", "matrix"]

_MODULES = {  # a name is imported when it is first used
    "dlcert._error": ("DlcertError",),
    "dlcert._results": ("Cell", "Certification", "Fault", "Feature", "Library", "Loss", "Matrix",
                        "Role", "Run", "Verdict"),
    "dlcert._run": ("certify", "matrix"),
    "dlcert.adapter": ("Adapter", "Description", "NotFormable"),
    "dlcert.runtime": ("Bindings", "Build", "CallKind", "Constant", "DeviceProperties",
                       "Measurement", "StorageSource", "Stream", "Unit"),
    "dlcert.spec": ("Dtype", "Spec", "State"),
    "dlcert.strided": ("laid_out",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'dlcert' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def _import_for_adapters() -> None:
    """Imports now what adapters use: a library may change how modules are imported."""
    for module, names in _MODULES.items():
        if not module.startswith("dlcert._"):
            for name in names:
                __getattr__(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
