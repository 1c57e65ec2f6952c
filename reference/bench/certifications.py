#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the CPU seconds (user and system, of all processes) of certifications, and the processor.

    certifications.py NAME COMMAND... [, NAME COMMAND...]...

They run in turn, three times; the table has the medians.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import statistics
import subprocess
import sys
from pathlib import Path

RUNS = 3
CERTIFIED_OR_NOT = (0, 1)


def cpu_seconds() -> float:
    """Of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command: list[str]) -> float:
    """Its CPU seconds. A library that is not certified is no error."""
    before = cpu_seconds()
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode not in CERTIFIED_OR_NOT:
        raise SystemExit(f"{' '.join(command)}: exit code {ended.returncode}\n{ended.stdout}")
    return cpu_seconds() - before


def processor() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def main(arguments: list[str]) -> None:
    commands: dict[str, list[str]] = {}
    for part in "\0".join(arguments).split("\0,\0"):
        name, *command = part.split("\0")
        commands[name] = command
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            seconds[name].append(run(command))
    print(f"{processor()}, {len(os.sched_getaffinity(0))} cores\n")
    print(f"| certification | CPU s, median of {RUNS} |\n|---|---:|")
    for name, times in seconds.items():
        print(f"| {name} | {statistics.median(times):.1f} |")
    print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
