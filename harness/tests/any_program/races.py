# SPDX-License-Identifier: Apache-2.0
"""A race in Python: races.py LIBCUDART [how]. `how` is ctypes' way to call: CDLL gives Python's lock away, PyDLL keeps it."""

from __future__ import annotations

import ctypes
import os
import sys
import threading

cuda = getattr(ctypes, sys.argv[2])(sys.argv[1])
SIZE = ctypes.c_size_t(64)
TO_HOST = 2
host = ctypes.create_string_buffer(64)


def produce(memory: ctypes.c_void_p, stream: ctypes.c_void_p) -> None:
    """Fills the memory."""
    assert cuda.cudaMemsetAsync(memory, 7, SIZE, stream) == 0


def consume(memory: ctypes.c_void_p, stream: ctypes.c_void_p) -> None:
    """Reads the memory, in the order of another stream."""
    assert cuda.cudaMemcpyAsync(host, memory, SIZE, TO_HOST, stream) == 0


def race() -> None:
    """Does both without an event between."""
    streams = [ctypes.c_void_p(), ctypes.c_void_p()]
    for stream in streams:
        assert cuda.cudaStreamCreateWithFlags(ctypes.byref(stream), 1) == 0
    memory = ctypes.c_void_p()
    assert cuda.cudaMalloc(ctypes.byref(memory), SIZE) == 0
    produce(memory, streams[0])
    consume(memory, streams[1])


if "thread" in sys.argv:
    thread = threading.Thread(target=race)
    thread.start()
    thread.join()
elif "fork" in sys.argv:
    child = os.fork()
    if child == 0:
        race()
        os._exit(0)
    os.waitpid(child, 0)
else:
    race()
os._exit(0)
