#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dlcert matrix: matrix_test.py DLCERT REFERENCE C_EXAMPLE MODULES PYTHON SCHEMA"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import jsonschema

DLCERT, REFERENCE, C_EXAMPLE, MODULES, PYTHON, SCHEMA = sys.argv[1:7]


def mutants_of(area: str) -> str:
    """The module of the planted faults of an area."""
    return f"{MODULES}/libdlcert_mutants_{area}.so"


class Run:
    """A run of dlcert matrix, and its results."""

    def __init__(self, *arguments: str, mutant: str = "", waivers: str = "") -> None:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.json"
            command = [DLCERT, "matrix", *arguments, "--no-preflight", "--results", str(results),
                       "--junit", f"{folder}/junit.xml", "--markdown", f"{folder}/page.md"]
            if waivers:
                (Path(folder) / "waivers.toml").write_text(waivers, encoding="utf-8")
                command += ["--waivers", f"{folder}/waivers.toml"]
            done = subprocess.run(command, env={**os.environ, "DLCERT_MUTANT": mutant}, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.code = done.returncode
            self.output = done.stdout
            self.results: Any = json.loads(results.read_text()) if results.exists() else None
            pages = [Path(folder) / name for name in ("junit.xml", "page.md")]
            self.pages = [page.read_text() if page.exists() else "" for page in pages]

    def cell(self, producer: str, consumer: str) -> Any:
        """The cell of a pair."""
        return next(cell for cell in self.results["matrix"]["cells"]
                    if (cell["producer"], cell["consumer"]) == (producer, consumer))


def adapters(*paths: str) -> list[str]:
    """Options that name them."""
    return [word for path in paths for word in ("--adapter", path)]


class Matrix(unittest.TestCase):
    """What the grid, the results and the exit code say."""

    def test_right_libraries_take_each_others_tensors(self) -> None:
        run = Run(*adapters(REFERENCE, C_EXAMPLE))
        self.assertEqual(run.code, 0, run.output)
        cells = run.results["matrix"]["cells"]
        self.assertEqual([cell["state"] for cell in cells], ["full"] * 4, run.output)
        self.assertTrue(all(cell["found"] > 0 and not cell["losses"] for cell in cells))
        self.assertTrue(all(one["times"] <= 20 for one in run.results["matrix"]["imports"]))
        self.assertIn("dlcert reference to ", run.pages[0])
        self.assertIn("## Who takes whose tensors", run.pages[1])

    def test_arrays_of_python_go_from_library_to_library(self) -> None:
        run = Run(*adapters("python:numpy", REFERENCE), "--python", PYTHON)
        self.assertEqual(run.code, 0, run.output)
        states = {cell["state"] for cell in run.results["matrix"]["cells"]}
        self.assertEqual(states, {"full"}, run.output)

    def test_a_consumer_at_fault_is_named(self) -> None:
        run = Run(*adapters(mutants_of("lifetime"), C_EXAMPLE),
                  mutant="zero-copy-consumer-never-calls-deleter")
        self.assertEqual(run.code, 1, run.output)
        other = run.results["adapters"][1]["name"]
        broken = run.cell(other, "reference")
        self.assertEqual(broken["state"], "broken", run.output)
        self.assertEqual({loss["fault"] for loss in broken["losses"]}, {"consumer"})
        self.assertEqual(run.cell("reference", other)["state"], "full", run.output)
        self.assertIn("reference as consumer, which shows it against dlcert too", run.output)
        jsonschema.validate(run.results, json.loads(Path(SCHEMA).read_text()))

    def test_a_producer_at_fault_is_named(self) -> None:
        run = Run(*adapters(mutants_of("abi"), "python:numpy"), "--python", PYTHON,
                  mutant="strides-in-bytes")
        self.assertEqual(run.code, 1, run.output)
        other = "numpy"
        wrong = run.cell("reference", other)
        self.assertIn(wrong["state"], ("partial", "broken"), run.output)
        self.assertEqual({loss["fault"] for loss in wrong["losses"]}, {"producer"}, run.output)
        self.assertEqual(run.cell(other, "reference")["state"], "full", run.output)

    def test_a_required_pair_must_be_full(self) -> None:
        run = Run(*adapters("python:numpy", "python:array_api_strict"), "--python", PYTHON,
                  "--require-pair", "numpy:array_api_strict")
        self.assertEqual(run.code, 0, run.output)
        run = Run(*adapters(REFERENCE, C_EXAMPLE), "--require-pair", "reference:nobody")
        self.assertEqual(run.code, 2, run.output)
        self.assertIn("--require-pair: expected PRODUCER:CONSUMER of reference", run.output)

    def test_what_is_no_matrix_is_refused_in_a_line(self) -> None:
        for arguments, said in ((adapters(REFERENCE), "expected --adapter at least twice"),
                                (adapters(REFERENCE, mutants_of("lifetime")), "a name of its own"),
                                (adapters(REFERENCE, C_EXAMPLE) + ["--require", "dtypes"],
                                 "matrix takes --require-pair")):
            run = Run(*arguments, mutant="noop-deleter")
            self.assertEqual(run.code, 2, run.output)
            self.assertIn(said, run.output)
            self.assertEqual(run.output.count("\n"), 1, run.output)

    def test_a_waiver_of_a_pair_is_of_that_pair_alone(self) -> None:
        other = "narray"
        waiver = f"""[[waiver]]
requirement = "lifetime.deleter.exactly-once"
producer = "{other}"
consumer = "reference"
implementation = "reference"
versions = ">=0"
message = "deleter calls: expected 1 but found 0"
reason = "a planted fault of the tests"
owner = "the tests"
expires = 2027-06-30
"""
        run = Run(*adapters(mutants_of("lifetime"), C_EXAMPLE), waivers=waiver,
                  mutant="zero-copy-consumer-never-calls-deleter")
        verdicts = {(one["producer"], one["consumer"]): one["verdict"]
                    for one in run.results["results"]
                    if one["requirement"] == "lifetime.deleter.exactly-once"}
        self.assertEqual(verdicts[other, "reference"], "waived", run.output)
        self.assertEqual(verdicts["reference", "reference"], "fail", run.output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
