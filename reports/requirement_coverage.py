#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which requirements are checked, passed and excused, and how many mutants stand behind each:
requirement_coverage.py REGISTER_FOLDER MUTANTS_MANIFEST RESULTS OUTPUT

Prints the table of the areas and writes it, with a row for each requirement, to OUTPUT (Markdown).
Only areas with results are shown.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

COLUMNS = ("requirements", "checked", "passed", "excused", "not from C", "mutants")


def load(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def verdict_of(results):
    """One word for a requirement that was judged in several roles."""
    verdicts = sorted({result["verdict"] for result in results} - {"not applicable"})
    return ", ".join(verdicts) or "not applicable"


def row_of(requirement, results, mutants):
    checks = sum(len(result["checks"]) for result in results)
    excuse = requirement.get("excused", "")
    if requirement["c_level"] != "yes":
        excuse = requirement["c_level"]
    return {
        "id": requirement["id"],
        "level": requirement["level"],
        "checks": checks,
        "verdict": verdict_of(results) if checks else "",
        "excuse": "" if checks else excuse,
        "mutants": mutants,
    }


def tally(requirements, rows):
    counts = Counter()
    for requirement, row in zip(requirements, rows):
        counts["requirements"] += 1
        counts["checked"] += row["checks"] > 0
        counts["passed"] += row["verdict"] == "pass"
        counts["excused"] += bool(requirement.get("excused"))
        counts["not from C"] += requirement["c_level"] != "yes"
        counts["mutants"] += row["mutants"]
    return counts


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def main(register, manifest, results_file, output):
    results = defaultdict(list)
    for result in load(results_file)["results"]:
        results[result["requirement"]].append(result)
    mutants = Counter(found_by for mutant in load(manifest)["mutants"] for found_by in mutant["must_fail"])

    total, summary, details = Counter(), [], []
    for path in sorted(Path(register).glob("*.json")):
        requirements = load(path)["requirements"]
        if not any(requirement["id"] in results for requirement in requirements):
            continue
        rows = [row_of(requirement, results[requirement["id"]], mutants[requirement["id"]])
                for requirement in requirements]
        counts = tally(requirements, rows)
        total += counts
        summary.append([path.stem, *(counts[column] for column in COLUMNS)])
        details += [row.values() for row in rows]
    summary.append(["all", *(total[column] for column in COLUMNS)])

    areas = table(["area", *COLUMNS], summary)
    print(areas, end="")
    Path(output).write_text(
        f"# Requirement coverage\n\n{areas}\n"
        + table(["requirement", "level", "checks", "verdict", "excuse", "mutants"], details),
        encoding="utf-8")
    return 0 if total["checked"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
