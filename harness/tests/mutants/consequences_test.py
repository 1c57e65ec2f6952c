# SPDX-License-Identifier: Apache-2.0
"""Which failures of a planted fault follow from the requirement of the fault, by experiment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DLCERT, MODULES = "", Path()
BROKEN = ("fail", "crash", "timeout")


def failures(mutant: str, area: str, *selected: str) -> dict[str, tuple[str, str, list[dict]]]:
    """The failed requirements: the verdict, the owner, and the consequence of each failed check."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "results.json"
        module = MODULES / f"libdlcert_mutants_{area}.so"
        areas = [word for one in selected for word in ("--area", one)]
        subprocess.run([DLCERT, "certify", "--adapter", module, "--cases", "50", "--programs", "0",
                        "--results", file, *areas], env={**os.environ, "DLCERT_MUTANT": mutant},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        results = json.loads(file.read_text())["results"]
    return {result["requirement"]: (result["verdict"], result.get("consequence_of", ""),
                                    [check.get("consequence") for check in result["checks"] if check["verdict"] in BROKEN])
            for result in results if result["verdict"] in (*BROKEN, "consequence")}


class Consequences(unittest.TestCase):
    def assert_consequences(self, found: dict, owner: str, prop: str, expected: set[str]) -> None:
        proven = {requirement: checks[0]["without"] for requirement, (_, of, checks) in found.items() if of == owner}
        self.assertLessEqual(expected, set(proven), found)
        for requirement in expected:
            self.assertEqual(proven[requirement], [prop], requirement)
        self.assertEqual(found[owner][1], "", "the owner is no consequence")

    def test_what_fails_by_a_byte_offset_follows_from_its_rule(self) -> None:
        found = failures("byte-offset-ignored", "abi", "abi")
        self.assert_consequences(found, "abi.data.byte-offset-applied", "byte_offset", {"abi.strides.negative"})

    def test_what_fails_by_padded_elements_follows_from_their_flag(self) -> None:
        found = failures("padded-flag-refused", "abi", "abi", "lifetime")
        self.assert_consequences(found, "abi.flags.subbyte-padded-honoured", "padded",
                                 {"lifetime.deleter.exactly-once"})

    def test_a_crash_is_separated_as_well(self) -> None:
        found = failures("null-deleter-called-on-release", "lifetime", "lifetime", "exchange-api")
        owner = "lifetime.deleter.null-skipped"
        self.assertEqual(found[owner][0], "crash")
        crashes = {requirement for requirement, (verdict, of, _) in found.items()
                   if verdict == "consequence" and of == owner}
        self.assertIn("exchange.to.null-deleter", crashes, found)

    def test_what_fails_by_the_assertion_of_another_rule_follows_from_it(self) -> None:
        found = failures("deleter-called-twice", "lifetime", "lifetime", "capsule")
        owner = "lifetime.deleter.exactly-once"
        self.assertEqual(found[owner][1], "")
        following = {requirement for requirement, (_, of, checks) in found.items()
                     if of == owner and all(check["without"] == [] for check in checks)}
        self.assertGreater(len(following), 1, found)

    def test_a_crash_of_every_export_of_an_import_belongs_to_the_rule_about_such_exports(self) -> None:
        found = failures("reexport-of-imported-crashes", "sharing", "abi", "sharing")
        owner = "sharing.source-usable-after"
        self.assertEqual(found[owner][:2], ("crash", ""), found)
        self.assertEqual({of for requirement, (_, of, _) in found.items() if requirement != owner}, {owner}, found)

    def test_a_missing_deletion_belongs_to_the_address_that_the_deleter_got(self) -> None:
        found = failures("owning-wrapper-captures-stack-address", "lifetime", "lifetime")
        self.assertEqual(found["lifetime.deleter.self-argument"][1], "", found)
        self.assertEqual(found["lifetime.deleter.exactly-once"][1], "lifetime.deleter.self-argument", found)

    def test_a_stream_that_is_none_belongs_to_the_range_of_streams(self) -> None:
        found = failures("consumer-names-minus-two", "stream", "stream")
        self.assertEqual(found["stream.range"][1], "", found)
        self.assertEqual(found["stream.consumer-passes"][1], "stream.range", found)

    def test_a_test_of_a_consequence_is_skipped_and_that_of_its_owner_fails(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file, module = Path(folder) / "results.json", MODULES / "libdlcert_mutants_abi.so"
            environment = {**os.environ, "DLCERT_MUTANT": "byte-offset-ignored"}
            options = ["--adapter", module, "--cases", "50", "--programs", "0", "--results", file]
            certified = subprocess.run([DLCERT, "certify", *options], env=environment, capture_output=True, text=True)
            self.assertEqual(certified.returncode, 1)
            lines = certified.stdout.splitlines()
            self.assertRegex(lines[1], "^1 fault, [0-9]+ requirements affected$")
            self.assertTrue(lines[2].startswith("  abi.data.byte-offset-applied  fail  "), lines[2])
            codes = {requirement: subprocess.run([DLCERT, "verdict", requirement, *options], env=environment,
                                                 capture_output=True, text=True).returncode
                     for requirement in ("abi.data.byte-offset-applied", "abi.strides.negative", "abi.dtype.int")}
            self.assertEqual(codes, {"abi.data.byte-offset-applied": 1, "abi.strides.negative": 77, "abi.dtype.int": 0})

    def test_an_error_of_the_consumer_is_none_that_it_replaced(self) -> None:
        found = failures("producer-error-replaced", "protocol", "protocol")
        self.assertEqual(found["protocol.from.propagates-errors"][1], "")
        self.assertEqual(found["protocol.from.unsupported-device"][1], "", found)

    def test_a_missing_deletion_follows_from_no_refusal(self) -> None:
        found = failures("null-data-never-deleted", "lifetime", "lifetime", "abi")
        for requirement in ("abi.data.zero-size-null", "abi.data.zero-size-accepted"):
            self.assertEqual(found[requirement][1], "lifetime.deleter.exactly-once", found)

    def test_wrong_elements_follow_from_nothing(self) -> None:
        found = failures("negative-offset-sign-extension", "abi", "abi")
        self.assertTrue(found)
        self.assertTrue(any(of == "" for _, of, _ in found.values()), found)


# A planted fault, the area of its module, and requirements that it does not break, although their checks meet it.
NOT_BROKEN = (
    ("byte-offset-ignored", "abi",
     ("abi.version.major-is-layout", "abi.version.minor-is-additive", "abi.strides.element-units")),
    ("borrowing-deleter-keeps-nothing-alive", "lifetime", ("capsule.destructor.skip-used",)),
    ("copy-not-flagged", "abi", ("protocol.copy.true",)),
    ("stream-of-a-missing-device-crashes", "exchange_api", ("exchange.fn.no-cxx-exceptions",)),
    ("device-strides-exported-unsigned", "abi",
     ("stream.cuda.none-legacy-default", "stream.omitted-means-none", "protocol.copy.false")),
)


class OwnRules(unittest.TestCase):
    def test_a_check_does_not_fail_by_what_another_requirement_is_about(self) -> None:
        for mutant, module, requirements in NOT_BROKEN:
            areas = sorted({requirement.split(".")[0].replace("exchange", "exchange-api") for requirement in requirements})
            with self.subTest(mutant):
                self.assertEqual(set(failures(mutant, module, *areas)) & set(requirements), set())


if __name__ == "__main__":
    DLCERT, MODULES = sys.argv.pop(1), Path(sys.argv.pop(1))
    unittest.main()
