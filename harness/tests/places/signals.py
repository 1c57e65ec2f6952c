#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends signals to runner, supervisors and workers at random moments: signals.py DLCERT GOOD BAD MOMENTS SEED [JOBS]

GOOD is an adapter that keeps the rules of the area lifetime, BAD one that breaks them. After each moment: BAD is not
certified and GOOD is not accused, results are complete only with the exit code of their run, and no process is left.
"""

import collections
import ctypes
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
OPTIONS = ["--area", "lifetime", "--cases", "10", "-j", "2", "--case-seconds", "1", "--load-seconds", "10"]
ENDING = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM}
ACTS = [*ENDING, "stop, then continue", "stop, then kill"]
RUN_SECONDS = 120
CLEAN_SECONDS = 15


def children(pid):
    found = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in tasks.read_text().split()]
        except OSError:
            pass  # it has ended
    return found


def generations(runner):
    """The runner, its supervisors, their workers, what these started: lists of process IDs, none empty."""
    found = [[runner]]
    while below := [child for pid in found[-1] for child in children(pid)]:
        found.append(below)
    return found


NAMES = ["runner", "supervisor", "worker"]


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def strike(runner, act, draw):
    """Hits a process of some generation, as soon as there is one. Gives the generation's name."""
    level = draw.randrange(len(NAMES))
    while runner.poll() is None and len(generations(runner.pid)) <= level:
        time.sleep(0.001)
    if runner.poll() is not None:
        return "nobody"
    found = generations(runner.pid)
    level = min(level, len(found) - 1)
    pid = draw.choice(found[level] if level < 2 else [pid for generation in found[2:] for pid in generation])
    if act in ENDING:
        send(pid, ENDING[act])
    else:
        send(pid, signal.SIGSTOP)
        time.sleep(draw.uniform(0.02, 1.5))
        send(pid, signal.SIGCONT if act == "stop, then continue" else signal.SIGKILL)
    return NAMES[level]


def reap_all():
    """Whether all descendants ended by themselves; those that did not are killed."""
    deadline = time.monotonic() + CLEAN_SECONDS
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return True
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    for generation in generations(os.getpid())[1:]:
        for pid in generation:
            send(pid, signal.SIGKILL)
    return False


def complaint(verdict, code, results, error):
    """What is wrong with the end of a run whose adapter deserves `verdict`; nothing: None."""
    try:
        document = json.loads(results.read_text())
    except FileNotFoundError:
        document = {"complete": False}
    if document["complete"] and document["exit_code"] not in (code, verdict):
        return f"complete results say {document['exit_code']}"
    if code in (-number for number in ENDING.values()):
        return None if not document["complete"] or document["exit_code"] == verdict else "complete and wrong"
    if verdict == 1 and code == 0:
        return "BAD is certified"
    if verdict == 0 and code == 1:
        return "GOOD is accused"
    if code == 2:
        told = error.startswith("dlcert: ") and error.count("\n") == 1
        return None if told and not document["complete"] else f"no clear line: {error}"
    if code not in (0, 1, 3, 5):
        return f"exit code {code}: {error}"
    return None if document["complete"] else "no complete results"


def moment(number, seed, command, adapters, seconds):
    """One run with one signal. Gives (adapter, who was hit, act, exit code, complaint or None)."""
    draw = random.Random(f"{seed}:{number}")
    verdict, act, wait = draw.randrange(2), draw.choice(ACTS), draw.uniform(0, 1.05 * seconds)
    with tempfile.TemporaryDirectory(prefix="dlcert-signals-") as folder:
        results = Path(folder, "results.json")
        with open(Path(folder, "err"), "w+", encoding="utf-8") as errors:
            runner = subprocess.Popen([*command, "--adapter", adapters[verdict], "--results", results],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                      preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            time.sleep(wait)
            hit = strike(runner, act, draw)
            wrong = None
            try:
                runner.wait(RUN_SECONDS)
            except subprocess.TimeoutExpired:
                wrong = f"does not end within {RUN_SECONDS} s"
                runner.kill()
                runner.wait()
            if not reap_all():
                wrong = wrong or "processes are left"
            errors.seek(0)
            wrong = wrong or complaint(verdict, runner.returncode, results, errors.read())
            if wrong and results.exists():
                text = [line for line in results.read_text().splitlines() if '"message": "' in line and '""' not in line]
                wrong += "".join(f"\n    {line.strip()}" for line in text[:5])
    return ("good", "bad")[verdict], hit, act, runner.returncode, wrong


def become_reaper():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main(dlcert, good, bad, moments, seed, jobs="1"):
    command, adapters = [dlcert, "certify", *OPTIONS], (good, bad)
    began = time.monotonic()
    for verdict, adapter in enumerate(adapters):
        clean = subprocess.run([*command, "--adapter", adapter], capture_output=True, check=False)
        assert clean.returncode == verdict, clean
    seconds = (time.monotonic() - began) / 2 * max(1, int(jobs) / os.cpu_count())
    with multiprocessing.Pool(int(jobs), become_reaper) as pool:
        runs = [pool.apply_async(moment, (number, seed, command, adapters, seconds)) for number in range(int(moments))]
        tally, wrong = collections.Counter(), 0
        for number, run in enumerate(runs):
            adapter, hit, act, code, complained = run.get()
            tally[hit, act, adapter, code] += 1
            if complained:
                wrong += 1
                print(f"moment {number}: {adapter} adapter, {act}: {hit}, exit code {code}: {complained}", flush=True)
    for (hit, act, adapter, code), count in sorted(tally.items()):
        print(f"{count:5}  {hit:10}  {act:20}  {adapter:4}  exit code {code}")
    taken = time.monotonic() - began
    print(f"{moments} moments, seed {seed}: {wrong} wrong, {taken:.0f} s, {taken / int(moments):.2f} s each")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
