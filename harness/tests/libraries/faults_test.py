#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The faults on the pages of libraries, and what people add to them: faults_test.py SCRIPTS"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1))

import fault_pages  # noqa: E402
import faults  # noqa: E402
import notes  # noqa: E402
import snippet  # noqa: E402

NAMES = "lifetime.deleter.null-skipped", "abi.data.byte-offset-applied", "abi.strides.negative"
PROGRAM = """# acme: a title
import ctypes
import os
import sys


def unexpected(*error):
    os._exit(2)


sys.excepthook = unexpected

import acme
from acme import from_dlpack


def judge(found, expected):
    os._exit(1)


import acme
managed1 = offer(bytes.fromhex("{elements}"))
judge(elements(from_dlpack(managed1)), "00")
"""
GUARDED = """sys.excepthook = unexpected

import acme


def delete(managed):
    pass


managed1 = offer()
try:
    tensor1 = acme.from_dlpack(managed1)
    del tensor1
except NameError:
    raise
except Exception as error:
    print(f"raised: {error!r}", flush=True)
os._exit(100)
"""
C_PROGRAM = """#include "../dlcert_counterexample.h"

int main(int argc, char** argv) {
  alarm(60);
  if (!load(argc > 1 ? argv[1] : "acme.so")) return 2;

  dlcert_tensor* t1 = create(library);
  release(library, t1);

  show_accounts();
  return shows_fault();
}
"""
ENTRY = """[[fault]]
requirement = "abi.data.byte-offset-applied"
role = "consumer"
title = "An import ignores `byte_offset`"
searched = {in = "acme/acme", words = "byte_offset", on = 2026-11-29}
read = ["just", "arguable: read-only-flag"]
"""


def a_check(verdict="fail", state="confirmed", **members):
    run = {"program_run": {"state": state, "reason": "it kept the rule" if state != "confirmed" else ""}} if state else {}
    return {"sentence": "the offset is applied", "verdict": verdict, "message": "elements: expected 01 but found 00", "reason": "",
            "counterexample": {"trace": ["m1 = offer(...)", "library.import_from(m1)"]}, **run, **members}


def a_result(requirement, verdict="fail", level="MUST", checks=None, **members):
    return {"requirement": requirement, "producer": "dlcert", "consumer": "acme", "level": level, "verdict": verdict, "reason": "",
            "checks": [a_check()] if checks is None else checks, **members}


def a_fault(requirement, *consequences, counts=True):
    return {"requirement": requirement, "producer": "dlcert", "consumer": "acme", "counts": counts, "consequences": list(consequences)}


def a_document(version, results, found):
    return {"exit_code": 1, "reasons": ["1 requirement failed: x"], "started": "2026-11-29T01:02:03Z", "cases": 1000,
            "adapters": [{"name": "acme", "version": version}], "recorded": {"machine": "x86"}, "results": results, "faults": found}


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.into = Path(folder.name)
        (self.into / "recorded").mkdir()
        (self.into / "faults").mkdir()
        self.note(ENTRY)
        self.record("1.2", [a_result(NAMES[1]), a_result(NAMES[2], "consequence", "SHOULD")], [a_fault(NAMES[1], NAMES[2])])

    def note(self, text):
        (self.into / "faults" / "acme.toml").write_text(text)

    def record(self, version, results, found):
        (self.into / "recorded" / f"acme-{version}.json").write_text(json.dumps(a_document(version, results, found)))
        programs = self.into / "recorded" / "programs" / f"acme-{version}"
        programs.mkdir(parents=True, exist_ok=True)
        for result in results:
            (programs / f"{result['requirement']}-dlcert-acme.py").write_text(PROGRAM.replace("{elements}", "0" * 128))

    def text(self):
        return fault_pages.text("acme", self.into)

    def wrong(self, older=()):
        return "\n".join(faults.judge(self.into, "acme", list(older)))

    def test_a_fault_tells_what_happens_how_to_see_it_and_why_it_is_one(self):
        text = self.text()
        for expected in (
                "## 1.2\n\nNot certified (1 requirement failed): 1 fault of a MUST, 0 warnings; affected requirements: 2. 2026-11-29",
                "### An import ignores `byte_offset`\n\nMUST for an import, `abi.data.byte-offset-applied`: ",
                "**What happens**\n\n```text\nelements: expected 01 but found 00\n```",
                "```python\nimport acme\nfrom acme import from_dlpack\nmanaged1 = offer(bytes.fromhex(\"0000000000000000...\"))\njudge(",
                "The whole [program](recorded/programs/acme-1.2/abi.data.byte-offset-applied-dlcert-acme.py).",
                "**The standard**\n\n> ",
                "](https://github.com/dmlc/dlpack/blob/",
                "**Upstream**: none found in acme/acme (searched: byte_offset; 2026-11-29)",
                "**Also fails**\n\n- `abi.strides.negative`: ",
                "**Read**: arguable; the readers differ (just; arguable: read-only-flag)"):
            with self.subTest(expected):
                self.assertIn(expected, text)
        self.assertEqual(self.wrong(), "")

    def test_a_page_keeps_what_lies_outside_of_its_marks(self):
        page = f"# acme\n\n{fault_pages.BEGIN}\nold\n{fault_pages.END}\n\nmore\n"
        told = fault_pages.with_faults(page, "acme", self.into)
        self.assertTrue(told.startswith(f"# acme\n\n{fault_pages.BEGIN}\n\n## 1.2\n"))
        self.assertTrue(told.endswith(f"\n\n{fault_pages.END}\n\nmore\n"))
        self.assertNotIn("old", told)
        self.assertEqual(fault_pages.with_faults(told, "acme", self.into), told)
        self.assertEqual(fault_pages.with_faults("# acme\n", "acme", self.into), "# acme\n")

    def test_a_warning_is_a_row(self):
        warning = a_result(NAMES[2], level="SHOULD", checks=[a_check(message="found a|b")])
        self.record("1.2", [warning], [a_fault(NAMES[2], counts=False)])
        row = [line for line in self.text().splitlines() if line.startswith("| `")][0]
        self.assertIn("| `abi.strides.negative`, SHOULD for an import | Not kept: the offset is applied. Found: found a\\|b |", row)
        self.assertIn("| [program](recorded/programs/acme-1.2/abi.strides.negative-dlcert-acme.py) |", row)

    def test_a_weaker_fault_that_counts_is_told_in_full(self):
        self.record("1.2", [a_result(NAMES[2], "crash", "SHOULD")], [a_fault(NAMES[2])])
        self.assertIn("### Not kept: the offset is applied\n\nSHOULD for an import", self.text())

    def test_an_older_version_points_to_the_newer_one(self):
        self.record("1.1", [a_result(NAMES[1]), a_result(NAMES[0])], [a_fault(NAMES[1]), a_fault(NAMES[0])])
        text = self.text()
        self.assertEqual(text.count("### An import ignores"), 1)
        self.assertIn("- As in 1.2: [An import ignores `byte_offset`](#an-import-ignores-byte_offset); "
                      "[program](recorded/programs/acme-1.1/", text)
        self.assertLess(text.index("## 1.2"), text.index("### Not kept: the offset is applied"))

    def test_versions_of_which_verdicts_are_kept_have_a_line_for_each_failure(self):
        versions = [{"version": version, "verdicts": {NAMES[1]: "fail", NAMES[0]: "crash"}} for version in ("0.8", "0.9")]
        (self.into / "recorded" / "acme.verdicts.json").write_text(json.dumps({"library": "acme", "versions": versions}))
        text = self.text()
        self.assertIn("- `abi.data.byte-offset-applied` (0.9, 0.8): see [An import ignores `byte_offset`](#an-import-ignores", text)
        self.assertIn("- `lifetime.deleter.null-skipped` (0.9, 0.8): upstream: not searched yet. read: not read", text)
        self.assertIn("lifetime.deleter.null-skipped of 0.8: expected an entry", self.wrong(versions))

    def test_a_check_with_a_confirmed_program_is_shown(self):
        checks = [a_check(state="not run", message="first"), a_check(message="second")]
        fault = faults.faults_of(a_document("1.2", [a_result(NAMES[1], checks=checks)], [a_fault(NAMES[1])]))[0]
        self.assertEqual((fault.check["message"], fault.file_name(fault.check)),
                         ("second", "abi.data.byte-offset-applied-dlcert-acme-2"))

    def test_a_crash_names_its_place(self):
        check = a_check("crash", message="ended by SIGSEGV in case 3", signature="SIGSEGV in libacme.so+0x12")
        fault = faults.faults_of(a_document("1.2", [a_result(NAMES[1], checks=[check])], [a_fault(NAMES[1])]))[0]
        self.assertEqual(fault_pages.happened(fault), "ended by SIGSEGV in libacme.so+0x12")

    def test_a_check_that_follows_from_another_requirement_is_not_shown(self):
        checks = [a_check(message="first", consequence={"of": NAMES[0]}), a_check(state="not run", message="second")]
        fault = faults.faults_of(a_document("1.2", [a_result(NAMES[1], checks=checks)], [a_fault(NAMES[1])]))[0]
        self.assertEqual(fault.check["message"], "second")

    def test_without_a_program_the_calls_are_shown_and_the_reason(self):
        self.record("1.2", [], [])
        programs = self.into / "recorded" / "programs" / "acme-1.2"
        for path in programs.glob("*"):
            path.unlink()
        document = a_document("1.2", [a_result(NAMES[1], checks=[a_check(state="not run")])], [a_fault(NAMES[1])])
        (self.into / "recorded" / "acme-1.2.json").write_text(json.dumps(document))
        text = self.text()
        self.assertIn("The calls, in their order:\n\n```text\nm1 = offer(...)\nlibrary.import_from(m1)\n```", text)
        self.assertIn("dlcert's program was not run: it kept the rule.", text)
        self.assertEqual(self.wrong(), "")

    def test_a_program_by_hand_comes_first_where_that_of_dlcert_shows_nothing(self):
        state = "not confirmed without dlcert"
        self.record("1.2", [a_result(NAMES[1], checks=[a_check(state=state)])], [a_fault(NAMES[1])])
        self.assertIn("expected programs, or no_program: dlcert's own does not show it", self.wrong())
        self.note(ENTRY + 'programs = ["acme-1.2/x-by-hand.py"]\n')
        self.assertIn("expected the program acme-1.2/x-by-hand.py", self.wrong())
        (self.into / "recorded" / "programs" / "acme-1.2" / "x-by-hand.py").write_text("# a heading\nimport acme\n")
        self.assertIn("```python\nimport acme\n```\n\nThe whole [program](recorded/programs/acme-1.2/x-by-hand.py), [2](", self.text())
        self.assertEqual(self.wrong(), "")

    def test_results_that_tell_no_faults_ask_nothing_of_people(self):
        document = a_document("1.2", [a_result(NAMES[0])], [])
        del document["faults"]
        (self.into / "recorded" / "acme-1.2.json").write_text(json.dumps(document))
        self.assertEqual(self.wrong(), "")
        self.assertIn("MUST for an import, `lifetime.deleter.null-skipped`", self.text())

    def test_what_people_have_still_to_add_is_found(self):
        full = a_result(NAMES[1])
        disorders = {
            "abi.data.byte-offset-applied (consumer) of 1.2: expected an entry": "",
            "expected upstream, or searched": ENTRY.replace("searched =", "# searched ="),
            "expected 2 judgements in read but found 1": ENTRY.replace(', "arguable: read-only-flag"', ""),
            "lifetime.deleter.null-skipped (consumer): expected a recorded fault": ENTRY + ENTRY.replace(NAMES[1], NAMES[0]),
            "(producer): expected a recorded fault": ENTRY.replace('"consumer"', '"producer"'),
        }
        self.record("1.2", [full], [a_fault(NAMES[1])])
        for message, text in disorders.items():
            with self.subTest(message):
                self.note(text)
                self.assertIn(message, self.wrong())

    def test_mistakes_in_an_entry_are_found(self):
        mistakes = {
            "expected one entry but found two": ENTRY + ENTRY,
            "expected one of producer, consumer, runtime but found library": ENTRY.replace('"consumer"', '"library"'),
            "but found reader": ENTRY + 'reader = "x"\n',
            "upstream: expected an address but found acme#1": ENTRY.replace("searched =", "# searched =") + 'upstream = "acme#1"\n',
            "expected either upstream or searched but found both": ENTRY + 'upstream = "https://acme.org/1"\n',
            "searched: expected {in": ENTRY.replace('words = "byte_offset", ', ""),
            "read: expected 2 judgements but found 3": ENTRY.replace('["just", ', '["just", "just", '),
            "but found 'arguable'": ENTRY.replace("arguable: read-only-flag", "arguable"),
            "but found 'justified'": ENTRY.replace('["just"', '["justified"'),
            "remark: expected a str": ENTRY + "remark = 1\n",
            "expected the member role": ENTRY.replace('role = "consumer"\n', ""),
            "acme.toml: ": ENTRY + "]",
        }
        for message, text in mistakes.items():
            with self.subTest(message):
                self.note(text)
                self.assertIn(message, self.wrong())

    def test_two_readers_who_agree_are_believed(self):
        for read, expected in ((["just", "just"], "just, say both readers"), (["just"], "not read by two readers yet"),
                               (["unjust: a", "unjust: b"], "unjust, say both readers: a; b")):
            self.assertEqual(notes.judged(notes.Note("a.b", "consumer", read=read)), expected)


class Snippets(unittest.TestCase):
    def snippet(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_text(text)
            return snippet.snippet(path)

    def test_what_guards_a_call_is_left_out(self):
        self.assertEqual(self.snippet("a.py", GUARDED),
                         "```python\nimport acme\nmanaged1 = offer()\ntensor1 = acme.from_dlpack(managed1)\ndel tensor1\n```\n")

    def test_a_program_in_c_is_what_main_does_with_the_library(self):
        self.assertEqual(self.snippet("a.c", C_PROGRAM), "```c\ndlcert_tensor* t1 = create(library);\nrelease(library, t1);\n```\n")

    def test_another_program_is_to_be_read_as_a_whole(self):
        self.assertEqual(self.snippet("a.py", "import acme\n"), "")
        self.assertEqual(self.snippet("a-by-hand.py", "import acme\n" * (snippet.SHOWN + 1)), "")

    def test_a_long_program_is_cut(self):
        text = PROGRAM + "acme.more()\n" * snippet.SHOWN
        self.assertIn("... (4 more lines)\n```", self.snippet("a.py", text))


if __name__ == "__main__":
    unittest.main()
