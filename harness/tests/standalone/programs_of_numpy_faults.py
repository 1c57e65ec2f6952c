# SPDX-License-Identifier: Apache-2.0
"""The saved programs of NumPy's planted faults (fixtures/numpy_faults).

Each is well formed, shows its fault by exit code 1, and accuses neither dlcert's reference nor NumPy without the fault.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
FAULTS = ROOT / "fixtures/numpy_faults"
COLUMNS = 100
SAMPLE = ("strides-in-bytes", "c-order-imported-as-f-order", "rejected-import-not-released", "negative-stride-aborts-process",
          "stream-positional-accepted", "numpy-test.dl-device-ignored", "numpy-test.copy-true-shares")
# Programs that show their fault without dlcert: fewer means that checks no longer tell what they looked at.
LEAST_SHARE = 0.5


def certified(dlcert: str, python: str, fault: str, requirements: list[str], folder: Path) -> list[dict[str, Any]]:
    """The failed checks of these requirements."""
    results = folder / "results.json"
    subprocess.run([dlcert, "run", "--no-preflight", *requirements, "--adapter", f"python:{FAULTS / 'adapter.py'}", "--python",
                    python, "--cases", "30", "--programs", "100", "--results", results],
                   env={**os.environ, "DLCERT_NUMPY_FAULT": fault}, capture_output=True, check=False)
    document = json.loads(results.read_text(encoding="utf-8"))
    return [check for result in document["results"] for check in result["checks"] if check.get("program_run")]


def complaints(program: Path, python: str, fault: str) -> list[str]:
    """What is wrong with a program that dlcert says is confirmed."""
    text = program.read_text(encoding="utf-8")
    found = [f"line of {len(line)} columns" for line in text.splitlines() if len(line) > COLUMNS]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found += [f"two statements in a line: {token.line}" for token in tokens if token.string == ";"]
    for planted, code in ((fault, 1), ("none", 0)):
        copy = program.with_suffix(f".{planted}.py")
        copy.write_text(text.replace(f"planted.plant({fault!r})", f"planted.plant({planted!r})"), encoding="utf-8")
        done = subprocess.run([python, "-B", copy], capture_output=True, text=True, timeout=120, check=False)
        copy.unlink()
        if done.returncode != code:
            found.append(f"exit code {done.returncode} with {planted}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return found


def main() -> int:
    dlcert, python, *options = sys.argv[1:]
    faults = json.loads((FAULTS / "kills.json").read_text(encoding="utf-8"))["faults"]
    states, wrong = Counter(), 0
    for fault in faults:
        if "--all" not in options and fault["id"] not in SAMPLE:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            for check in certified(dlcert, python, fault["id"], fault["expects"], folder):
                run = check["program_run"]
                states[run["state"]] += 1
                if run["state"] != "confirmed":
                    print(f"{fault['id']}: {run['state']}: {run['reason']}")
            for program in sorted(folder.glob("results.json.counterexamples/*.py")):
                for complaint in complaints(program, python, fault["id"]):
                    print(f"{fault['id']}: {program.name}: {complaint}")
                    wrong += 1
    print(f"{dict(states)}, {wrong} complaints")
    enough = states["confirmed"] >= LEAST_SHARE * states.total() > 0
    return int(wrong != 0 or not enough)


if __name__ == "__main__":
    sys.exit(main())
