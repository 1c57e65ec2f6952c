#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzes each reader of the project in turn: run.py BUILD SECONDS [TARGET...]

BUILD is the folder of the preset fuzz, SECONDS the time of each target, all of them without TARGET. New inputs are
kept in BUILD/corpora/TARGET, beside those of the repository. Tells for each target how many inputs were run, how many
a second of processor time, how many are in the corpus, and what was found; exit code 1 where something was. With
SECONDS 0 nothing is run, and what reaches more than the corpora of the repository is taken into them.
"""

import re
import resource
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
# Of targets that are not the harness's.
CORPORA = {
    "choices": "conformance/fuzz/choices_corpus",
    "cuda_enumeration": "reference/cuda/fuzz/enumeration_corpus",
    "cuda_visible_devices": "reference/cuda/fuzz/visible_devices_corpus",
    "driver_program": "reference/driver/fuzz/program_corpus",
    "exports": "conformance/fuzz/exports_corpus",
    "management_settings": "harness/shims/management/fuzz/corpus",
    "simulated_driver": "reference/driver/fuzz/corpus",
    "tensor_import": "reference/tensor/fuzz/corpus",
}
# Longer inputs reach nothing else and take longer.
MOST_BYTES = {"text": 512, "versions": 128, "options": 64, "shared_memory": 512, "output": 1024, "exports": 256,
              "choices": 256}
USUAL_MOST_BYTES = 2048


def most_bytes(target):
    return MOST_BYTES.get(target, USUAL_MOST_BYTES)


def corpus_of(target):
    return PROJECT / CORPORA.get(target, f"harness/fuzz/corpus/{target}")


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fuzz(program, target, seconds, kept):
    kept.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", f"-max_len={most_bytes(target)}", "-timeout=10",
               "-print_final_stats=1", f"-artifact_prefix={kept.parent}/{target}-"]
    before = processor_seconds()
    done = subprocess.run([program, *options, kept, corpus_of(target)], capture_output=True, text=True, errors="replace",
                          check=False)
    busy = processor_seconds() - before
    found = re.findall(r"^stat::number_of_executed_units: (\d+)", done.stderr, re.M)
    runs = int(found[-1]) if found else 0
    files = len(list(corpus_of(target).iterdir()))
    print(f"{target:22} {runs:12} runs {runs / max(busy, 1):9.0f}/s in {busy:.0f} s of processor time  corpus {files:4} + {len(list(kept.iterdir())):4} new  "
          f"{'nothing found' if done.returncode == 0 else 'FOUND'}", flush=True)
    if done.returncode != 0:
        print(done.stderr[-4000:], flush=True)
    return done.returncode == 0


def merge(program, target, kept):
    corpus = corpus_of(target)
    before = len(list(corpus.iterdir()))
    # By edges alone: how often each was taken makes ten times as many inputs.
    subprocess.run([program, "-set_cover_merge=1", "-use_counters=0", f"-max_len={most_bytes(target)}", corpus, kept],
                   capture_output=True, check=True)
    size = sum(path.stat().st_size for path in corpus.iterdir())
    print(f"{target:22} corpus {before} + {len(list(kept.iterdir()))} new -> {len(list(corpus.iterdir()))} inputs, "
          f"{size} bytes", flush=True)


def main(build, seconds, *targets):
    programs = {path.name.removesuffix("_fuzz"): path for path in sorted(Path(build, "bin").glob("*_fuzz"))}
    well = True
    for target in targets or programs:
        kept = Path(build, "corpora", target)
        if int(seconds) == 0:
            merge(programs[target], target, kept)
        else:
            well = fuzz(programs[target], target, int(seconds), kept) and well
    return 0 if well else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
