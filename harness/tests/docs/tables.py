#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the pages list with where it comes from: tables.py PROJECT DLCERT

The exit codes of verdicts.md and `dlcert --help` are one table, in one order, with the codes of run_verdict.hpp. The
verdicts are those of the results' schema. Every page is listed in the folder's README.md, and has its test.
"""

import json
import re
import subprocess
import sys
from pathlib import Path


def rows_under(text, heading):
    """The rows, as lists of cells, of the table whose first heading is this one."""
    found = re.search(rf"^\| *{re.escape(heading)} *\|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in found[1].splitlines()] if found else []


def rows_of_help(text):
    """The exit codes: two spaces, the code, two spaces, its meaning; deeper lines go on."""
    found = re.findall(r"^  (\d)  (.*(?:\n {5}.*)*)", text, re.MULTILINE)
    return [[code, " ".join(meaning.split())] for code, meaning in found]


def differing(name, expected, found):
    for one, other in zip(expected + [None] * len(found), found + [None] * len(expected)):
        if one != other:
            yield f"{name}: expected {one} but found {other}"
            return


def judge(project, program):
    def read(path):
        return (project / path).read_text(encoding="utf-8")

    page = read("harness/docs/verdicts.md")
    codes = rows_under(page, "exit code")
    usage = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    yield from differing("exit codes of dlcert --help", codes, rows_of_help(usage))
    declared = re.search(r"enum ExitCode.*?\};", read("harness/src/report/run_verdict.hpp"), re.DOTALL)
    yield from differing("exit codes of run_verdict.hpp", [code for code, _ in codes],
                         re.findall(r"^ *exit_\w+ = (\d)", declared[0], re.MULTILINE))

    schema = json.loads(read("reports/schema/results.schema.json"))
    yield from differing("verdicts of the schema", [verdict for verdict, _ in rows_under(page, "verdict")],
                         schema["$defs"]["verdict"]["enum"])

    pages = sorted(path.name for path in (project / "harness/docs").glob("*.md") if path.name != "README.md")
    listed = re.findall(r"^\| \[([\w.-]+)\]", read("harness/docs/README.md"), re.MULTILINE)
    yield from differing("pages of harness/docs/README.md", pages, sorted(listed))
    run = re.search(r"foreach\(page IN ITEMS ([\w -]+)\)", read("harness/tests/docs/CMakeLists.txt"))
    yield from differing("pages with a test", pages, [f"{name}.md" for name in run[1].split()])


def main():
    wrong = list(judge(Path(sys.argv[1]).resolve(), sys.argv[2]))
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
