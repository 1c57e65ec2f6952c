# SPDX-License-Identifier: Apache-2.0
"""Functions that the bridge calls: they start Python, load adapters and assign errors."""

from __future__ import annotations

import builtins
import faulthandler
import functools
import gc
import importlib
import importlib.machinery
import importlib.util
import io
import os
import re
import sys
import threading
import types
import warnings
from typing import Any, Callable, ContextManager

import _dlcert
import dlcert
from dlcert import _faults, _sides
from dlcert.adapter import Adapter, NotFormable
from dlcert.runtime import Build, Stream  # asked for by the bridge
from dlcert.spec import Dtype, Spec

_unraised: list[str] = []
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def start(stacks_signal: int) -> None:
    """Prepares the interpreter for a worker, before it imports a library."""
    dlcert._import_for_adapters()
    sys.dont_write_bytecode = True
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        raw = open(descriptor, "wb", 0, closefd=False)
        stream = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace",
                                  write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    _faults.tell_on(sys.stderr)
    faulthandler.register(stacks_signal, file=2, all_threads=True, chain=False)
    _hook()
    warnings.simplefilter("always")
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    _dlcert.set_absent(ABSENT)


def _hook() -> None:
    sys.unraisablehook = _keep_unraisable
    threading.excepthook = _keep_thread_error


# ---- adapters ----

_count = 0


def load(shown: str, file: str, module: str) -> Adapter:
    """The adapter of `file`, or of the importable `module` if `file` is empty."""
    loaded = _load_file(file) if file else importlib.import_module(module)
    _hook()  # a library may have put its own there
    _sides.is_adapter(loaded.__name__)
    classes = [value for value in vars(loaded).values()
               if issubclass(type(value), type) and issubclass(value, Adapter)
               and value.__module__ == loaded.__name__]
    if len(classes) != 1:
        found = ", ".join(one.__name__ for one in classes) or "none"
        raise LookupError(f"expected one subclass of dlcert.Adapter but found {found}")
    adapter: Adapter = classes[0]()
    # Collections look at what comes now, and forked children do not write to what is there.
    gc.collect()
    gc.freeze()
    return adapter


def _load_file(file: str) -> types.ModuleType:
    """Loads the file under another name, because it may have the name of the library that it
    imports. The file can import neighbours like parts of a package: from ._acme_streams import ...
    """
    global _count
    _count += 1
    name = f"_dlcert_adapter_{_count}"
    spec = importlib.util.spec_from_file_location(
        name, file, loader=importlib.machinery.SourceFileLoader(name, file),  # whatever its suffix
        submodule_search_locations=[os.path.dirname(file)])
    assert spec is not None and spec.loader is not None  # it was given
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def offered(adapter: Adapter, methods: tuple[str, ...]) -> tuple[str, ...]:
    """Returns those of the methods of adapter_functions.hpp that the adapter has."""
    names = {name for name in methods if callable(getattr(adapter, name, None))}
    if not hasattr(adapter.array_type, "__dlpack_c_exchange_api__"):
        names.discard("exchange_table")
    if adapter.from_dlpack is None:
        names -= {name for name in ("create", "import_from")
                  if getattr(type(adapter), name) is getattr(Adapter, name)}
    if names.isdisjoint(("device_guard", "device_of_guard", "stream_guard")):
        names.discard("with_guard")
    return tuple(names)


def assigned(adapter: Adapter, method: str, error: BaseException) -> tuple[str, str]:
    """Finds out whose error a method has raised. Returns two lines: the first for an error of the
    adapter, whose traceback is then on standard error; the second if nobody can know. Both are
    empty for an error of the library."""
    side = _sides.side_of(adapter, method, error)
    if side is _sides.Side.ADAPTER:
        return _faults.tell_fault(error, method), ""
    return "", _faults.tell_unassigned(method, error) if side is _sides.Side.UNKNOWN else ""


def returns_nothing(adapter: Adapter, method: str) -> bool:
    """Returns whether the adapter's own method can only return None: it has no other `return`."""
    return _sides.returns_nothing(getattr(type(adapter), method, None))


def exports_right(adapter: Adapter, tensor: Any, arguments: dict[str, Any]) -> bool:
    """Returns whether the tensor's own __dlpack__ gives a capsule where the adapter's gave none."""
    try:
        if type(adapter).export_capsule is Adapter.export_capsule:
            return False
        return type(tensor.__dlpack__(**arguments)).__name__ == "PyCapsule"
    except BaseException:
        return False


tell_fault = _faults.tell_fault


# ---- devices, runtime and telemetry ----


def set_environment(entries: tuple[bytes, ...]) -> None:
    """Sets os.environ to these entries only. The environment of C has them already."""
    data = os.environ._data  # type: ignore[attr-defined]
    data.clear()
    data.update(entry.split(b"=", 1) for entry in entries if b"=" in entry)


def guard(adapter: Adapter, index: int) -> ContextManager[Any]:
    """The guard for a device argument."""
    make = getattr(adapter, "device_guard", None)
    if make is None:
        raise NotFormable
    return make(index)  # type: ignore[no-any-return]


def queued_call(function: int, context: int) -> Callable[[], None]:
    """A call of dlcert. It raises the error that dlcert reports."""
    return lambda: _dlcert.make_call(function, context)


# ---- what cannot be raised ----


def _keep_unraisable(unraisable: Any) -> None:
    _unraised.append(_told(unraisable) + _place(unraisable.object))


def _keep_thread_error(error: Any) -> None:
    if error.exc_type is not SystemExit:
        _unraised.append(f"{_told(error)}, in a thread")


def _told(error: Any) -> str:
    return f"{_faults.name_of(error.exc_type)}: {_faults.said(error.exc_value)}"


def _place(value: Any) -> str:
    """The place without addresses, so that it is the same in each process."""
    if value is None:
        return ""
    try:
        return ", in " + _ADDRESS.sub("", repr(value))
    except BaseException:
        return f", in an object of {_faults.name_of(type(value))}"


def unraised() -> list[str]:
    """The errors that could not be raised since the last call."""
    told = _unraised[:]
    _unraised.clear()
    return told


def _show_warning(message: Warning | str, category: type[Warning], *_: Any) -> None:
    _dlcert.warn(category.__name__, str(message))


# ---- the harness's objects ----

ABSENT = object()


@functools.lru_cache(maxsize=64)
def exception_named(name: str) -> type[Exception]:
    """A new exception class with this name; the same class for the same name."""
    return type(name or "ProducerError", (Exception,), {})


class Producer:
    """An object of dlcert. A library imports from it."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __dlpack_device__(self, /) -> tuple[int, int]:
        return _dlcert.dlpack_device(self._address)

    def __dlpack__(self, /, *, stream: Any = ABSENT, max_version: Any = ABSENT,
                   dl_device: Any = ABSENT, copy: Any = ABSENT) -> Any:
        return _dlcert.dlpack(self._address, stream, max_version, dl_device, copy)


class _WithoutDevice:
    __init__ = Producer.__init__
    __dlpack__ = Producer.__dlpack__


class _WithoutDlpack:
    __init__ = Producer.__init__
    __dlpack_device__ = Producer.__dlpack_device__


class _Neither:
    __init__ = Producer.__init__


_CLASSES = {(True, True): Producer, (True, False): _WithoutDevice,
            (False, True): _WithoutDlpack, (False, False): _Neither}


def producer(address: int, has_dlpack: bool, has_device: bool) -> Any:
    """An object with the methods of dlcert's producer at that address."""
    return _CLASSES[has_dlpack, has_device](address)


def own_producer(address: int, has_dlpack: bool, has_device: bool, table: int,
                 class_body: str | None) -> Any:
    """Like producer(), but with its own class: see dlcert_python_object."""
    base = _CLASSES[has_dlpack, has_device]
    namespace = {name: value for name, value in vars(base).items()
                 if name in ("__init__", "__dlpack__", "__dlpack_device__")}
    capsule = _dlcert.table_capsule(table) if table else None
    if class_body is None:
        if capsule is not None:
            namespace["__dlpack_c_exchange_api__"] = capsule
    else:
        names = {"dlpack": Producer.__dlpack__, "dlpack_device": Producer.__dlpack_device__,
                 "table": capsule}
        exec(_compiled(class_body, "exec"), names, namespace)
    return type("Producer", (), namespace)(address)


# ---- questions ----


@functools.lru_cache(maxsize=1024)
def _compiled(source: str, mode: str) -> types.CodeType:
    return compile(source, "<question>", mode)


def value(expression: str) -> Any:
    """The object that the expression of an argument evaluates to."""
    return eval(_compiled(expression, "eval"), {"__builtins__": builtins})


def evaluate(adapter: Adapter, x: Any, expression: str) -> Any:
    """The value of the expression of a question."""
    return eval(_compiled(expression, "eval"),
                {"__builtins__": builtins, "x": x, "library": adapter.library,
                 "from_dlpack": adapter.from_dlpack})


# ---- specs ----

_dtype = functools.lru_cache(maxsize=1024)(Dtype)


def spec(code: int, bits: int, lanes: int, shape: tuple[int, ...], strides: tuple[int, ...],
         offset: int, storage_size: int, device: tuple[int, int], flags: int, state: int) -> Spec:
    """A Spec from the members of dlcert_tensor_spec."""
    return Spec(_dtype(code, bits, lanes), shape, strides, offset, storage_size, device,
                flags & 1 != 0, flags & 2 != 0, flags & 4 != 0, state)
