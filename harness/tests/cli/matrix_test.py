#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dlcert matrix: matrix_test.py DLCERT REFERENCE C_EXAMPLE MODULES PYTHON SCHEMA"""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

import jsonschema

from matrix_runs import Run, adapters, waiver

DLCERT, REFERENCE, C_EXAMPLE, MODULES, PYTHON, SCHEMA = sys.argv[1:7]


def mutants_of(area: str) -> str:
    """The module of the planted faults of an area."""
    return f"{MODULES}/libdlcert_mutants_{area}.so"


def run(*arguments: str, mutant: str = "", waivers: str = "") -> Run:
    """A run with the planted fault of that name."""
    return Run(DLCERT, *arguments, waivers=waivers, DLCERT_MUTANT=mutant)


class Matrix(unittest.TestCase):
    """What the grid, the results and the exit code say."""

    def test_right_libraries_take_each_others_tensors(self) -> None:
        done = run(*adapters(REFERENCE, C_EXAMPLE))
        self.assertEqual(done.code, 0, done.output)
        cells = done.results["matrix"]["cells"]
        self.assertEqual([cell["state"] for cell in cells], ["full"] * 4, done.output)
        self.assertTrue(all(cell["found"] > 0 and not cell["losses"] for cell in cells))
        self.assertTrue(all(one["times"] <= 20 for one in done.results["matrix"]["imports"]))
        self.assertIn("dlcert reference to ", done.junit)
        self.assertIn("## Pairs of libraries", done.page)

    def test_arrays_of_python_go_from_library_to_library(self) -> None:
        done = run(*adapters("python:numpy", REFERENCE), "--python", PYTHON)
        self.assertEqual(done.code, 0, done.output)
        states = {cell["state"] for cell in done.results["matrix"]["cells"]}
        self.assertEqual(states, {"full"}, done.output)

    def test_a_consumer_at_fault_is_named(self) -> None:
        done = run(*adapters(mutants_of("lifetime"), C_EXAMPLE),
                  mutant="zero-copy-consumer-never-calls-deleter")
        self.assertEqual(done.code, 1, done.output)
        other = done.results["adapters"][1]["name"]
        broken = done.cell(other, "reference")
        self.assertEqual(broken["state"], "broken", done.output)
        self.assertEqual({loss["fault"] for loss in broken["losses"]}, {"consumer"})
        self.assertEqual(done.cell("reference", other)["state"], "full", done.output)
        self.assertIn("reference as consumer does the same with dlcert", done.output)
        jsonschema.validate(done.results, json.loads(Path(SCHEMA).read_text()))

    def test_junit_tells_the_state_of_each_cell(self) -> None:
        done = run(*adapters(mutants_of("abi"), C_EXAMPLE), mutant="strides-in-bytes")
        suites = {suite.get("name"): {one.get("name"): one.get("value") for one in suite.find("properties")}
                  for suite in ElementTree.fromstring(done.junit)}
        for cell in done.results["matrix"]["cells"]:
            told = suites[f"dlcert {cell['producer']} to {cell['consumer']}"]
            self.assertEqual(told["dlcert.cell"], cell["state"])
            self.assertEqual(told["dlcert.cell.found"], str(cell["found"]))
            self.assertEqual(told["dlcert.cell.lost"], str(cell["refused"] + cell["failed"]))
        self.assertGreater(len({told["dlcert.cell"] for told in suites.values()}), 1, suites)

    def test_a_producer_at_fault_is_named(self) -> None:
        done = run(*adapters(mutants_of("abi"), "python:numpy"), "--python", PYTHON,
                  mutant="strides-in-bytes")
        self.assertEqual(done.code, 1, done.output)
        other = "numpy"
        wrong = done.cell("reference", other)
        self.assertIn(wrong["state"], ("partial", "broken"), done.output)
        self.assertEqual({loss["fault"] for loss in wrong["losses"]}, {"producer"}, done.output)
        self.assertEqual(done.cell(other, "reference")["state"], "full", done.output)

    def test_a_required_pair_must_be_full(self) -> None:
        done = run(*adapters("python:numpy", "python:array_api_strict"), "--python", PYTHON,
                  "--require-pair", "numpy:array_api_strict")
        self.assertEqual(done.code, 0, done.output)
        done = run(*adapters(REFERENCE, C_EXAMPLE), "--require-pair", "reference:nobody")
        self.assertEqual(done.code, 2, done.output)
        self.assertIn("--require-pair: expected PRODUCER:CONSUMER of reference", done.output)

    def test_what_is_no_matrix_is_refused_in_a_line(self) -> None:
        for arguments, said in ((adapters(REFERENCE), "expected --adapter at least twice"),
                                (adapters(REFERENCE, mutants_of("lifetime")), "a unique name"),
                                (adapters(REFERENCE, C_EXAMPLE) + ["--require", "dtypes"],
                                 "matrix takes --require-pair")):
            done = run(*arguments, mutant="noop-deleter")
            self.assertEqual(done.code, 2, done.output)
            self.assertIn(said, done.output)
            self.assertEqual(done.output.count("\n"), 1, done.output)

    def test_a_waiver_of_a_pair_is_of_that_pair_alone(self) -> None:
        other = "narray"
        accepted = waiver("lifetime.deleter.exactly-once", other, "reference",
                          "deleter calls: expected 1 but found 0")
        done = run(*adapters(mutants_of("lifetime"), C_EXAMPLE), waivers=accepted,
                   mutant="zero-copy-consumer-never-calls-deleter")
        verdicts = {(one["producer"], one["consumer"]): one["verdict"]
                    for one in done.results["results"]
                    if one["requirement"] == "lifetime.deleter.exactly-once"}
        self.assertEqual(verdicts[other, "reference"], "waived", done.output)
        self.assertEqual(verdicts["reference", "reference"], "fail", done.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
