# SPDX-License-Identifier: Apache-2.0
"""Plants one forbidden acquaintance at a time and expects it to be found."""

import tempfile
import unittest
from pathlib import Path

import who_may_know_whom as rules

HEADERS = {
    "harness/include/dlcert/adapter.h": "#include <stdint.h>\n",
    "harness/include/dlcert/suite/party.hpp": "#include <string>\n#include <dlpack/dlpack.h>\n",
    "harness/src/runner/runner.hpp": '#include "dlcert/suite/party.hpp"\n',
    "reference/driver/include/dlcert/driver/memory.hpp": "#include <cstdint>\n",
    "reference/tensor/include/dlcert/tensor/tensor.hpp": '#include "dlcert/driver/memory.hpp"\n',
    "conformance/generators/specs.hpp": '#include "dlcert/suite/party.hpp"\n',
}


class Includes(unittest.TestCase):
    def judge(self, **planted):
        """What is found wrong when `planted` (path: text) is added to a tree that is in order."""
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder)
            for name, text in {**HEADERS, **planted}.items():
                path = project / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(rules.judge_includes(project))

    def assert_found(self, name, text, message):
        self.assertEqual(self.judge(**{name: text}), [f"{name}: {message}"])

    def test_a_tree_in_order_passes(self):
        self.assertEqual(self.judge(), [])

    def test_conformance_may_know_the_driver(self):
        self.assertEqual(
            self.judge(**{"conformance/abi/a.cpp": '#include "dlcert/driver/memory.hpp"\n'}), [])

    def test_conformance_may_not_know_the_reference(self):
        self.assert_found("conformance/abi/a.cpp", '#include "dlcert/tensor/tensor.hpp"\n',
                          "conformance may not know reference/tensor but includes "
                          "dlcert/tensor/tensor.hpp")

    def test_conformance_may_not_know_the_runner(self):
        self.assert_found("conformance/abi/a.cpp", '#include "../../harness/src/runner/runner.hpp"\n',
                          "conformance may not know harness/src but includes "
                          "../../harness/src/runner/runner.hpp")

    def test_conformance_may_not_know_cuda(self):
        self.assert_found("conformance/abi/a.cpp", "#include <cuda_runtime.h>\n",
                          "may not include cuda_runtime.h")

    def test_the_harness_may_not_know_conformance(self):
        self.assert_found("harness/src/worker/w.cpp", '#include "generators/specs.hpp"\n',
                          "harness/src/worker may not know conformance but includes generators/specs.hpp")

    def test_the_reference_may_not_know_the_harness(self):
        self.assert_found("reference/tensor/src/t.cpp", '#include "dlcert/adapter.h"\n',
                          "reference/tensor may not know harness/include but includes dlcert/adapter.h")

    def test_the_driver_may_not_know_the_tensor(self):
        self.assert_found("reference/driver/src/d.cpp", '#include "dlcert/tensor/tensor.hpp"\n',
                          "reference/driver may not know reference/tensor but includes "
                          "dlcert/tensor/tensor.hpp")

    def test_the_adapter_header_needs_nothing(self):
        self.assert_found("harness/include/dlcert/adapter.h", "#include <string.h>\n",
                          "expected only dlcert/adapter_runtime.h, dlcert/adapter_values.h, stddef.h, stdint.h but found string.h")

    def test_rapidcheck_has_one_place(self):
        self.assert_found("conformance/abi/a.cpp", "#include <rapidcheck.h>\n",
                          "may not include rapidcheck.h")

    def test_an_unknown_header_is_found(self):
        self.assert_found("harness/src/runner/r.cpp", "#include <boost/any.hpp>\n",
                          "includes boost/any.hpp, which is neither the project's nor known from outside")

    def test_a_part_without_rules_is_found(self):
        self.assert_found("reference/other/o.cpp", "#include <string>\n",
                          "belongs to no part of the project")


class Links(unittest.TestCase):
    def judge(self, line):
        folder, target, other_folder, other = line.split()
        return list(rules.judge_links(Path("/p"), [f"/p/{folder} {target} /p/{other_folder} {other}"]))

    def test_allowed_links_pass(self):
        for line in ("reference/tensor t reference/driver d", "conformance/abi a harness/src/party p",
                     "conformance dlcert-worker harness/src/worker w", "harness/src/cli c harness/src/runner r"):
            with self.subTest(line):
                self.assertEqual(self.judge(line), [])

    def test_forbidden_links_are_found(self):
        for line in ("conformance/abi a reference/tensor t", "reference/tensor t harness h",
                     "harness/src/runner r conformance/abi a", "conformance other harness/src/worker w",
                     "reference/driver d reference/tensor t",
                     "harness/adapters/aten a reference/tensor t"):
            with self.subTest(line):
                folder, target, other_folder, other = line.split()
                self.assertEqual(self.judge(line),
                                 [f"{folder}: {target} may not link {other} of {other_folder}"])


if __name__ == "__main__":
    unittest.main()
