#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the coverage of each part with its goals: coverage_goals.py TRACEFILE LINES BRANCHES PART... [--shown PART...]

TRACEFILE is gcovr's, PART a folder of the project, LINES and BRANCHES the least percentages. A part behind --shown has
no goals. The files of a part that falls short are listed, those with most that is not covered first.
"""

import json
import sys
from pathlib import Path

LISTED_FILES = 10


class Tally:
    """Lines and branches: how many there are, and how many of them ran."""

    def __init__(self):
        self.lines = self.lines_run = self.branches = self.branches_taken = 0

    def add(self, file):
        for line in file["lines"]:
            if line["gcovr/noncode"]:
                continue
            self.lines += 1
            self.lines_run += line["count"] > 0
            self.branches += len(line["branches"])
            self.branches_taken += sum(branch["count"] > 0 for branch in line["branches"])
        return self

    def percentages(self):
        return percentage(self.lines_run, self.lines), percentage(self.branches_taken, self.branches)

    def __str__(self):
        lines, branches = self.percentages()
        return (f"lines {lines:5.1f} % ({self.lines_run} of {self.lines}), "
                f"branches {branches:5.1f} % ({self.branches_taken} of {self.branches})")

    def uncovered(self):
        return self.lines - self.lines_run + self.branches - self.branches_taken


def percentage(part, whole):
    return 100 * part / whole if whole else 0.0


def tally_of(files):
    tally = Tally()
    for file in files:
        tally.add(file)
    return tally


def main(tracefile, least_lines, least_branches, *parts):
    trace = json.loads(Path(tracefile).read_text(encoding="utf-8"))
    shown = parts[parts.index("--shown") + 1:] if "--shown" in parts else ()
    short = 0
    for part in (part for part in parts if part != "--shown"):
        files = [file for file in trace["files"] if file["file"].startswith(f"{part}/")]
        tally = tally_of(files)
        lines, branches = tally.percentages()
        reached = lines >= float(least_lines) and branches >= float(least_branches)
        verdict = "no goals" if part in shown else "reached" if reached else \
            f"SHORT of {least_lines} % of lines and {least_branches} % of branches"
        print(f"{part}: {tally}: {verdict}")
        if reached or part in shown:
            continue
        short += 1
        tallies = sorted(((Tally().add(file), file["file"]) for file in files), key=lambda one: -one[0].uncovered())
        for of_file, name in tallies[:LISTED_FILES]:
            print(f"  {name}: {of_file}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
