# SPDX-License-Identifier: Apache-2.0
"""Ends and hangs, in each function that an adapter has, and when it is loaded."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from typing import Any, Callable

import plain_arrays
from acts import Variant, at_import, before, in_create, raises

OF_ADAPTER = ("can", "can_import", "create", "describe", "read", "write", "dlpack_device",
              "export_capsule", "import_from")
OF_LIBRARY = {"__dlpack__": plain_arrays.Array, "__dlpack_device__": plain_arrays.Array,
              "from_dlpack": plain_arrays}


def _spin() -> None:
    while True:
        pass


def _lock_twice() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def _exit_in_a_thread() -> None:
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(60)


def _recurse() -> None:
    _recurse()


_hoard: list[bytearray] = []


def _allocate() -> None:
    while True:
        _hoard.append(bytearray(b"x" * (1 << 24)))


ACTS: dict[str, Callable[[], Any]] = {
    "system-exit": raises(SystemExit(0)),
    "interrupt": raises(KeyboardInterrupt),
    "exit": lambda: os._exit(0),
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "spin": _spin,
    "sleep": lambda: time.sleep(1e6),
    "deadlock": _lock_twice,
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "exit-of-a-thread": _exit_in_a_thread,
    "recursion": _recurse,
    "allocation": _allocate,
}


def _in_method(name: str, act: Callable[[], Any]) -> Variant:
    return lambda adapter: before(OF_LIBRARY.get(name, adapter), name, act)


VARIANTS = {f"{kind}-in-{name}": _in_method(name, act)
            for kind, act in ACTS.items() for name in (*OF_ADAPTER, *OF_LIBRARY)}
VARIANTS |= {f"{kind}-at-import": at_import(act) for kind, act in ACTS.items()}
VARIANTS |= {"sys-exit-at-import": at_import(lambda: sys.exit(0)),
             "name-error-in-create": in_create(lambda: undefined_name)}  # noqa: F821
