#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Libraries that cannot be loaded together: clashes_test.py DLCERT REFERENCE REGISTERS ABORTS HANGS PYTHON SCHEMA"""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema

from matrix_runs import Run, adapters, waiver

DLCERT, REFERENCE, REGISTERS, ABORTS, HANGS, PYTHON, SCHEMA = sys.argv[1:8]
APART = "cannot be loaded together"

PACKAGE = """from numpy import *
from numpy import from_dlpack
import os, sys
__version__ = "1.0"
{meets}
"""

ADAPTER = """import dlcert
import {name}


class Planted(dlcert.Adapter):
    library = {name}
    dtypes = frozenset({{"int32", "float32"}})
"""


def run_of_one_rule(*arguments: str, **more: str) -> Run:
    """A run that judges one rule of each pair: whether they load does not turn on the rules."""
    return Run(DLCERT, "protocol.from.new-array", *arguments, **more)


def states(run: Run, *names: str) -> list[str]:
    """The states of the cells between these, in the order of the grid."""
    return [run.cell(one, other)["state"] for one in names for other in names]


class Planted:
    """Packages and their adapters in a folder: what each does at its import when all else is done."""

    def __init__(self, **meets: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        for name, does in meets.items():
            package = Path(self.folder.name) / name
            package.mkdir()
            (package / "__init__.py").write_text(PACKAGE.format(meets=does), encoding="utf-8")
            adapter = Path(self.folder.name) / f"{name}_adapter.py"
            adapter.write_text(ADAPTER.format(name=name), encoding="utf-8")

    def adapter(self, name: str) -> str:
        """As --adapter names it."""
        return f"python:{self.folder.name}/{name}_adapter.py"


class Clashes(unittest.TestCase):
    """What the grid, the results, the script and the exit code say of them."""

    def only_clash(self, run: Run) -> Any:
        """The only one, of results that are as the schema says."""
        jsonschema.validate(run.results, json.loads(Path(SCHEMA).read_text()))
        self.assertEqual(len(run.results["matrix"]["clashes"]), 1, run.output)
        clash = run.results["matrix"]["clashes"][0]
        self.assertEqual(clash["program_run"], {"state": "confirmed", "reason": ""}, run.output)
        return clash

    def test_a_crash_is_the_pairs_and_the_others_are_judged(self) -> None:
        run = Run(DLCERT, *adapters(REFERENCE, REGISTERS, ABORTS))
        self.assertEqual(run.code, 3, run.output)
        self.assertEqual(states(run, "reference", "registers", "aborts"),
                         ["full", "full", "full", "full", "full", APART, "full", APART, "full"])
        clash = self.only_clash(run)
        self.assertEqual(clash["files"], [REGISTERS, ABORTS])
        self.assertEqual([order["loads"] for order in clash["orders"]], [False, True], run.output)
        self.assertEqual(clash["orders"][0]["how"], "ended by SIGABRT in dlopen()")
        for told in (f"registers: {REGISTERS}", f"aborts: {ABORTS}",
                     "registers, then aborts: ended by SIGABRT in dlopen()",
                     "aborts, then registers: both load", "script: confirmed"):
            self.assertIn(f"  {told}\n", run.output)
            self.assertIn(f"- {told}\n", run.page.replace("\\_", "_"))
        self.assertIn("2 pairs cannot be loaded together: registers to aborts", run.output)
        self.assertNotIn("lifetime.", run.output)

    def test_which_order_fails_does_not_depend_on_the_order_of_the_adapters(self) -> None:
        run = run_of_one_rule(*adapters(ABORTS, REGISTERS))
        self.assertEqual(run.code, 3, run.output)
        failing = [(order["first"], order["second"])
                   for order in self.only_clash(run)["orders"] if not order["loads"]]
        self.assertEqual(failing, [("registers", "aborts")])

    def test_a_hang_is_told_as_one(self) -> None:
        run = run_of_one_rule(*adapters(REGISTERS, HANGS), "--load-seconds", "1")
        self.assertEqual(run.code, 3, run.output)
        how = [order["how"] for order in self.only_clash(run)["orders"]]
        self.assertEqual(how, ["not loaded within 1 s in dlopen()", ""], run.output)

    def test_one_that_clashes_with_two_is_told_twice(self) -> None:
        run = run_of_one_rule(*adapters(REGISTERS, ABORTS, HANGS, REFERENCE), "--load-seconds", "1")
        pairs = [(one["first"], one["second"]) for one in run.results["matrix"]["clashes"]]
        self.assertEqual(pairs, [("registers", "aborts"), ("registers", "hangs")], run.output)
        found = states(run, "registers", "aborts", "hangs", "reference")
        self.assertEqual(found.count("full"), 12, run.output)

    def test_its_scripts_are_plain(self) -> None:
        run = run_of_one_rule(*adapters(REGISTERS, ABORTS))
        script = run.saved["together-registers-aborts.c"]
        self.assertNotIn("dlcert", script.replace(REGISTERS, "").replace(ABORTS, ""))

    def test_packages_of_python_are_named_by_their_files(self) -> None:
        planted = Planted(
            one="sys.planted = True",
            other="if hasattr(sys, 'planted'): raise TypeError('duplicate file name: a.proto')")
        run = run_of_one_rule(*adapters(planted.adapter("one"), planted.adapter("other")), "--python",
                  PYTHON, PYTHONPATH=planted.folder.name)
        self.assertEqual(run.code, 3, run.output)
        clash = self.only_clash(run)
        self.assertEqual(clash["files"], [f"{planted.folder.name}/{name}/__init__.py"
                                          for name in ("one", "other")])
        self.assertIn("duplicate file name: a.proto", clash["orders"][0]["how"])
        self.assertIn("import other", run.saved["together-one-other.py"])
        self.assertNotIn("dlcert", run.saved["together-one-other.py"])

    def test_a_package_and_a_module_clash(self) -> None:
        planted = Planted(one="os.environ['DLCERT_TEST_REGISTRY'] = 'one'")
        run = run_of_one_rule(*adapters(planted.adapter("one"), ABORTS), "--python", PYTHON,
                  PYTHONPATH=planted.folder.name)
        self.assertEqual(run.code, 3, run.output)
        self.assertEqual(states(run, "one", "aborts"), ["full", APART, APART, "full"], run.output)
        self.assertEqual(self.only_clash(run)["files"][1], ABORTS)

    def test_it_does_not_satisfy_who_requires_the_pair(self) -> None:
        run = run_of_one_rule(*adapters(REFERENCE, REGISTERS, ABORTS), "--require-pair",
                  "registers:aborts", waivers=waiver(APART, "registers", "aborts", "SIGABRT"))
        self.assertEqual(run.code, 3, run.output)
        self.assertIn("1 pair required but not full: registers to aborts", run.output)

    def test_a_waiver_accepts_it_in_both_directions(self) -> None:
        run = run_of_one_rule(*adapters(REFERENCE, REGISTERS, ABORTS), "--require-pair",
                  "reference:registers", waivers=waiver(APART, "registers", "aborts", "SIGABRT"))
        self.assertEqual(run.code, 0, run.output)
        self.assertIn("registers and aborts: cannot be loaded together, waived", run.output)
        suites = {suite.get("name"): suite for suite in ElementTree.fromstring(run.junit)}
        for name in ("dlcert registers to aborts", "dlcert aborts to registers"):
            self.assertEqual(suites[name].get("errors"), "0")
            self.assertEqual(suites[name].get("skipped"), suites[name].get("tests"))

    def test_a_waiver_that_does_not_say_the_truth_is_told(self) -> None:
        for accepted, said in (
                (waiver(APART, "registers", "aborts", "SIGSEGV"), "expected the message 'SIGSEGV'"),
                (waiver(APART, "reference", "registers", "SIGABRT"), "can be loaded together"),
        ):
            run = Run(DLCERT, *adapters(REFERENCE, REGISTERS), waivers=accepted) \
                if "can be" in said else run_of_one_rule(*adapters(REGISTERS, ABORTS), waivers=accepted)
            self.assertIn(run.code, (3, 4), run.output)
            self.assertIn(said, run.output)
        alone = waiver(APART, "registers", "aborts", "SIGABRT").replace('producer = "registers"\n', "") \
            .replace('consumer = "aborts"\n', "")
        run = run_of_one_rule(*adapters(REGISTERS, ABORTS), waivers=alone)
        self.assertEqual(run.code, 2, run.output)
        self.assertIn("expected the keys 'producer' and 'consumer'", run.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
