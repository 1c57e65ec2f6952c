#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of pairs: whose they are, and what shows them again: pair_faults_test.py DLCERT REFERENCE CRASHES HANGS PYTHON"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from matrix_runs import Run, adapters

DLCERT, REFERENCE, CRASHES, HANGS, PYTHON = sys.argv[1:6]

# A library that takes the legacy form alone, and cannot say what it has taken.
SHY = """import numpy
__version__ = "1.0"


class Legacy:
    def __init__(self, source):
        self.source = source

    def __dlpack_device__(self):
        return self.source.__dlpack_device__()

    def __dlpack__(self, **_):
        return self.source.__dlpack__()


class Array:
    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    dtype = property(lambda self: int("no number"))

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)


def from_dlpack(source):
    return Array(numpy.from_dlpack(Legacy(source)).copy())
"""

ADAPTER = """import dlcert
import shy


class Shy(dlcert.Adapter):
    library = shy
    dtypes = frozenset({"float32"})
    import_arguments = frozenset()
"""


class PairFaults(unittest.TestCase):
    """In the cells, the programs and the replays."""

    def losses(self, run: Run, producer: str, consumer: str) -> set[tuple[str, str]]:
        """How, and whose, what was lost of a pair that is broken."""
        cell = run.cell(producer, consumer)
        self.assertEqual(cell["state"], "broken", run.output)
        return {(loss["how"], loss["fault"]) for loss in cell["losses"]}

    def test_a_consumer_that_crashes_is_named(self) -> None:
        run = Run(DLCERT, *adapters(REFERENCE, CRASHES))
        self.assertEqual(run.code, 1, run.output)
        self.assertEqual(self.losses(run, "reference", "crashes"), {("crash", "consumer")})
        self.assertEqual(self.losses(run, "crashes", "crashes"), {("crash", "consumer")})
        self.assertEqual(run.cell("crashes", "reference")["state"], "full", run.output)
        self.assertEqual(run.cell("reference", "reference")["state"], "full", run.output)
        self.assertIn("[crashes as consumer does the same with dlcert]", run.output)

    def test_the_command_that_repeats_a_library_with_itself_is_one(self) -> None:
        run = Run(DLCERT, "protocol.from.new-array", *adapters(CRASHES))
        self.assertEqual(run.code, 1, run.output)
        self.assertEqual(self.losses(run, "crashes", "crashes"), {("crash", "consumer")})

    def test_a_producer_that_hangs_is_named(self) -> None:
        run = Run(DLCERT, *adapters(REFERENCE, HANGS), "--case-seconds", "0.2",
                  "protocol.from.new-array")
        self.assertEqual(run.code, 1, run.output)
        self.assertEqual(self.losses(run, "hangs", "reference"), {("timeout", "producer")})
        self.assertEqual(run.cell("reference", "hangs")["state"], "full", run.output)
        self.assertIn("[hangs as producer does the same with dlcert]", run.output)

    def test_what_goes_with_the_next_collection_of_garbage_is_released(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            cycles = SHY.replace(".copy())", ")").replace('int("no number")', "self.array.dtype") \
                .replace("self.shape = array.shape", "self.shape, self.itself = array.shape, self")
            (Path(folder) / "shy.py").write_text(cycles, encoding="utf-8")
            adapter = Path(folder) / "shy_adapter.py"
            adapter.write_text(ADAPTER, encoding="utf-8")
            run = Run(DLCERT, "lifetime.deleter.exactly-once",
                      *adapters("python:numpy", f"python:{adapter}"), "--python", PYTHON,
                      PYTHONPATH=folder)
            self.assertEqual(run.cell("numpy", "shy")["state"], "full", run.output)

    def test_programs_of_pairs_ask_what_arrived_and_replays_repeat_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "shy.py").write_text(SHY, encoding="utf-8")
            adapter = Path(folder) / "shy_adapter.py"
            adapter.write_text(ADAPTER, encoding="utf-8")
            run = Run(DLCERT, *adapters("python:numpy", f"python:{adapter}"), "--python", PYTHON,
                      "protocol.from.new-array", PYTHONPATH=folder)
            self.assertEqual(run.code, 1, run.output)
            states = [check["program_run"]["state"] for result in run.results["results"]
                      for check in result["checks"] if check["verdict"] == "fail"]
            self.assertEqual(states, ["confirmed"] * len(states), run.output)
            names = [f"protocol.from.new-array-{pair}" for pair in ("numpy-shy", "shy-shy")]
            self.assertTrue(set(names) <= {Path(name).stem for name in run.saved}, run.saved.keys())
            for name in names:
                self.assertIn("import shy", run.saved[f"{name}.py"])
                self.assertIn("ValueError", run.saved[f"{name}.py"])
                saved = Path(folder) / f"{name}.json"
                saved.write_text(run.saved[f"{name}.json"], encoding="utf-8")
                again = subprocess.run([DLCERT, "run", "--no-preflight", "--replay", str(saved)],
                                       text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       check=False, env={"PYTHONPATH": folder})
                self.assertEqual(again.returncode, 1, again.stdout)
                self.assertIn("to shy  what one library made arrives in the other", again.stdout)
            (Path(folder) / "shy.py").write_text(
                SHY.replace('int("no number")', "self.array.dtype"), encoding="utf-8")
            mended = subprocess.run([DLCERT, "run", "--no-preflight", "--replay", str(saved)],
                                    text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    check=False, env={"PYTHONPATH": folder})
            self.assertEqual(mended.returncode, 0, mended.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
