# SPDX-License-Identifier: Apache-2.0
"""programs_test.py DLCERT PYTHON [FAULT]: saved programs show the faults of wrong.py alone.

Each has lines of at most 100 columns and needs the library alone; the run that saved it has run it
and says so, and it shows nothing on the library without the fault.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS = 100
MOST_PROGRAMS = 2  # of a fault are looked at
# The fault of wrong.py, and the requirement that fails by it.
FAULTS = {
    "hang": "lifetime.deleter.exactly-once",
    "wrong shape": "abi.shape.extent-array",
    "zeros": "sharing.*",
    "noise": "protocol.export.values",
    "no index": "protocol.device.matches-export",
    "crash at the second refusal": "protocol.from.unsupported-device",
    "deleter never called": "lifetime.deleter.exactly-once",
    "refuses": "abi.dtype.*",
    "crash in export": "abi.shape.extent-array",
    "crash in import": "abi.dtype.*",
    "exit in import": "abi.dtype.*",
}


def environment(fault: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE), "WRONG": fault, "PYTHONDONTWRITEBYTECODE": "1"}


def run(words: list[str], fault: str, folder: str) -> subprocess.CompletedProcess:
    return subprocess.run(words, env=environment(fault), cwd=folder, capture_output=True, text=True,
                          timeout=300, check=False)


def judge(dlcert: str, python: str, fault: str, rule: str) -> list[str]:
    """What is wrong with the programs of a fault."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "r.json")
        words = [dlcert, "run", rule, "--adapter", f"python:{HERE}/wrong_adapter.py",
                 "--python", python, "--cases", "10", "--no-preflight", "--results", str(results)]
        if fault == "hang":
            words += ["--case-seconds", "0.4", "--load-seconds", "1.5"]  # a program has four times both
        ran = run(words, fault, folder)
        if not results.exists():
            return [f"{fault}: no results: {ran.stderr}"]
        wrong = wrong_states(json.loads(results.read_text()), fault)
        saved = sorted(Path(f"{results}.counterexamples").glob("*.py"))
        wrong += [f"{fault}: {program.name}: {what}\n{program.read_text()}"
                  for program in saved[:MOST_PROGRAMS]
                  for what in wrong_of(python, program, fault, folder)]
        return wrong if saved else [*wrong, f"{fault}: no program"]


def wrong_states(results: dict, fault: str) -> list[str]:
    """What dlcert should not have said of the programs."""
    states = [check["program_run"] for result in results["results"] for check in result["checks"]
              if "program_run" in check]
    if not any(state["state"] == "confirmed" for state in states):
        return [f"{fault}: expected a confirmed one but found {states}"]
    return [f"{fault}: {state}" for state in states if state["state"].startswith("not confirmed")
            and not state["reason"].startswith("it shows the fault")]  # the reference may refuse more


def wrong_of(python: str, program: Path, fault: str, folder: str) -> list[str]:
    """What is wrong with one program."""
    text = program.read_text()
    wrong = []
    wrong += [f"{len(line)} columns" for line in text.split("\n") if len(line) > COLUMNS]
    if any("dlcert" in line for line in text.split("\n") if not line.startswith("#")):
        wrong.append("it names dlcert")
    runs = [("", 0)] if fault == "hang" else [(fault, 1), ("", 0)]
    for present, expected in runs:
        ran = run([python, str(program)], present, folder)
        if ran.returncode != expected:
            wrong.append(f"with the fault '{present}' exit code {ran.returncode}: "
                         f"{ran.stdout}{ran.stderr}")
    return wrong


def main(dlcert: str, python: str, only: str = "") -> int:
    chosen = {fault: rule for fault, rule in FAULTS.items() if only in fault}
    with ThreadPoolExecutor(2) as threads:  # the fault that hangs mostly waits
        judged = threads.map(lambda fault: judge(dlcert, python, fault, chosen[fault]), chosen)
        wrong = [line for lines in judged for line in lines]
    print("\n".join(wrong) or f"programs of {len(chosen)} faults show them")
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
