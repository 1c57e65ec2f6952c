#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Default streams through cuda.core, over the drop-in libraries: default_streams.py FOLDER {legacy|per_thread}

FOLDER has the libraries. Work that is submitted to a default stream is pending there until something waits for it (schedule
late), and in the per-thread one nothing is pending unless cuda.bindings was told to use it.
"""

from __future__ import annotations

import ctypes
import os
import sys

LEGACY, PER_THREAD = 1, 2  # CU_STREAM_LEGACY, CU_STREAM_PER_THREAD


def expect(wanted: object, found: object, what: str) -> None:
    if wanted != found:
        sys.exit(f"{what}: expected {wanted} but found {found}")


def main(folder: str, mode: str) -> None:
    os.environ["CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM"] = "1" if mode == "per_thread" else "0"
    for library in ("libcudart.so.13", "libcuda.so.1"):
        ctypes.CDLL(os.path.join(folder, library), mode=ctypes.RTLD_GLOBAL)
    from cuda.bindings import driver
    from cuda.core import Device

    def is_pending(stream: int) -> bool:
        (status,) = driver.cuStreamQuery(stream)
        expect(True, status in (driver.CUresult.CUDA_SUCCESS, driver.CUresult.CUDA_ERROR_NOT_READY), "status")
        return bool(status == driver.CUresult.CUDA_ERROR_NOT_READY)

    def expect_pending(in_per_thread: bool, what: str) -> None:
        # The legacy stream waits for the per-thread one.
        expect((in_per_thread, True, True), (is_pending(PER_THREAD), is_pending(LEGACY), is_pending(0)), what)
        driver.cuCtxSynchronize()
        expect((False, False), (is_pending(PER_THREAD), is_pending(LEGACY)), f"{what}, waited for")

    device = Device(0)
    device.set_current()
    stream = device.default_stream
    expect(PER_THREAD if mode == "per_thread" else LEGACY, int(stream.handle), "default stream")
    buffer = device.allocate(64, stream=stream)
    driver.cuCtxSynchronize()
    buffer.fill(1, stream=stream)
    expect_pending(mode == "per_thread", "a fill of cuda.core")
    driver.cuMemsetD8Async(int(buffer.handle), 3, 64, 0)
    expect_pending(mode == "per_thread", "a fill in stream 0")
    buffer.fill(2, stream=device.create_stream())
    expect((False, False), (is_pending(PER_THREAD), is_pending(LEGACY)), "a fill in a stream of its own")


if __name__ == "__main__":
    main(*sys.argv[1:])
