#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dlcert init python:MODULE`: init_test.py DLCERT PYTHON, which has NumPy and array_api_strict"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DLCERT, PYTHON = "", ""

# A library of arrays of the object protocol: bytes of one axis, over NumPy's.
OBJECTS = """
import numpy
__version__ = "1.0"
class Array:
    def __init__(self, values):
        if values.dtype != numpy.uint8 or values.ndim != 1:
            raise TypeError("bytes of one axis")
        self.values, self.dtype, self.shape = values, "uint8", values.shape
    def __dlpack__(self, *, stream=None):
        return self.values.__dlpack__()
    def __dlpack_device__(self):
        return 1, 0
def from_dlpack(x):
    return Array(numpy.from_dlpack(x).copy())
"""
# Of bare capsules, behind a module of its own, without a version.
CAPSULES = """
import numpy
class Held:
    def __init__(self, capsule): self.capsule = capsule
    def __dlpack__(self, **keywords): return self.capsule
    def __dlpack_device__(self): return 1, 0
class Tensor:
    def __init__(self, values): self._values = values
    dtype = property(lambda self: self._values.dtype)
    shape = property(lambda self: self._values.shape)
def array(values): return Tensor(numpy.array(values))
def to_dlpack(tensor): return tensor._values.__dlpack__()
def from_dlpack(capsule):
    if hasattr(capsule, "__dlpack__"): raise TypeError("a capsule")
    return Tensor(numpy.from_dlpack(Held(capsule)).copy())
"""
CRASHES = """
import os, signal
from objects import Array, __version__, numpy
def asarray(values): os.kill(os.getpid(), signal.SIGSEGV)
"""


class Init(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in {"objects": OBJECTS, "capsules": CAPSULES, "crashes": CRASHES,
                           "ends": "import os; os._exit(3)", "raises": "raise ValueError('no GPU')",
                           "methods": "class Plane:\n    def __dlpack__(self, stream=None): pass\n"}.items():
            (Path(self.folder.name) / f"{name}.py").write_text(text, encoding="utf-8")

    def run_dlcert(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": self.folder.name}
        return subprocess.run([DLCERT, *words, "--python", PYTHON], cwd=self.folder.name, env=environment,
                              capture_output=True, text=True, check=False)

    def init(self, module: str) -> str:
        """What it prints."""
        ran = self.run_dlcert("init", f"python:{module}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def assert_smokes(self, module: str) -> str:
        ran = self.run_dlcert("smoke", "--adapter", f"python:./{module}_adapter.py")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("one tensor as producer: pass", ran.stdout)
        self.assertIn("one tensor as consumer: pass", ran.stdout)
        return (Path(self.folder.name) / f"{module}_adapter.py").read_text(encoding="utf-8")

    def test_what_it_writes_for_libraries_of_the_standard_passes_smoke(self) -> None:
        for module in ("numpy", "array_api_strict"):
            self.assertNotIn("fill in", self.init(module))
            self.assert_smokes(module)

    def test_claims_are_what_worked(self) -> None:
        self.init("objects")
        text = self.assert_smokes("objects")
        self.assertIn('dtypes = frozenset({"uint8"})', text)
        self.assertIn("len(spec.shape) == 1", text)
        self.assertIn('export_arguments = frozenset({"stream"})', text)
        self.assertIn("import_arguments = frozenset()", text)

    def test_a_library_of_capsules_has_functions_of_capsules(self) -> None:
        self.init("capsules")
        text = self.assert_smokes("capsules")
        self.assertIn("export_capsule = None", text)
        self.assertIn("return capsules.from_dlpack(capsule)", text)
        self.assertIn('version = "unknown"', text)

    def test_a_call_that_ends_the_process_is_left_out(self) -> None:
        told = self.init("crashes")
        self.assertIn("left out   crashes.asarray(", told)
        self.assertIn("makes      crashes.Array", told)

    def test_what_was_not_found_is_to_be_filled_in(self) -> None:
        self.assertIn("fill in    line ", self.init("methods"))
        ran = self.run_dlcert("smoke", "--adapter", "python:./methods_adapter.py")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("a fault of the adapter", ran.stderr)

    def test_what_is_wrong_is_told_in_a_line(self) -> None:
        (Path(self.folder.name) / "objects_adapter.py").touch()
        for module, line in {"objects": "'objects_adapter.py' exists",
                             "raises": "module 'raises': ValueError: no GPU",
                             "ends": "module 'ends': its process ended with exit code 3 while it was imported",
                             "no_such": "module 'no_such': ModuleNotFoundError: No module named 'no_such'",
                             "json": "module 'json': nothing with __dlpack__, from_dlpack or to_dlpack was found",
                             "a..b": "init python:a..b: expected the name of a module"}.items():
            ran = self.run_dlcert("init", f"python:{module}")
            self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1), ran.stderr)
            self.assertIn(line, ran.stderr)


if __name__ == "__main__":
    DLCERT, PYTHON = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
