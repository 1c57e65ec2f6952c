#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Certifies each narrow design and compares what was judged with applicable.json.

    judged.py DLCERT MODULE APPLICABLE

Of the requirements that apply to a design by reading, at least 85 of 100 are judged, and none of the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST = 0.85
JUDGED = {"pass", "fail", "crash", "timeout", "flaky", "consequence"}


def verdicts_of(dlcert: str, module: str, design: str) -> dict[str, set[str]]:
    """The verdicts on the design, by requirement."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        done = subprocess.run([dlcert, "certify", "--adapter", module, "--cases", "100", "--results", str(file)],
                              env=os.environ | {"DLCERT_DESIGN": design}, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{design}: expected a certificate but found exit code {done.returncode}\n{done.stdout}")
        verdicts: dict[str, set[str]] = {}
        for result in json.loads(file.read_text(encoding="utf-8"))["results"]:
            verdicts.setdefault(result["requirement"], set()).add(result["verdict"])
        return verdicts


def problems(design: str, applicable: list[str], others: dict[str, list[str]],
             verdicts: dict[str, set[str]]) -> list[str]:
    """A line for each thing that is not as applicable.json says; prints how much was judged."""
    excepted = {requirement: why for why, requirements in others.items() for requirement in requirements}
    unknown = [f"{design}: {requirement}: no such requirement of a producer or consumer"
               for requirement in [*applicable, *excepted] if requirement not in verdicts]
    if unknown:
        return unknown
    judged = {requirement for requirement, found in verdicts.items() if found & JUDGED}
    wanted = [requirement for requirement in applicable if requirement not in excepted]
    missing = [requirement for requirement in wanted if requirement not in judged]
    print(f"{design}: {len(wanted) - len(missing)} of {len(wanted)} judged" +
          (f"; not {', '.join(missing)}" if missing else ""))
    lines = [f"{design}: {requirement}: expected nothing to judge, as {why}, but it was judged"
             for requirement, why in excepted.items() if requirement in judged]
    if len(missing) > (1 - LEAST) * len(wanted):
        lines.append(f"{design}: expected {LEAST:.0%} of {len(wanted)} requirements to be judged but found "
                     f"{len(wanted) - len(missing)}")
    return lines


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    dlcert, module, file = arguments
    applicable, exceptions = json.loads(Path(file).read_text(encoding="utf-8")).values()
    found = []
    for design, others in exceptions.items():
        found += problems(design, applicable, others, verdicts_of(dlcert, module, design))
    for line in found:
        print(line)
    return 1 if found or not exceptions else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
