#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leaves out the branches of a gcovr tracefile that exist because a call may throw:
without_throw_branches.py PROJECT BUILD TRACEFILE

gcov marks those branches in its JSON output. gcovr 5 reads gcov's text, where the marks are lost for
code that never ran, so its own filter keeps them there. The lines stay as gcovr counted them.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path


def gcov(notes, scratch):
    """gcov's records of one object file: pairs of a source file's path and its record."""
    run = subprocess.run(
        ["gcov", "--json-format", "--branch-probabilities", "--stdout", str(notes)],
        cwd=scratch, check=True, capture_output=True, text=True)
    for line in run.stdout.splitlines():
        unit = json.loads(line)
        for record in unit["files"]:
            yield Path(unit["current_working_directory"], record["file"]).resolve(), record


def read_branches(build):
    """Of each source file and line, the branches that are not exception edges, by position.

    Instances of a template and copies of an inline function have the same branches in the same
    order: what one of them takes is taken.
    """
    files = defaultdict(lambda: defaultdict(dict))
    with tempfile.TemporaryDirectory() as scratch:
        for notes in sorted(Path(build).resolve().rglob("*.gcno")):
            for path, record in gcov(notes, scratch):
                positions = defaultdict(int)
                for line in record["lines"]:
                    number = line["line_number"]
                    for branch in line["branches"]:
                        place = number, line.get("function_name", "")
                        positions[place] += 1
                        if not branch["throw"]:
                            branches = files[path][number]
                            known = branches.setdefault(positions[place], {**branch, "count": 0})
                            known["count"] += branch["count"]
    return files


def main(project, build, tracefile):
    trace = json.loads(Path(tracefile).read_text(encoding="utf-8"))
    branches = read_branches(build)
    for file in trace["files"]:
        lines = branches[Path(project, file["file"]).resolve()]
        for line in file["lines"]:
            if line["branches"]:
                line["branches"] = list(lines[line["line_number"]].values())
    if not any(line["count"] for file in trace["files"] for line in file["lines"]):
        print(f"expected a line that ran but found none in {tracefile}")
        return 1
    Path(tracefile).write_text(json.dumps(trace), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
