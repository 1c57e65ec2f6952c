# SPDX-License-Identifier: Apache-2.0
"""Plants one forbidden acquaintance at a time and expects it to be found."""

import tempfile
import unittest
from pathlib import Path

import dependency_rules as rules

HEADERS = {
    "harness/include/dlcert/adapter.h": "#include <stdint.h>\n",
    "harness/include/dlcert/suite/party.hpp": "#include <string>\n#include <dlpack/dlpack.h>\n",
    "harness/src/party/act.hpp": '#include "dlcert/suite/party.hpp"\n',
    "harness/src/spy/slots.hpp": '#include "party/act.hpp"\n',
    "harness/src/register/register.hpp": '#include "dlcert/suite/party.hpp"\n',
    "harness/src/records/job.hpp": '#include "register/register.hpp"\n',
    "harness/src/standalone/standalone.hpp": "#include <string>\n",
    "harness/src/worker/unit.hpp": '#include "records/job.hpp"\n#include "dlcert/driver/memory.hpp"\n',
    "harness/src/report/results.hpp": '#include "records/job.hpp"\n#include "standalone/standalone.hpp"\n',
    "harness/src/runner/runner.hpp": '#include "report/results.hpp"\n',
    "harness/src/cli/options.hpp": '#include "runner/runner.hpp"\n',
    "reference/driver/include/dlcert/driver/memory.hpp": "#include <cstdint>\n",
    "reference/tensor/include/dlcert/tensor/tensor.hpp": '#include "dlcert/driver/memory.hpp"\n',
    "conformance/generators/specs.hpp": '#include "dlcert/suite/party.hpp"\n',
    "conformance/testbench/gate.hpp": '#include "generators/specs.hpp"\n',
    "conformance/stream/streams.hpp": '#include "testbench/gate.hpp"\n',
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
                          "conformance/abi may not know reference/tensor but includes "
                          "dlcert/tensor/tensor.hpp")

    def test_conformance_may_not_know_the_runner(self):
        self.assert_found("conformance/abi/a.cpp", '#include "../../harness/src/runner/runner.hpp"\n',
                          "conformance/abi may not know harness/src/runner but includes "
                          "../../harness/src/runner/runner.hpp")

    def test_conformance_may_not_know_cuda(self):
        self.assert_found("conformance/abi/a.cpp", "#include <cuda_runtime.h>\n",
                          "may not include cuda_runtime.h")

    def test_the_harness_may_not_know_conformance(self):
        self.assert_found("harness/src/worker/w.cpp", '#include "generators/specs.hpp"\n',
                          "harness/src/worker may not know conformance/generators but includes generators/specs.hpp")

    def test_the_folders_of_the_harness_know_each_other_in_one_direction(self):
        everyone = {
            "party": "party/act.hpp", "spy": "spy/slots.hpp", "register": "register/register.hpp",
            "records": "records/job.hpp", "standalone": "standalone/standalone.hpp", "worker": "worker/unit.hpp",
            "report": "report/results.hpp", "runner": "runner/runner.hpp", "cli": "cli/options.hpp",
        }
        friends = {
            "party": "", "spy": "party", "register": "", "records": "register", "standalone": "",
            "worker": "records register standalone spy party", "report": "records register standalone",
            "runner": "report records register standalone", "cli": "runner report records register",
        }
        for folder in everyone:
            with self.subTest(folder):
                name = f"harness/src/{folder}/planted.cpp"
                strangers = [other for other in everyone
                             if other != folder and other not in friends[folder].split()]
                self.assertEqual(
                    self.judge(**{name: "".join(f'#include "{header}"\n' for header in everyone.values())}),
                    [f"{name}: harness/src/{folder} may not know harness/src/{other} but includes "
                     f"{everyone[other]}" for other in strangers])

    def test_a_folder_of_the_harness_without_a_row_is_found(self):
        self.assert_found("harness/src/attic/a.cpp", "#include <string>\n", "belongs to no part of the project")

    def test_generators_may_not_know_the_testbench(self):
        self.assert_found("conformance/generators/g.cpp", '#include "testbench/gate.hpp"\n',
                          "conformance/generators may not know conformance/testbench but includes "
                          "testbench/gate.hpp")

    def test_the_testbench_may_not_know_an_area(self):
        self.assert_found("conformance/testbench/t.cpp", '#include "stream/streams.hpp"\n',
                          "conformance/testbench may not know conformance/stream but includes stream/streams.hpp")

    def test_an_area_may_not_know_another(self):
        self.assert_found("conformance/abi/a.cpp", '#include "stream/streams.hpp"\n',
                          "conformance/abi may not know conformance/stream but includes stream/streams.hpp")

    def test_the_suite_may_know_its_areas(self):
        self.assertEqual(self.judge(**{"conformance/main.cpp": '#include "stream/streams.hpp"\n'}), [])

    def test_the_reference_may_not_know_the_harness(self):
        self.assert_found("reference/tensor/src/t.cpp", '#include "dlcert/adapter.h"\n',
                          "reference/tensor may not know harness/include but includes dlcert/adapter.h")

    def test_the_driver_may_not_know_the_tensor(self):
        self.assert_found("reference/driver/src/d.cpp", '#include "dlcert/tensor/tensor.hpp"\n',
                          "reference/driver may not know reference/tensor but includes "
                          "dlcert/tensor/tensor.hpp")

    def test_the_adapter_header_needs_nothing(self):
        self.assert_found("harness/include/dlcert/adapter.h", "#include <string.h>\n",
                          "expected only dlcert/adapter_python.h, dlcert/adapter_runtime.h, "
                          "dlcert/adapter_values.h, stddef.h, stdint.h but found string.h")

    def test_rapidcheck_has_one_place(self):
        self.assert_found("conformance/abi/a.cpp", "#include <rapidcheck.h>\n",
                          "may not include rapidcheck.h")

    def test_an_unknown_header_is_found(self):
        self.assert_found("harness/src/runner/r.cpp", "#include <boost/any.hpp>\n",
                          "includes boost/any.hpp, which is neither the project's nor known from outside")

    def test_a_part_without_rules_is_found(self):
        self.assert_found("reference/other/o.cpp", "#include <string>\n",
                          "belongs to no part of the project")


class Table(unittest.TestCase):
    def judge(self, folders):
        with tempfile.TemporaryDirectory() as project:
            for folder in folders:
                (Path(project) / folder).mkdir(parents=True, exist_ok=True)
                (Path(project) / folder / "a.cpp").touch()
            return list(rules.judge_table(Path(project)))

    def test_a_row_for_each_folder_passes(self):
        self.assertEqual(self.judge(rules.MAY_KNOW), [])

    def test_a_row_of_what_is_gone_is_found(self):
        rows = [row for row in rules.MAY_KNOW if row != "harness/src/records"]
        self.assertEqual(self.judge(rows),
                         ["harness/src/records: has a row in dependency_rules.py but is not there"])

    def test_an_area_without_a_row_is_found(self):
        self.assertEqual(self.judge([*rules.MAY_KNOW, "conformance/attic"]),
                         ["conformance/attic: needs a row in dependency_rules.py"])


class Links(unittest.TestCase):
    def judge(self, line):
        folder, target, other_folder, other = line.split()
        return list(rules.judge_links(Path("/p"), [f"/p/{folder} {target} /p/{other_folder} {other}"]))

    def test_allowed_links_pass(self):
        for line in ("reference/tensor t reference/driver d", "conformance/abi a harness/src/party p",
                     "conformance dlcert_worker_module harness/src/worker w", "harness/src/cli c harness/src/runner r",
                     "harness/src/report r harness/src/records d"):
            with self.subTest(line):
                self.assertEqual(self.judge(line), [])

    def test_forbidden_links_are_found(self):
        for line in ("conformance/abi a reference/tensor t", "reference/tensor t harness h",
                     "harness/src/runner r conformance/abi a", "conformance other harness/src/worker w",
                     "reference/driver d reference/tensor t", "harness/src/report r harness/src/worker w",
                     "harness/src/records d harness/src/report r", "harness/src/worker w harness/src/report r",
                     "harness/adapters/aten a reference/tensor t"):
            with self.subTest(line):
                folder, target, other_folder, other = line.split()
                self.assertEqual(self.judge(line),
                                 [f"{folder}: {target} may not link {other} of {other_folder}"])


if __name__ == "__main__":
    unittest.main()
