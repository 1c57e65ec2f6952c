#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the page of the checks that say in which cases they exercised their requirement: antecedents_page.py PROGRAM PAGE"""

import subprocess
import sys
from pathlib import Path

HEAD = """# Cases that exercise their requirement

A requirement often begins with a condition: a tensor is imported, memory is shared, work is pending. If the condition does not
hold in a case, the case does not test the requirement. So a check passes only if enough of its cases met the condition: one in
ten of those that the library claims, unless the table says otherwise.

- Most checks exercise their requirement in every case that returns. The checks of this table say it themselves (`Case::touched()`).
- If the library refused or copied, as it may, the case is *declined* (`Case::declined()`). If that leaves too few cases, the
  requirement does not apply, and the result names the reason.
- If the drawn input was of no use, the check draws again, at most ten times. If too few cases are left, the check is
  inconclusive: exit code 3.
- If a refusal is the right answer, the check also tries an input that the library must accept in the same way. If the library
  refuses that too, the case is declined.
- Statements of the library about itself are no evidence (`Check::fact`).

Each result has the counts: `met`, `declined`, `not_judged`, `unclaimed`, `not_formable`, `discarded` and `requested`.

| Requirement | Role | One in | Check |
| --- | --- | --- | --- |
"""


def page(program):
    lines = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    rows = [f"| `{requirement}` | {role} | {one_in} | {sentence} |"
            for requirement, role, one_in, sentence in (line.split("\t") for line in lines)]
    if not rows:
        sys.exit(f"{program}: expected checks that say what they met but found none")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(page(sys.argv[1]), encoding="utf-8")
