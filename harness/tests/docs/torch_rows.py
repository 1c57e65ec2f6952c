# SPDX-License-Identifier: Apache-2.0
"""Whether the checks and mutants in the table of reference/cuda/README.md are there, and each mutant
is about a requirement of its row."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path


def problems(root: Path) -> list[str]:
    sources = "".join(file.read_text() for file in (root / "conformance").glob("*/*.cpp"))
    checks = set(re.findall(r"DLCERT_CHECK\(\s*(\w+)", sources))
    mutants = json.loads((root / "fixtures/mutants/manifest.json").read_text())["mutants"]
    must_fail = {mutant["id"]: set(mutant["must_fail"]) for mutant in mutants}
    found, rows = [], 0
    for line in (root / "reference/cuda/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 4 or cells[0] in ("behaviour", "---"):
            continue
        rows += 1
        requirements = set(re.findall(r"`([\w.-]+)`", cells[1]))
        named = re.findall(r"`(\w+)`", cells[2])
        planted = re.findall(r"\[([\w-]+)\]", cells[3])
        found += [f"no check {name}" for name in named if name not in checks]
        found += [f"the mutant {name} is not about {cells[1]}" for name in planted
                  if not requirements <= must_fail.get(name, set())]
        if not planted and "judged" not in cells[3]:
            found.append(f"neither a mutant nor a reason: {cells[0]}")
    return found if rows else ["the table has no rows"]


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]))
    print("\n".join(wrong))
    sys.exit(bool(wrong))
