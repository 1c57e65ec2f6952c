#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests a library that is not installed: development_build_test.py DLCERT EXTENSION

DLCERT is the program. EXTENSION is the folder of dlcert_reference, an extension module in its build tree. The library is a
package in a source tree, whose C++ code is that module.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DLCERT, EXTENSION = (str(Path(argument).resolve()) for argument in sys.argv[1:])

PACKAGE = """
from dlcert_reference import Array, from_dlpack
__version__ = "1.0.dev0"
"""

ADAPTER = """
import acme
import dlcert


class Acme(dlcert.Adapter):
    library = acme
    dtypes = frozenset({"float32"})

    def dtype_of(self, array: acme.Array) -> dlcert.Dtype:
        return dlcert.Dtype(*array.dtype)
"""


class DevelopmentBuild(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="dlcert-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = self.folder / "checkout/src"
        (self.source / "acme").mkdir(parents=True)
        (self.source / "acme/__init__.py").write_text(PACKAGE, encoding="utf-8")
        (self.folder / "acme_adapter.py").write_text(ADAPTER, encoding="utf-8")

    def smoke(self, python: str, **variables: str) -> tuple[int, str]:
        """The exit code of `dlcert smoke`, and what it printed."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
        ended = subprocess.run([DLCERT, "smoke", "--adapter", "python:./acme_adapter.py", "--python", python],
                               cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def expect_found(self, code: int, printed: str) -> None:
        self.assertEqual(code, 0, printed)
        self.assertRegex(printed, r"\n  name +acme\n  version +1\.0\.dev0\n")
        self.assertIn("one tensor as producer: pass", printed)

    def test_is_not_found_where_nobody_says_where_it_is(self) -> None:
        code, printed = self.smoke(sys.executable)
        self.assertEqual(code, 2, printed)
        self.assertIn("No module named 'acme'", printed)

    def test_is_found_by_pythonpath(self) -> None:
        self.expect_found(*self.smoke(sys.executable, PYTHONPATH=f"{self.source}:{EXTENSION}"))

    def test_is_found_by_an_editable_install(self) -> None:
        venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        packages = next(venv.glob("lib/python3*/site-packages"))
        # `pip install --editable` leaves such a file.
        (packages / "__editable__.acme-1.0.dev0.pth").write_text(f"{self.source}\n{EXTENSION}\n", encoding="utf-8")
        self.expect_found(*self.smoke(str(venv / "bin/python")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
