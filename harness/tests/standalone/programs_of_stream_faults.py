# SPDX-License-Identifier: Apache-2.0
"""The saved programs of the faults of a library on devices: programs_of_stream_faults.py DLCERT PYTHON REFERENCE

The library is dlcert's reference in Python with a fault of wrong_streams. Each program shows its fault by exit code 1 on
simulated devices of its vendor, and ends with 0 if the library has no fault.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COLUMNS = 100
# The requirements whose programs must show a fault, on the devices of each of these vendors.
BOTH = ("cuda", "rocm")
FAULTS = {
    "every-stream-ignored": {"stream.producer-orders": BOTH, "stream.cuda.handle": ("cuda",), "stream.rocm.handle": ("rocm",),
                             "stream.cuda.one-legacy": ("cuda",), "stream.cuda.two-per-thread": ("cuda",),
                             "stream.cuda.none-legacy-default": ("cuda",), "stream.omitted-means-none": BOTH},
    "none-ignored": {"stream.cuda.none-legacy-default": ("cuda",), "stream.rocm.none-legacy-default": ("rocm",)},
    "omitted-ignored": {"stream.omitted-means-none": BOTH},
    "default-streams-ignored": {"stream.cuda.one-legacy": ("cuda",), "stream.cuda.two-per-thread": ("cuda",),
                                "stream.rocm.zero-default": ("rocm",), "stream.rocm.one-two-rejected": ("rocm",)},
    "zero-taken": {"stream.cuda.zero-rejected": ("cuda",)},
    "negative-taken": {"stream.range-rejected": BOTH},
    "text-taken": {"stream.range-rejected": BOTH},
    "minus-two-named": {"stream.range": BOTH},
    "minus-one-named": {"stream.consumer-passes": BOTH},
    "another-default-named": {"stream.cuda.zero-never-sent": ("cuda",)},
    "default-left-out": {"stream.explicit-default-preferred": BOTH},
}


def certified(dlcert: str, python: str, fault: str, environment: dict[str, str], folder: Path) -> list[tuple[str, str, Path, Any]]:
    """The requirement, the vendor, the program and its run, of each check that failed on a device."""
    results = folder / "results.json"
    subprocess.run([dlcert, "run", "--no-preflight", *FAULTS[fault], "--adapter", f"python:{HERE / 'wrong_streams/adapter.py'}",
                    "--python", python, "--cases", "60", "--programs", "100", "--results", results],
                   env={**environment, "WRONG_STREAMS_FAULT": fault}, capture_output=True, check=False)
    runs = []
    for result in json.loads(results.read_text(encoding="utf-8"))["results"]:
        failed = [check for check in result["checks"] if check.get("counterexample")]
        for number, check in enumerate(failed, 1):
            name = f"{result['requirement']}-{result['producer']}-{result['consumer']}" + (f"-{number}" if number > 1 else "")
            program = folder / "results.json.counterexamples" / f"{name}.py"
            runs.append((result["requirement"], check["platform"], program, check.get("program_run")))
    return runs


def misjudged(dlcert: str, python: str, program: Path, vendor: str, fault: str, environment: dict[str, str]) -> list[str]:
    """What is wrong with what a program says of the library with the fault, and without."""
    text = program.read_text(encoding="utf-8")
    command = f"dlcert with-simulated-gpu {'--vendor rocm ' if vendor == 'rocm' else ''}--devices 2 python THIS_FILE"
    found = [f"line of {len(line)} columns" for line in text.splitlines() if len(line) > COLUMNS]
    if command not in " ".join(line.strip("# ") for line in text.splitlines()):
        found.append(f"its heading does not say: {command}")
    for planted in (fault, "none"):
        copy = program.with_suffix(f".{planted}.py")
        copy.write_text(text.replace(f"wrong_streams.plant({fault!r})", f"wrong_streams.plant({planted!r})"), encoding="utf-8")
        done = subprocess.run([dlcert, *command.split()[1:-2], python, "-B", copy], env=environment, capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode != (1 if planted == fault else 0):
            found.append(f"exit code {done.returncode} with {planted}: {done.stdout[-300:]}{done.stderr[-300:]}")
    return found


def main() -> int:
    dlcert, python, reference, *faults = sys.argv[1:]
    environment = {**os.environ, "PYTHONPATH": reference}
    wrong = 0
    for fault in faults or FAULTS:
        shown = set()
        with tempfile.TemporaryDirectory() as scratch:
            for requirement, vendor, program, run in certified(dlcert, python, fault, environment, Path(scratch)):
                complaints = []
                if run is None:
                    print(f"{fault}: {program.stem} on {vendor}: nothing was run")
                elif run["state"] == "confirmed":
                    shown.add((requirement, vendor))
                    complaints = misjudged(dlcert, python, program, vendor, fault, environment)
                else:
                    print(f"{fault}: {program.stem} on {vendor}: {run['state']}: {run['reason']}")
                for complaint in complaints:
                    print(f"{fault}: {program.stem} on {vendor}: {complaint}")
                wrong += len(complaints)
        for requirement, vendors in FAULTS[fault].items():
            for vendor in vendors:
                if (requirement, vendor) not in shown:
                    print(f"{fault}: no program shows it for {requirement} on {vendor}")
                    wrong += 1
    print(f"{wrong} complaints")
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
