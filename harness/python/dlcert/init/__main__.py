# SPDX-License-Identifier: Apache-2.0
"""Writes a first adapter for a Python library: init MODULE FILE

`dlcert init python:MODULE` runs this folder in the interpreter that has the library. Another process looks at the
library. If a call ends or hangs that process, a new process looks again and leaves the call out.
"""

from __future__ import annotations

import importlib
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import look
import text

SECONDS = 60  # for one look
MOST_LOOKS = 10


class Problem(Exception):
    """One line for the user."""


def look_at(module: str, trace: Path) -> None:
    """In the other process: writes each attempt to `trace`, and the findings at the end."""
    avoided = set(filter(None, sys.stdin.read().split("\n")))
    with trace.open("w", encoding="utf-8", buffering=1) as file:
        def tries(what: str) -> bool:
            file.write(f"tries {what}\n")
            return what not in avoided

        try:
            library = importlib.import_module(module)
        except Exception as error:  # whatever a library raises
            file.write(json.dumps({"problem": f"{type(error).__name__}: {error}"}) + "\n")
            return
        file.write(json.dumps(look.Look(library, tries).found()) + "\n")


def end_of(process: subprocess.CompletedProcess[str]) -> str:
    code = process.returncode
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def found_in(module: str) -> dict[str, Any]:
    """The result of Look.found()."""
    avoided: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        for _ in range(MOST_LOOKS):
            command = [sys.executable, "-B", str(Path(__file__).parent), "--look", module, str(trace)]
            try:
                process = subprocess.run(command, input="\n".join(avoided), capture_output=True, text=True,
                                         timeout=SECONDS, check=False)
                end = end_of(process)
            except subprocess.TimeoutExpired:
                end = f"did not end within {SECONDS} s"
            lines = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
            if lines and lines[-1].startswith("{"):
                return json.loads(lines[-1]) | {"avoided": avoided}
            if not lines:
                raise Problem(f"module '{module}': its process {end} while it was imported")
            avoided.append(lines[-1].removeprefix("tries "))
    raise Problem(f"module '{module}': its process {end}, last in {avoided[-1]}")


def report(found: dict[str, Any], lines: list[str]) -> None:
    """Prints the findings, and the lines of the adapter that you must fill in."""
    for kind in ("tensors", "makes", "exports", "imports"):
        print(f"{kind:<10} {found[kind] or 'nothing found'}")
    for what in found["avoided"]:
        print(f"{'left out':<10} {what}, which ends or hangs the process")
    for number, line in enumerate(lines, 1):
        if "TODO" in line:
            print(f"{'fill in':<10} line {number}: {line.split('TODO: ', 1)[1]}")


def main() -> int:
    if sys.argv[1:2] == ["--look"]:
        look_at(sys.argv[2], Path(sys.argv[3]))
        return 0
    module, output = sys.argv[1], Path(sys.argv[2])
    try:
        if output.exists():
            raise Problem(f"'{output}' exists")
        found = found_in(module)
        if "problem" in found:
            raise Problem(f"module '{module}': {found['problem']}")
        if not (found["exports"] or found["imports"] or found["tensors"]):
            raise Problem(f"module '{module}': nothing with __dlpack__, from_dlpack or to_dlpack was found")
        lines = text.adapter(module, found)
        output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except (Problem, OSError) as problem:
        print(f"dlcert: init: {problem}", file=sys.stderr)
        return 2
    report(found, lines)
    print(f"{'wrote':<10} {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
