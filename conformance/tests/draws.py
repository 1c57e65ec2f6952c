#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes draws.txt: draws.py PROGRAM ADAPTER; with --check as a third argument, fails unless it is up to date.

The order in which a compiler evaluates the arguments of one call is its own. Where two of them draw, a seed means one
case under g++ and another under clang. So what the checks draw from one seed is kept here, and every build of every
compiler is compared with it.
"""

import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "draws.txt"
HEAD = """# What the checks draw from one seed with the reference: a digest for each. Written by draws.py.
"""
SHOWN = 20


def read(text):
    """The digest of each check."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {check: digest for digest, check in (line.split(" ", 1) for line in lines)}


def draw(program, adapter):
    draws = {}
    for platform in ("cuda", "rocm"):
        run = subprocess.run([program, adapter, platform], check=True, stdout=subprocess.PIPE, text=True)
        draws.update(read(run.stdout))
    return draws


def differences(kept, drawn):
    for check in sorted(kept.keys() | drawn.keys()):
        if check not in drawn:
            yield f"{check}: draws nothing, or is gone"
        elif check not in kept:
            yield f"{check}: is not in the table"
        elif kept[check] != drawn[check]:
            yield f"{check}: expected {kept[check]} but found {drawn[check]}"


def main(program, adapter, mode=""):
    drawn = draw(program, adapter)
    if mode != "--check":
        TABLE.write_text(HEAD + "".join(f"{drawn[check]} {check}\n" for check in sorted(drawn)), encoding="utf-8")
        return 0
    kept = read(TABLE.read_text(encoding="utf-8"))
    found = list(differences(kept, drawn))
    if found:
        # On a busy machine a thread may get memory elsewhere, and a trace then says so. What a compiler changes differs again.
        again = set(differences(kept, draw(program, adapter)))
        found = [line for line in found if line in again]
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    if found:
        print("A check that was changed draws anew: run conformance/tests/draws.py PROGRAM ADAPTER and commit draws.txt.\n"
              "A check that was not: two draws stand in the arguments of one call. Give them names, in order.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
