#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording of grids of libraries with each other: grid_test.py SCRIPTS"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from record_test import NO_PAGE, PROGRAM, VENV, a_check, a_result, a_run

import check  # noqa: E402
import record  # noqa: E402

PAGE = "# Grids\n\n<!-- grid ten: begin -->\n<!-- grid ten: end -->\n\nRead by people.\n"
NAMES = ("acme", "other")


def a_cell(producer, consumer, state="full", found=3, failed=0):
    return {"producer": producer, "consumer": consumer, "state": state, "found": found, "refused": 0, "failed": failed,
            "unclaimed": 0, "losses": [], "reason": ""}


def a_clash():
    orders = [{"first": "acme", "second": "other", "loads": False, "how": "ended by SIGSEGV in open()", "output": f"in {VENV}/acme.so"},
              {"first": "other", "second": "acme", "loads": True, "how": "", "output": ""}]
    return {"first": "acme", "second": "other", "files": [f"{VENV}/acme/__init__.py", f"{VENV}/other.so"], "imports": ["import acme", ""],
            "orders": orders, "load_seconds": 30.0, "waiver": "", "reason": "", "program_run": {"state": "confirmed", "reason": ""}}


def a_matrix():
    """Results as dlcert matrix writes them: one pair full, one in part, two that clash."""
    run = a_run()
    adapter = run["adapters"][0]
    failed = a_check("fail", message="it arrives wrong", program_run={"state": "confirmed", "reason": ""})
    between = [{**a_result("a.a", "pass", "MUST", a_check(met=3)), "consumer": "acme"},
               {**a_result("a.b", "fail", "MUST", failed), "producer": "other", "consumer": "other"}]
    cells = [a_cell("acme", "acme"), a_cell("acme", "other", "cannot be loaded together", 0),
             a_cell("other", "acme", "cannot be loaded together", 0), a_cell("other", "other", "partial", 2, 1)]
    return {**run, "adapters": [adapter, {**adapter, "name": "other", "path": f"{VENV}/other.so"}], "results": between,
            "matrix": {"cells": cells, "clashes": [a_clash()], "controls": [a_result("a.a", "pass", "MUST", a_check(met=3))],
                       "imports": [{"adapter": name, "times": 7} for name in NAMES], "required": []}}


class Grids(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.into, self.results = Path(folder.name, "into"), Path(folder.name, "r.json")
        self.into.mkdir()
        (self.into / "README.md").write_text(NO_PAGE)
        (self.into / "matrix.md").write_text(PAGE)
        programs = Path(f"{self.results}.counterexamples")
        programs.mkdir()
        (programs / "together-acme-other.py").write_text(PROGRAM)

    def record(self, run=None, name="ten"):
        self.results.write_text(json.dumps(run or a_matrix()))
        arguments = ["record.py", "--matrix", name, str(self.results), "--machine", "x86", "--into", str(self.into)]
        with mock.patch.object(sys, "argv", arguments), mock.patch("builtins.print"), \
                mock.patch("tempfile.gettempdir", return_value="/tmp/x"):
            return record.main()

    def wrong(self):
        return "\n".join(line for line in check.judge(self.into) if line != "expected recorded certifications but found none")

    def edit(self, change):
        path = self.into / "recorded" / "matrix" / "ten.json"
        run = json.loads(path.read_text())
        change(run)
        path.write_text(json.dumps(run))

    def test_what_is_recorded_is_in_order(self):
        self.assertEqual(self.record(), 0)
        self.assertEqual(self.wrong(), "")

    def test_the_page_has_the_grid_of_what_is_recorded(self):
        self.record()
        page = (self.into / "matrix.md").read_text()
        self.assertIn("| acme | full 3 | APART |\n| other | APART | part 2/3 |\n", page)
        self.assertIn("- acme and other: acme, then other: ended by SIGSEGV in open(); other, then acme: both load\n", page)
        self.assertIn("4 pairs: 1 full, 1 partial, 2 cannot be loaded together. They and what each shows alone took 1 s on x86; 2026-11-23, seed 1.\n", page)
        self.assertIn("Processes that loaded each library: acme 7, other 7.\nPrograms of what fails: 2 confirmed.\nacme 1.2, other 1.2.\n", page)
        self.assertTrue(page.endswith("Read by people.\n"))

    def test_what_belongs_to_the_machine_has_a_name(self):
        self.record()
        text = (self.into / "recorded" / "matrix" / "ten.json").read_text()
        self.assertNotIn("/home", text)
        self.assertIn("<python>/acme/__init__.py", text)
        self.assertIn("<python>", (self.into / "recorded" / "matrix" / "ten" / "together-acme-other.py").read_text())

    def test_the_checks_of_what_passed_are_left_out_and_named(self):
        self.record()
        kept = json.loads((self.into / "recorded" / "matrix" / "ten.json").read_text())
        self.assertEqual([len(result["checks"]) for result in kept["results"]], [0, 1])
        self.assertIn("the checks of a requirement that is kept", " ".join(kept["recorded"]["left_out"]))

    def test_a_run_of_one_library_is_refused(self):
        with self.assertRaises(SystemExit):
            self.record(a_run())

    def test_each_disorder_is_found(self):
        unshown = {"state": "not run", "reason": "no time"}
        disorders = {
            "the grids are not those": lambda: self.edit(lambda run: run["matrix"]["cells"][0].update(found=4)),
            "is not one of": lambda: self.edit(lambda run: run["matrix"]["cells"][0].update(state="good")),
            "a.b: other to other: expected a confirmed program": lambda: self.edit(
                lambda run: run["results"][1]["checks"][0].update(program_run=unshown)),
            "cannot be loaded together: acme and other: expected": lambda: self.edit(
                lambda run: run["matrix"]["clashes"][0].update(program_run=unshown)),
            "expected a grid ten in matrix.md": lambda: (self.into / "matrix.md").write_text("# None\n"),
            "expected recorded/matrix/ten.json": lambda: (self.into / "recorded" / "matrix" / "ten.json").unlink(),
            "a path of a machine": lambda: (self.into / "recorded" / "matrix" / "ten" / "a.py").write_text("x = '/home/ann/x'\n"),
        }
        for message, disorder in disorders.items():
            with self.subTest(message):
                self.setUp()
                self.record()
                disorder()
                self.assertIn(message, self.wrong())

    def test_the_page_can_say_why_there_is_no_program(self):
        self.record()
        self.edit(lambda run: run["results"][1]["checks"][0].update(program_run={"state": "not run", "reason": "no time"}))
        page = self.into / "matrix.md"
        page.write_text(page.read_text() + "`a.b` has no program: it needs two processes.\n")
        self.assertIn("are not those", self.wrong())
        with mock.patch.object(sys, "argv", ["record.py", "--table", "--into", str(self.into)]):
            record.main()
        self.assertEqual(self.wrong(), "")


if __name__ == "__main__":
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        print("expected the Python package jsonschema (harness/bootstrap) but found none")
        sys.exit(77)
    unittest.main()
