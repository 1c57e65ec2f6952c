#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs on simulated devices: device_pairs_test.py DLCERT ADAPTERS PYTHON

The reference in Python, which has current streams, hands its arrays to cuda.core. PYTHON finds both.
"""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from matrix_runs import Run, adapters

DLCERT, ADAPTERS, PYTHON = sys.argv[1:4]

# Whatever stream its consumer names, it is asked for no order.
UNORDERED = """
export = Array.__dlpack__
Array.__dlpack__ = lambda self, *, stream=None, **others: export(
    self, stream=stream if stream is None else -1, **others)
del Array.__dlpack_c_exchange_api__
"""


def pair(reference: str) -> Run:
    """A run of it with cuda.core, both ways."""
    return Run(DLCERT, *adapters(reference, "python:cuda_core"), "--python", PYTHON)


def on_devices(done: Run, requirement: str) -> list[Any]:
    """The checks on CUDA of the reference's arrays in cuda.core."""
    return [check for result in done.results["results"] for check in result["checks"]
            if result["requirement"] == requirement and result["consumer"] == "cuda_core"
            and result["producer"] == "reference in Python" and check["platform"] == "cuda"]


class DevicePairs(unittest.TestCase):
    """What one library has left pending is done before the other reads it."""

    def test_what_is_ordered_is_full(self) -> None:
        done = pair("python:dlcert_reference")
        cell = done.cell("reference in Python", "cuda_core")
        self.assertEqual(cell["state"], "full", done.output)
        for requirement in ("stream.producer-orders", "protocol.from.new-array"):
            check, = on_devices(done, requirement)
            self.assertEqual(check["verdict"], "pass", done.output)
            self.assertEqual(check["devices"], {"cuda": check["met"]}, done.output)
            self.assertGreater(check["met"], 5, done.output)

    def test_a_lost_order_is_a_broken_pair(self) -> None:
        source = (Path(ADAPTERS) / "dlcert_reference.py").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for part in Path(ADAPTERS).glob("_dlcert_reference*.py"):
                (Path(folder) / part.name).write_text(part.read_text(encoding="utf-8"))
            unordered = Path(folder) / "unordered.py"
            unordered.write_text(source + UNORDERED, encoding="utf-8")
            done = pair(f"python:{unordered}")
        self.assertEqual(done.code, 1, done.output)
        check, = on_devices(done, "stream.producer-orders")
        self.assertEqual(check["verdict"], "fail", done.output)
        self.assertEqual(done.cell("reference in Python", "cuda_core")["state"], "broken", done.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
