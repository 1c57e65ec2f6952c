# SPDX-License-Identifier: Apache-2.0
"""What a library does to its interpreter: threads, the lock, hooks, modules, what is not raised."""

from __future__ import annotations

import atexit
import builtins
import ctypes
import gc
import os
import sys
import threading
import time
import types
import warnings
from typing import Any, Callable

import _dlcert
import plain_arrays
from acts import Variant, at_import, before, in_create, raises
from plain_arrays import Array


def _start(target: Callable[..., Any], *arguments: Any, daemon: bool = True) -> None:
    threading.Thread(target=target, args=arguments, daemon=daemon).start()


def _wait(target: Callable[..., Any], *arguments: Any) -> None:
    thread = threading.Thread(target=target, args=arguments)
    thread.start()
    thread.join()


def _count() -> None:
    while True:
        sum(range(1000))


# ---- the lock ----


def _take_the_lock_for_good() -> None:
    ctypes.pythonapi.PyGILState_Ensure()


def _hold_the_lock() -> None:
    _start(ctypes.PyDLL(None).sleep, 1000)
    time.sleep(1)


def _delete_on_a_thread_without_the_lock(adapter: type) -> None:
    """The deleter is called as C code calls it: by a thread that lets go of the lock."""
    set_name = ctypes.pythonapi.PyCapsule_SetName
    set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)

    def of_capsule(capsule: Any) -> Array:
        address = _dlcert.capsule_pointer(capsule, "dltensor_versioned")
        fields = ctypes.cast(address, ctypes.POINTER(ctypes.c_void_p))
        behind_version_and_context = 2
        deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(fields[behind_version_and_context])
        tensor = plain_arrays._Tensor.from_address(address + 32)
        data = ctypes.string_at(tensor.data, 8 * tensor.shape[0]) if tensor.shape[0] else b""
        array = Array((tensor.code, tensor.bits, tensor.lanes), (tensor.shape[0],), data)
        set_name(capsule, b"used_dltensor_versioned")
        _wait(deleter, address)
        return array

    plain_arrays.of_capsule = of_capsule


# ---- what is not raised ----


class _Falls:
    def __del__(self) -> None:
        raise ValueError("no rest")


class _FallsSilently:
    def __del__(self) -> None:
        raise _Silent


class _Silent(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


def _burdened(kind: type) -> Variant:
    def variant(adapter: type) -> None:
        usual = adapter.write

        def write(self: Any, tensor: Any, data: bytes) -> None:
            tensor.burden = kind()
            usual(self, tensor, data)

        adapter.write = write

    return variant


def _raising_destructor(adapter: type) -> None:
    """The destructor of a capsule, in Python, which raises."""
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    destructor = prototype(lambda address: raises(ValueError("no rest"))())
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, prototype)

    def write(self: Any, tensor: Any, data: bytes) -> None:
        new_capsule(1, b"hollow", destructor)

    adapter.write = write


def _own_hooks(then: Variant) -> Variant:
    def variant(adapter: type) -> None:
        sys.unraisablehook = threading.excepthook = sys.excepthook = lambda *_: None
        then(adapter)

    return variant


class _AtTheEnd(types.ModuleType):
    def __del__(self) -> None:
        os._exit(0)


def _module_that_exits() -> None:
    sys.modules["ends"] = _AtTheEnd("ends")


# ---- hooks and modules ----


def _poison() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("dlcert", "_dlcert")]:
        sys.modules[name] = types.ModuleType(name)


def _poison_with_nothing() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] in ("dlcert", "_dlcert")]:
        sys.modules[name] = None  # type: ignore[assignment]


def _replace_builtins() -> None:
    for name in ("exec", "eval", "compile", "isinstance", "open", "print"):
        setattr(builtins, name, None)


def _replace_natives() -> None:
    for name in ("dlpack", "dlpack_device", "warn"):
        setattr(_dlcert, name, raises(ValueError("not ours")))


def _warn_often() -> None:
    for number in range(10_000):
        warnings.warn(f"beware of {number}")


def _run_a_loop() -> None:
    import asyncio  # which takes its time

    loop = asyncio.new_event_loop()
    _start(loop.run_forever)
    asyncio.run_coroutine_threadsafe(asyncio.sleep(1000), loop)


def _trace() -> None:
    sys.settrace(lambda frame, event, argument: None)
    sys.setprofile(lambda frame, event, argument: None)


def _trace_that_raises() -> None:
    sys.setprofile(raises(ValueError("no profile")))


VARIANTS: dict[str, Variant] = {
    "lock-never-given-back": in_create(_take_the_lock_for_good),
    "lock-held-by-a-thread": in_create(_hold_the_lock),
    "lock-held-by-a-thread-at-import": at_import(_hold_the_lock),
    "deleter-on-a-thread": _delete_on_a_thread_without_the_lock,
    "daemon-thread-at-import": at_import(lambda: _start(_count)),
    "thread-at-import": at_import(lambda: _start(time.sleep, 1000, daemon=False)),
    "thread-that-raises-at-import": at_import(lambda: _wait(raises(ValueError("no rest")))),
    "thread-that-exits-at-import": at_import(lambda: _wait(os._exit, 0)),
    "loop-at-import": at_import(_run_a_loop),
    "raises-in-del": _burdened(_Falls),
    "raises-in-del-without-words": _burdened(_FallsSilently),
    "raises-in-a-destructor": _raising_destructor,
    "raises-in-del-behind-own-hooks": _own_hooks(_burdened(_Falls)),
    "exits-in-the-del-of-a-module": at_import(_module_that_exits),
    "aborts-at-exit": at_import(lambda: atexit.register(os.abort)),
    "sleeps-at-exit": at_import(lambda: atexit.register(time.sleep, 1e6)),
    "no-garbage-collection": at_import(gc.disable),
    "frozen-garbage": at_import(gc.freeze),
    "collects-always": at_import(lambda: gc.set_threshold(1)),
    "traces": at_import(_trace),
    "profile-that-raises": at_import(_trace_that_raises),
    "poisons-modules": at_import(_poison),
    "poisons-modules-with-nothing": at_import(_poison_with_nothing),
    "poisons-modules-in-create": in_create(_poison_with_nothing),
    "replaces-builtins": at_import(_replace_builtins),
    "replaces-natives": at_import(_replace_natives),
    "warns-often": in_create(_warn_often),
    "warnings-are-errors": lambda adapter: (warnings.simplefilter("error"),
                                            before(adapter, "create",
                                                   lambda: warnings.warn("beware"))),
    "small-recursion-limit": at_import(lambda: sys.setrecursionlimit(30)),
    "no-recursion-limit": at_import(lambda: sys.setrecursionlimit(1 << 30)),
    "short-switch-interval": at_import(lambda: (sys.setswitchinterval(1e-6), _start(_count))),
}
