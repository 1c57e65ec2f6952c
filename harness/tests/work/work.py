#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what a certification did (`work` of its results) with work.json.

    work.py NAME RESULTS
    work.py --write BUILD

The first is a test. A count that is a tenth above work.json is a slowdown, or a new check. One that is a tenth below
asks for new numbers: else the next slowdown would have more room than a tenth. Cases that exercised their requirement may not
become fewer at all: they are what verdicts rest on. Equal runs have equal counts, but for a few bytes. Workers are as
many as processors: their number is compared where those are as many as work.json says.

The second certifies the libraries of work.json as the tests of the build folder do, and writes their counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

COMMITTED = Path(__file__).parent / "work.json"
ROOM = 0.1
REMAKE = "python3 harness/tests/work/work.py --write BUILD"


def entry_of(results: dict) -> dict:
    """What work.json says of a library."""
    if not results["complete"] or results["filtered"]:
        raise SystemExit("work: expected the results of a whole certification")
    return {"version": results["adapters"][0]["version"], "cases": results["cases"],
            "processors": len(os.sched_getaffinity(0)), "work": results["work"]}


def differences(name: str, expected: dict, found: dict) -> list[str]:
    """A line for each count that may not be so."""
    for what in ("version", "cases"):
        if found[what] != expected[what]:
            return [f"{name}: {what}: expected {expected[what]} but found {found[what]}: remake work.json ({REMAKE})"]
    lines = []
    counts = expected["work"].keys() | found["work"].keys()
    if found["processors"] != expected["processors"]:
        print(f"{name}: worker_processes: not compared: {found['processors']} processors, work.json has "
              f"{expected['processors']}")
        counts -= {"worker_processes"}
    for count in sorted(counts):
        before, now = expected["work"].get(count, 0), found["work"].get(count, 0)
        most, least = int(before * (1 + ROOM)), before * (1 - ROOM)
        if now > most:
            lines.append(f"{name}: {count}: expected at most {most} but found {now}: find out what does more, or remake "
                         f"work.json ({REMAKE})")
        elif count == "cases_met" and now < before:
            lines.append(f"{name}: {count}: expected at least {before} but found {now}: fewer cases stand behind the "
                         f"verdicts")
        elif now < least:
            lines.append(f"{name}: {count}: expected {before} but found {now}, a tenth less: remake work.json ({REMAKE})")
    return lines


def write(build: str) -> None:
    names = list(json.loads(COMMITTED.read_text(encoding="utf-8")))
    subprocess.run(["ctest", "--test-dir", build, "--output-on-failure", "-R", f"^({'|'.join(names)})/certify$"],
                   check=True)
    files = {name: Path(build, "certification", f"{name}.ctest.json") for name in names}
    entries = {name: entry_of(json.loads(file.read_text(encoding="utf-8"))) for name, file in files.items()}
    COMMITTED.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "--write":
        write(arguments[1])
        return 0
    name, results = arguments
    expected = json.loads(COMMITTED.read_text(encoding="utf-8"))[name]
    found = entry_of(json.loads(Path(results).read_text(encoding="utf-8")))
    lines = differences(name, expected, found)
    print("\n".join(lines) or f"{name}: as in work.json")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
