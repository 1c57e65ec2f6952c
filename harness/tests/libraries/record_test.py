#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recording of certifications: what is kept, what is cleaned, and that each disorder is found: record_test.py SCRIPTS"""

import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

sys.path.insert(0, sys.argv.pop(1))

import check  # noqa: E402
import clean  # noqa: E402
import older  # noqa: E402
import picture  # noqa: E402
import places  # noqa: E402
import record  # noqa: E402
import table  # noqa: E402
import versions  # noqa: E402

VENV = "/home/ann/venv"
PROGRAM = f"# found at 0x7f1a9cba9650 in {VENV}/lib/acme.so\nvalue = 0x7f1a9cba9650\n"
PAGE = "# acme\n\n<!-- faults: begin -->\n<!-- faults: end -->\n"
NO_PAGE = "# Libraries\n\n<!-- recorded: begin -->\n<!-- recorded: end -->\n"


def a_check(verdict="pass", **members):
    required = {"message": "", "expected": "", "found": "", "reason": "", "after": "", "seed": 7, "cases": 3, "requested": 3,
                "unclaimed": 0, "not_formable": 0, "discarded": 0, "nanoseconds": 12, "observations": {}, "warnings": [], "output": ""}
    return {"sentence": "it does", "role": "producer", "verdict": verdict, **required, **members}


def a_result(requirement, verdict, level, *checks):
    return {"requirement": requirement, "producer": "acme", "consumer": "dlcert", "level": level, "verdict": verdict,
            "reason": "", "waiver": "", "checks": list(checks)}


def a_run():
    """Results as dlcert writes them: one requirement kept, one failed, one that does not apply."""
    counterexample = {"case": 0, "size": 0, "steps": 1, "choices": [], "trace": ["0x55d4ae6958c0"], "program": ["a"], "recording": ["b"]}
    failed = a_check("fail", message=f"found 0x55d4ae6958c0, see {VENV}/x", counterexample=counterexample,
                     program_run={"state": "confirmed", "reason": ""})
    settings = {"spec": "1.3", "array_api": "2025.12", "runtime": "none", "driver": "simulated", "policies": {}}
    adapter = {"name": "acme", "version": "1.2", "path": "python:acme", "runtime": "", "producer": True, "consumer": False,
               "enumerates": False, "properties": [], "groups": {}}
    return {"schema_version": 2, "complete": True, "exit_code": 1, "reasons": ["1 requirement failed: a.b"],
            "dlcert_version": "0.1.0", "started": "2026-11-23T09:39:39Z", "seconds": 1.25, "seed": 1, "cases": 1000, "repeat": 1,
            "strict": False, "filtered": False, "settings": settings, "adapters": [adapter],
            "python": {"path": f"{VENV}/bin/python", "version": "3.11.2"}, "waiver_problems": [], "waiver_warnings": [],
            "invoker": "12@34", "identity": {"files": [
                {"what": "module", "path": f"{VENV}/a.so", "sha256": "0" * 64, "stamp": "1"},
                {"what": "adapter", "path": f"{VENV}/acme.py", "sha256": "1" * 64}], "options": {}, "environment": ""},
            "results": [a_result("a.a", "pass", "MUST", a_check(met=3)), a_result("a.b", "fail", "MUST", failed),
                        a_result("a.c", "not applicable", "MAY", a_check("not applicable"))]}


class Recording(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.into, self.results = Path(folder.name, "into"), Path(folder.name, "r.json")
        self.recorded = self.into / "recorded"
        self.recorded.mkdir(parents=True)
        (self.into / "README.md").write_text(NO_PAGE)
        (self.into / "acme.md").write_text(PAGE)
        programs = Path(f"{self.results}.counterexamples")
        programs.mkdir()
        (programs / "a.b-acme-dlcert.py").write_text(PROGRAM)
        (programs / "a.b-acme-dlcert.recorded.c").write_text("int a;\n")
        (programs / "a.b-acme-dlcert.json").write_text("{}")

    def record(self, run=None, *more):
        self.results.write_text(json.dumps(run or a_run()))
        with mock.patch("builtins.print"), mock.patch("tempfile.gettempdir", return_value="/tmp/x"):
            return self.main(str(self.results), *more)

    def main(self, *more):
        with mock.patch.object(sys, "argv", ["record.py", *more, "--into", str(self.into)]):
            return record.main()

    def kept(self, name="acme-1.2.json"):
        return json.loads((self.recorded / name).read_text())

    def wrong(self):
        return "\n".join(check.judge(self.into))

    def test_what_is_recorded_is_in_order(self):
        self.assertEqual(self.record(), 0)
        self.assertEqual(self.wrong(), "")

    def test_a_verdict_keeps_its_message_counts_and_conditions(self):
        self.record()
        run, kept = a_run(), self.kept()
        for member in ("settings", "adapters", "seed", "cases", "seconds", "reasons", "exit_code", "started"):
            self.assertEqual(kept[member], run[member])
        self.assertEqual([result["verdict"] for result in kept["results"]], ["pass", "fail", "not applicable"])
        failed = kept["results"][1]["checks"][0]
        self.assertEqual((failed["verdict"], failed["cases"], failed["seed"]), ("fail", 3, 7))

    def test_what_is_kept_by_the_library_keeps_counts_in_the_place_of_its_checks(self):
        run = a_run()
        evidence = {"made": 2, "handed_over": 2, "found": 1, "by_export": 0}
        run["results"][0]["checks"].append(a_check(cases=4, met=1, evidence=evidence))
        self.record(run)
        passed = self.kept()["results"][0]
        self.assertEqual(passed["checks"], [])
        self.assertEqual(passed["counts"], {"cases": 7, "met": 4, "evidence": evidence})
        self.assertEqual(self.wrong(), "")

    def test_what_belongs_to_the_machine_has_a_name(self):
        self.record()
        kept = self.kept()
        self.assertEqual(kept["python"]["path"], "<python>/bin/python")
        self.assertEqual(kept["results"][1]["checks"][0]["message"], "found 0x(address), see <python>/x")
        self.assertEqual(kept["invoker"], "")
        self.assertEqual([file["path"] for file in kept["identity"]["files"]], ["<python>/acme.py", "1 shared objects"])
        self.assertNotIn("stamp", (self.recorded / "acme-1.2.json").read_text())
        self.assertTrue(kept["recorded"]["left_out"])

    def test_a_program_is_cleaned_in_its_comments(self):
        self.record()
        programs = sorted((self.recorded / "programs" / "acme-1.2").glob("*"))
        self.assertEqual([path.name for path in programs], ["a.b-acme-dlcert.py"])
        self.assertEqual(programs[0].read_text(), "# found at 0x(address) in <python>/lib/acme.so\nvalue = 0x7f1a9cba9650\n")

    def test_a_program_by_hand_outlives_those_of_the_run_before(self):
        self.record()
        programs = self.recorded / "programs" / "acme-1.2"
        for name in ("a.b-acme-dlcert-by-hand.py", "a.b-acme-dlcert-2.py"):
            (programs / name).write_text("pass\n")
        self.record()
        self.assertEqual(sorted(path.name for path in programs.glob("*")), ["a.b-acme-dlcert-by-hand.py", "a.b-acme-dlcert.py"])
        self.assertIn("expected a page that leads to it", self.wrong())
        (self.into / "acme.md").write_text(PAGE + "[one](recorded/programs/acme-1.2/a.b-acme-dlcert-by-hand.py)\n")
        with mock.patch("builtins.print"):
            self.main("--table")
        self.assertEqual(self.wrong(), "")

    def test_a_program_of_a_requirement_without_a_fault_is_refused(self):
        self.record()
        (self.recorded / "programs" / "acme-1.2" / "a.c-acme-dlcert.py").write_text("pass\n")
        self.assertIn("a.c-acme-dlcert.py: acme-1.2.json records no fault of that requirement", self.wrong())

    def test_a_path_without_a_name_is_refused(self):
        run = a_run()
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            run["reasons"] = [f"see {folder}/x"]
            with mock.patch("sys.stderr"), mock.patch.object(clean, "SOMEBODYS", clean.re.compile("(?!)")):
                self.assertEqual(self.record(run), 2)
        self.assertFalse((self.recorded / "acme-1.2.json").exists())

    def test_a_path_can_be_given_a_name(self):
        run = a_run()
        run["reasons"] = ["see /data/wheels/x"]
        self.record(run, "--path", "/data/wheels=<wheels>")
        self.assertEqual(self.kept()["reasons"], ["see <wheels>/x"])

    def test_an_unfinished_or_filtered_run_is_refused(self):
        for member, value in (("complete", False), ("filtered", True)):
            with self.assertRaises(SystemExit):
                self.record({**a_run(), member: value})

    def test_the_table_counts(self):
        self.record(None, "--note", "a|note", "--machine", "x86")
        row = table.table(self.into).splitlines()[2]
        self.assertEqual(row, "| [acme](acme.md) | [1.2](recorded/acme-1.2.json) | 1 requirement failed | 1 / 1 | 0 / 0 | 1 / 0 / 0 | 1.2 | "
                              "2026-11-23, CPython 3.11.2, 1,000 cases, x86, a\\|note |")

    def test_the_picture_shows_each_role_of_a_feature(self):
        def scope(role, feature, coverage, tested, failed):
            return {"adapter": "acme", "role": role, "feature": feature, "coverage": coverage, "tested": tested, "failed": failed,
                    "of": 4, "missing": []}

        results = [a_result("capsule.name.legacy", "fail", "MUST"), a_result("abi.strides.negative", "fail", "SHOULD")]
        for result, binding in zip(results, (True, False)):
            result.update(binding=binding)
        features = [scope("producer", "capsules", "full", 4, 1), scope("producer", "layouts", "partial", 2, 1),
                    scope("consumer", "capsules", "full", 4, 0), scope("consumer", "layouts", "not claimed", 0, 0)]
        run = {**a_run(), "results": results, "scope": {"features": features}}
        (self.recorded / "acme-1.2.json").write_text(json.dumps({**run, "recorded": {"machine": "x86"}}))
        drawn = {rect.get("class"): rect[0].text for rect in ElementTree.fromstring(picture.picture(self.into)).iter()
                 if len(rect) and rect.get("class")}
        self.assertEqual(drawn, {"failed": "acme as producer, capsules: 1 failed of 4 tested",
                                 "warning": "acme as producer, layouts: 1 failed of 2 tested",
                                 "full": "acme as consumer or runtime, capsules: full, 4 of 4 tested"})

    def test_a_text_for_upstream_is_recorded(self):
        Path(f"{self.results}.counterexamples", "a.b-acme-dlcert.md").write_text(
            f"found 0x7f1a9cba9650\n```python\n{PROGRAM}```\n")
        self.record()
        text = (self.recorded / "programs" / "acme-1.2" / "a.b-acme-dlcert.md").read_text()
        self.assertEqual(text, "found 0x(address)\n```python\n# found at 0x(address) in <python>/lib/acme.so\n"
                               "value = 0x7f1a9cba9650\n```\n")
        self.assertEqual(self.wrong(), "")

    def test_the_newest_version_comes_first(self):
        self.record()
        shutil.copy(self.recorded / "acme-1.2.json", self.recorded / "acme-1.10.json")
        run = json.loads((self.recorded / "acme-1.10.json").read_text())
        run["adapters"][0]["version"] = "1.10"
        (self.recorded / "acme-1.10.json").write_text(json.dumps(run))
        rows = table.table(self.into).splitlines()[2:]
        self.assertLess(rows[0].index("1.10"), rows[1].index("1.2") + len(rows[0]))
        self.assertIn("[1.10]", rows[0])

    def newer(self, change):
        """Records acme 1.10 beside 1.2, changed."""
        run = json.loads((self.recorded / "acme-1.2.json").read_text())
        run["adapters"][0]["version"] = "1.10+cpu"
        change(run)
        (self.recorded / "acme-1.10+cpu.json").write_text(json.dumps(run))

    def test_a_page_shows_how_verdicts_change_over_versions(self):
        def mended(run):
            run.update(exit_code=0, reasons=[])
            run["results"][1]["verdict"] = "pass"
            run["results"] += [a_result("a.d", "fail", "SHOULD", a_check("fail")), a_result("a.e", "fail", "SHOULD", a_check("fail")),
                               a_result("a.f", "inconclusive", "MUST", a_check("inconclusive"))]
        page = self.into / "acme.md"
        page.write_text(f"# acme\n\n{versions.BEGIN}\n{versions.END}\n\nread\n")
        self.record()
        self.newer(mended)
        with mock.patch("builtins.print"):
            self.main("--table")
        self.assertEqual(page.read_text().splitlines()[7:-4], [
            "| requirement | 1.2 | 1.10 |", "| --- | :---: | :---: |", "| verdict | 1 MUST | certified |", "| `a.b` | ✗ | · |",
            "| `a.f` | – | ? |", "| `a.d`, `a.e` | – | w |"])
        self.assertTrue(page.read_text().endswith(f"\n{versions.END}\n\nread\n"))
        page.write_text(page.read_text().replace("| ✗ | · |", "| · | · |"))
        self.assertIn("acme.md: the table of versions is not that of the recorded files", self.wrong())

    def test_a_role_that_fails_fails_the_requirement(self):
        results = [a_result("a.b", "pass", "MUST"), a_result("a.b", "crash", "MUST"), a_result("a.b", "not applicable", "MUST")]
        self.assertEqual([older.verdict_of(some) for some in (results, results[:1], results[2:])], ["crash", "pass", "not applicable"])

    def versions(self, *numbers):
        """Records acme in these versions."""
        for number in numbers:
            run = a_run()
            run["adapters"][0]["version"] = number
            self.record(run)

    def test_of_all_but_the_newest_two_versions_a_verdict_for_each_requirement_is_kept(self):
        page = self.into / "acme.md"
        page.write_text(f"{PAGE}\n{versions.BEGIN}\n{versions.END}\n")
        self.versions("1.10", "1.2", "1.9", "1.1")
        self.assertEqual(sorted(path.name for path in self.recorded.glob("*.json")),
                         ["acme-1.10.json", "acme-1.9.json", "acme.verdicts.json"])
        self.assertEqual(sorted(path.name for path in (self.recorded / "programs").iterdir()), ["acme-1.10", "acme-1.9"])
        kept = self.kept("acme.verdicts.json")["versions"]
        self.assertEqual([(version["version"], version["verdicts"]) for version in kept],
                         [(number, {"a.a": "pass", "a.b": "fail"}) for number in ("1.1", "1.2")])
        self.assertIn("| `a.b` | ✗ | ✗ | ✗ | ✗ |", page.read_text())
        self.assertEqual(self.wrong(), "")

    def test_a_version_that_pages_speak_of_is_kept_whole(self):
        with mock.patch.object(older, "ALSO_WHOLE", {"acme": ["1.1"]}):
            self.versions("1.1+cpu", "1.2", "1.9", "1.10")
        self.assertEqual(sorted(path.name for path in self.recorded.glob("acme-*.json")),
                         ["acme-1.1+cpu.json", "acme-1.10.json", "acme-1.9.json"])

    def test_an_older_version_that_is_kept_whole_is_found(self):
        with mock.patch.object(older, "NEWEST", 3):
            self.versions("1.1", "1.2", "1.9")
        self.assertIn("acme-1.1.json: expected a verdict for each requirement alone, in acme.verdicts.json", self.wrong())

    def test_a_cell_that_came_to_nothing_is_a_row(self):
        failed = {"library": "acme", "version": "9", "stage": "install", "reason": f"no wheel in {VENV} < 3", "when": "2026-11-23T01:02:03Z",
                  "requirements": ["acme==9"], "python": "CPython 3.11.2"}
        path = self.into.parent / "failed.json"
        path.write_text(json.dumps(failed))
        with mock.patch("builtins.print"):
            self.main("--failed", str(path))
        self.assertEqual(self.wrong(), "")
        row = table.table(self.into).splitlines()[2]
        self.assertIn("| none, install: no wheel in &lt;somebody's&gt;/venv &lt; 3 |".replace("&gt;", ">"), row)

    def test_a_matrix_without_results_is_refused(self):
        for more in (["--failed", "cell.json"], ["--table"], ["--check"]):
            with mock.patch("sys.stderr", new_callable=io.StringIO) as printed, self.assertRaises(SystemExit) as ended:
                self.main("--matrix", "host", *more)
            self.assertEqual(ended.exception.code, 2)
            self.assertIn("--matrix: expected RESULTS.json beside it", printed.getvalue())

    def test_each_disorder_is_found(self):
        disorders = {
            "expected 1 confirmed programs but found 0": lambda: shutil.rmtree(self.recorded / "programs"),
            "expected a page acme.md": lambda: (self.into / "acme.md").unlink(),
            "the table is not that": lambda: (self.into / "README.md").write_text(NO_PAGE),
            "the picture is not that": lambda: (self.into / "features.svg").write_text("<svg/>"),
            "a path of a machine": lambda: (self.into / "acme.md").write_text("see /home/ann/x\n"),
            "expected acme-2.json beside it": lambda: (self.recorded / "programs" / "acme-2").mkdir(),
            "expected the name acme-1.2.json": lambda: (self.recorded / "acme-1.2.json").rename(self.recorded / "acme-3.json"),
            "is not one of": lambda: self.edit(lambda run: run["results"][0].update(verdict="good")),
            "the faults are not those": lambda: self.edit(
                lambda run: run["results"][1]["checks"][0].update(message="found another")),
            "expected the line <!-- faults: begin -->": lambda: (self.into / "acme.md").write_text("# acme\n"),
            "expected recorded certifications": lambda: (self.recorded / "acme-1.2.json").unlink(),
        }
        for message, disorder in disorders.items():
            with self.subTest(message):
                self.setUp()
                self.record()
                disorder()
                self.assertIn(message, self.wrong())

    def edit(self, change):
        run = self.kept()
        change(run)
        (self.recorded / "acme-1.2.json").write_text(json.dumps(run))

    def test_a_dump_is_the_same_value(self):
        run = a_run()
        self.assertEqual(json.loads(places.dumped(run)), run)
        self.assertTrue(all(len(line) <= places.WIDTH + 2 for line in places.dumped(run).splitlines()))


if __name__ == "__main__":
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        print("expected the Python package jsonschema (harness/bootstrap) but found none")
        sys.exit(77)
    unittest.main()
