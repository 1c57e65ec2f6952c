#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes conformance/ANTECEDENTS.md: antecedents_page.py PROGRAM; with --check as well, fails unless it is up to date."""

import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "ANTECEDENTS.md"

HEAD = """# Cases that touch their rule

A rule often begins with a condition: a tensor that is taken, memory that is shared, work that is pending. A case in which it did
not hold says nothing of the rule, and a pass made of such cases alone would be a wrong one. So a check passes only where enough of
the cases that the library's claims leave met the condition: one in ten, unless the table says otherwise.

- Most checks meet their rule in each case that returns. Those listed here tell it themselves (`Case::touched()`).
- A case in which the library did, as it may, what keeps the rule from being touched (it refused, or copied) is *declined*
  (`Case::declined()`). Where too few cases are left for that, the rule does not apply, and the result says why.
- A case that was drawn in vain is drawn again, ten times at most. Where too few cases are left for that, the check is vacuous:
  exit code 3.
- Where refusing is the right answer, a control comes with it: the plain thing is taken on the same path. Without it the case is
  declined, since a library that refuses everything keeps no rule of refusal.
- What a library says of itself is no evidence (`Check::fact`).

Each result carries the counts: `met`, `declined`, `not_judged`, `unclaimed`, `not_formable`, `discarded` and `requested`.

This page is written by `tests/antecedents_page.py`.

| Requirement | Role | One in | Check |
| --- | --- | --- | --- |
"""


def page(program):
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [f"| `{requirement}` | {role} | {one_in} | {sentence} |"
            for requirement, role, one_in, sentence in (line.split("\t") for line in lines)]
    if not rows:
        sys.exit(f"{program}: no check tells what it touched")
    return HEAD + "\n".join(rows) + "\n"


def main():
    written = page(sys.argv[1])
    if "--check" not in sys.argv:
        PAGE.write_text(written)
    elif PAGE.read_text() != written:
        sys.exit(f"{PAGE.name} is not up to date: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
