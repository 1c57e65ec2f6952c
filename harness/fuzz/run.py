#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes each reader of the project in turn: run.py BUILD SECONDS [TARGET...]

BUILD is the folder of the preset fuzz, SECONDS the time of each target. Without TARGET every target is run. The inputs
of a target are in its file TARGET.corpus; new ones are kept in BUILD/new_inputs/TARGET. For each target the script prints
how many inputs it ran, how many for each second of processor time, how many are in its file, and whether something was
found; then the exit code is 1. With SECONDS 0 it runs no target, but writes TARGET.corpus anew: the fewest inputs, of the
old and the new ones, that reach as much as all, and those with names.
"""

import contextlib
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import corpus

PROJECT = Path(__file__).resolve().parents[2]
# Longer inputs reach nothing else and take longer.
MOST_BYTES = {"text": 512, "versions": 128, "options": 64, "shared_memory": 512, "output": 1024, "exports": 256,
              "choices": 256}
USUAL_MOST_BYTES = 2048


def most_bytes(target):
    return MOST_BYTES.get(target, USUAL_MOST_BYTES)


def packed(target):
    """The file of a target's inputs."""
    found = [file for folder in ("conformance", "harness", "reference")
             for file in (PROJECT / folder).glob(f"**/fuzz/{target}.corpus")]
    if len(found) != 1:
        raise SystemExit(f"{target}: expected one file {target}.corpus but found {len(found)}")
    return found[0]


@contextlib.contextmanager
def unpacked(target):
    """The folder of a target's inputs."""
    with tempfile.TemporaryDirectory() as folder:
        corpus.unpack(packed(target), folder)
        yield Path(folder)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz(program, target, seconds, kept):
    kept.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-max_len={most_bytes(target)}", "-timeout=10",
               "-print_final_stats=1", f"-artifact_prefix={kept.parent}/{target}-"]
    before = processor_seconds()
    with unpacked(target) as inputs:
        files = len(list(inputs.iterdir()))
        done = subprocess.run([program, *options, kept, inputs], capture_output=True, text=True, errors="replace",
                              check=False)
    busy = processor_seconds() - before
    found = re.findall(r"^stat::number_of_executed_units: (\d+)", done.stderr, re.M)
    runs = int(found[-1]) if found else 0
    print(f"{target:22} {runs:12} runs {runs / max(busy, 1):9.0f}/s in {busy:.0f} s of processor time  "
          f"inputs {files:4} + {len(list(kept.iterdir())):4} new  {'nothing found' if done.returncode == 0 else 'FOUND'}",
          flush=True)
    if done.returncode != 0:
        print(done.stderr[-4000:], flush=True)
    return done.returncode == 0


def minimize(program, target, kept):
    kept.mkdir(parents=True, exist_ok=True)
    with unpacked(target) as old, tempfile.TemporaryDirectory() as least:
        for path in old.iterdir():
            if path.name != corpus.digest(path.read_bytes()):
                Path(least, path.name).write_bytes(path.read_bytes())
        # By edges alone: how often each was taken makes ten times as many inputs.
        subprocess.run([program, "-set_cover_merge=1", "-use_counters=0", f"-max_len={most_bytes(target)}", least, old, kept],
                       capture_output=True, check=True)
        counts = [len(list(folder.iterdir())) for folder in (old, kept, Path(least))]
        corpus.pack(least, packed(target))
    print(f"{target:22} {counts[0]} inputs + {counts[1]} new -> {counts[2]}, {packed(target).stat().st_size} bytes",
          flush=True)


def main(build, seconds, *targets):
    programs = {path.name.removesuffix("_fuzz"): path for path in sorted(Path(build, "bin").glob("*_fuzz"))}
    well = True
    for target in targets or programs:
        kept = Path(build, "new_inputs", target)
        if int(seconds) == 0:
            minimize(programs[target], target, kept)
        else:
            well = fuzz(programs[target], target, int(seconds), kept) and well
    return 0 if well else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
