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
# Requirements that NumPy breaks or does not meet without any fault; the others are those of the record's control.
WITHOUT_FAULT = ("exchange.attr.name-and-capsule",)
# Programs that show their fault without dlcert: fewer means that checks no longer tell what they looked at.
LEAST_SHARE = 0.5


def certified(dlcert: str, python: str, fault: str, requirements: list[str], folder: Path) -> dict[Path, dict[str, Any]]:
    """What came of running the programs of these requirements, by their files."""
    results = folder / "results.json"
    subprocess.run([dlcert, "run", "--no-preflight", *requirements, "--adapter", f"python:{FAULTS / 'adapter.py'}", "--python",
                    python, "--cases", "30", "--programs", "100", "--results", results],
                   env={**os.environ, "DLCERT_NUMPY_FAULT": fault}, capture_output=True, check=False)
    runs = {}
    for result in json.loads(results.read_text(encoding="utf-8"))["results"]:
        failed = [check for check in result["checks"] if check.get("counterexample")]
        for number, check in enumerate(failed, 1):
            name = f"{result['requirement']}-{result['producer']}-{result['consumer']}" + (f"-{number}" if number > 1 else "")
            runs[folder / "results.json.counterexamples" / f"{name}.py"] = check["program_run"]
    return runs


def ill_formed(text: str) -> list[str]:
    """What is wrong with a program as hand-written Python."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [f"line of {len(line)} columns" for line in text.splitlines() if len(line) > COLUMNS] + \
        [f"two statements in a line: {token.line}" for token in tokens if token.string == ";"]


def misjudged(program: Path, python: str, fault: str) -> list[str]:
    """What is wrong with what a program says of NumPy with the fault, and without."""
    text, found = program.read_text(encoding="utf-8"), []
    for planted in (fault, "none"):
        copy = program.with_suffix(f".{planted}.py")
        copy.write_text(text.replace(f"planted.plant({fault!r})", f"planted.plant({planted!r})"), encoding="utf-8")
        done = subprocess.run([python, "-B", copy], capture_output=True, text=True, timeout=120, check=False)
        # NumPy may refuse what a fault accepts: it is not accused, but the program does not get to its end.
        if (done.returncode == 1) != (planted == fault):
            found.append(f"exit code {done.returncode} with {planted}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return found


def main() -> int:
    dlcert, python, *options = sys.argv[1:]
    kills = json.loads((FAULTS / "kills.json").read_text(encoding="utf-8"))
    states, wrong = Counter(), 0
    for fault in kills["faults"]:
        if "--all" not in options and fault["id"] not in SAMPLE:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            for program, run in certified(dlcert, python, fault["id"], fault["expects"], Path(scratch)).items():
                states[run["state"]] += 1
                found = ill_formed(program.read_text(encoding="utf-8")) if program.exists() else []
                if run["state"] != "confirmed":
                    print(f"{program.stem}: {run['state']}: {run['reason']}")
                elif not any(program.name.startswith(own) for own in (*WITHOUT_FAULT, *kills["control"]["warnings"])):
                    found += misjudged(program, python, fault["id"])
                for complaint in found:
                    print(f"{fault['id']}: {program.name}: {complaint}")
                wrong += len(found)
    print(f"{dict(states)}, {wrong} complaints")
    enough = states["confirmed"] >= LEAST_SHARE * states.total() > 0
    return int(wrong != 0 or not enough)


if __name__ == "__main__":
    sys.exit(main())
