# SPDX-License-Identifier: Apache-2.0
"""Plants one forbidden import at a time and expects it to be found."""

import tempfile
import unittest
from pathlib import Path

import python_imports as rules

FILES = {
    "conformance/tests/sentences.py": "import json\n",
    "fixtures/faults/faults.py": "import tree_sitter\n",
    "fixtures/mutants/python/late.py": "import dlcert\n",
    "fixtures/numpy_faults/kills.py": "import faults\nimport numpy.linalg\n",
    "fixtures/vectors/schema.py": "import jsonschema\n",
    "harness/cmake/goals.py": "import sys\n",
    "harness/adapters/python/numpy.py": "import numpy, dlcert\nfrom dlcert.strided import Strided\n",
    "harness/adapters/python/_torch_cuda.py": "import torch\n",
    "harness/adapters/python/torch.py": "import _torch_cuda\n",
    "harness/libraries/record/clean.py": "import re\n",
    "harness/libraries/record/record.py": "from clean import names\n",
    "harness/python/dlcert/__init__.py": "import _dlcert\nfrom . import _faults\n",
    "harness/tests/libraries/record_test.py": "import record\n",
    "reference/python/tests/test.py": "import numpy, dlcert_reference\n",
    "reports/coverage.py": "import os.path\n",
}


class Imports(unittest.TestCase):
    def judge(self, **planted):
        """What is found wrong when `planted` (path: text) is added to a tree that is in order."""
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder)
            for name, text in {**FILES, **planted}.items():
                path = project / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(rules.judge(project))

    def assert_found(self, name, text, message):
        self.assertEqual(self.judge(**{name: text}), [f"{name}: {message}"])

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.judge(), [])

    def test_an_adapter_may_not_import_a_test(self):
        self.assert_found("harness/adapters/python/acme.py", "from record_test import Recording\n",
                          "harness/adapters may not import record_test of harness/tests")

    def test_the_scripts_of_records_may_not_import_random_faults(self):
        self.assert_found("harness/libraries/record/more.py", "def late():\n    import faults\n",
                          "harness/libraries may not import faults of fixtures/faults")

    def test_the_package_dlcert_imports_no_library(self):
        self.assert_found("harness/python/dlcert/spec.py", "import numpy\n", "may not import numpy")

    def test_an_adapter_is_no_module(self):
        self.assert_found("conformance/tests/draws.py", "import torch\n", "may not import torch")

    def test_what_nobody_knows_is_found(self):
        self.assert_found("fixtures/faults/more.py", "import reqeusts\n",
                          "imports reqeusts, which is neither the project's nor known from outside")

    def test_a_file_of_no_part_and_a_row_without_files_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "reports/coverage.py")
            path.parent.mkdir()
            path.write_text("import os\n")
            self.assertIn("fixtures/faults: has a row in python_imports.py but no Python file", rules.judge(Path(folder)))


if __name__ == "__main__":
    unittest.main()
