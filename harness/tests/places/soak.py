#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Certifies for a long time and watches whether something grows: soak.py DLCERT SECONDS GOOD [[NAME=VALUE,]OTHER...]

GOOD is an adapter that passes; the OTHERs, with the variable that chooses their fault, fail, crash or hang. In the
first sixth of the time one worker judges one rule; in the second one runner repeats an area; in the rest each adapter
is certified again and again, GOOD against all rules. Watched are, of each process that lives long, its private
memory, its descriptors, mappings and threads; after each run its peak of memory (as far as it exceeds this script's
own), and what is left: entries of /dev/shm and of System V, files beside the results, processes. Each value is fitted
by a line after a warm-up of a fourth; a growth beyond the tolerance, or an exit code that changes, is told in one
line, and the exit code is 1. Where it may, it runs in namespaces of its own, so that what other programs leave is not
counted.

Two hours: nice -n 19 soak.py build/dev/bin/dlcert 7200 build/dev/lib/libdlcert_reference_adapter.so \\
  build/dev/lib/libdeletes_twice_adapter.so DLCERT_HOSTILE=crash-in-an-import,build/dev/lib/hostile_adapter.so \\
  DLCERT_HOSTILE=hang-in-an-import,build/dev/lib/hostile_adapter.so
"""

import collections
import ctypes
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RULE = "lifetime.deleter.exactly-once"
MANY = "1000000000"
PR_SET_CHILD_SUBREAPER = 36
SAMPLE_SECONDS = 5
ENOUGH = 8  # samples, for a line to be fitted
NAMESPACES = ["unshare", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
OWN = "DLCERT_SOAK_OWN_NAMESPACES"
# How much the fitted line may rise from the end of the warm-up: an allocator keeps some pages, and what is counted not.
TOLERANCES = {"private KiB": 1024, "peak KiB": 1024}


class Curves:
    """Samples by (whose, what)."""

    def __init__(self):
        self.samples, self.began = collections.defaultdict(list), time.monotonic()

    def add(self, whose, **values):
        now = time.monotonic() - self.began
        for name, value in values.items():
            self.samples[whose, name.replace("_", " ")].append((now, value))
        print(f"{now:8.1f} s  {whose}:", "  ".join(f"{name.replace('_', ' ')} {value}" for name, value in values.items()),
              flush=True)

    def complaints(self):
        """Prints a line for each curve. Gives the lines of those that grow."""
        grown = []
        for (whose, what), samples in self.samples.items():
            kept = samples[len(samples) // 4:]
            if len(kept) < ENOUGH:
                continue
            slope = statistics.linear_regression(*zip(*kept)).slope
            rise, values = slope * (kept[-1][0] - kept[0][0]), [value for _, value in samples]
            line = (f"{whose}: {what}: {len(values)} samples, first {values[0]}, least {min(values)}, most {max(values)}, "
                    f"last {values[-1]}, rises by {rise:.1f} in {kept[-1][0] - kept[0][0]:.0f} s")
            print(line)
            if rise > TOLERANCES.get(what, 0.5):
                grown.append(line)
        return grown


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""  # the process has ended


def descendants(pid):
    found = []
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, read(tasks).split()):
            found += [child, *descendants(child)]
    return found


def watch(curves, pid, name):
    """Samples a process. Memory that is not another's: anonymous and shared pages, not files that are mapped."""
    status = dict(line.split(":", 1) for line in read(f"/proc/{pid}/status").splitlines() if ":" in line)
    try:
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        private = sum(int(status[key].split()[0]) for key in ("RssAnon", "RssShmem"))
    except (OSError, KeyError):
        return
    curves.add(name, private_KiB=private, descriptors=descriptors, mappings=read(f"/proc/{pid}/maps").count("\n"),
               threads=int(status["Threads"]))


def long_run(curves, part, command, seconds, folder):
    """Watches a run that would take longer, and ends it by SIGINT."""
    print(f"{part}: {' '.join(map(str, command))}", flush=True)
    with open(Path(folder, "output"), "w", encoding="utf-8") as output:
        runner = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and runner.poll() is None:
            time.sleep(SAMPLE_SECONDS)
            for pid in [runner.pid, *descendants(runner.pid)]:
                began = read(f"/proc/{pid}/stat").rpartition(")")[2].split()[19:20]
                if began and time.clock_gettime(time.CLOCK_BOOTTIME) - int(began[0]) / os.sysconf("SC_CLK_TCK") > 1:
                    watch(curves, pid, f"{part}: {read(f'/proc/{pid}/comm').strip()} {pid}")
        ended = runner.poll()
        if ended is None:
            runner.send_signal(signal.SIGINT)
            runner.wait()
    reap()
    return [] if ended is None else [f"{part}: ended early with {ended}: {read(Path(folder, 'output'))[-300:]}"]


def certify(command, environment, folder):
    """Runs to its end. Gives the exit code and the peak of memory of its largest process, in KiB."""
    with open(Path(folder, "output"), "w", encoding="utf-8") as output:
        child = subprocess.Popen([*command, "--results", Path(folder, "results.json")], stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=output, env={**os.environ, **environment})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, usage.ru_maxrss


def reap():
    """Reaps what has ended, within a second. Gives how many processes are left."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return 0
        time.sleep(0.02)
    return len(descendants(os.getpid()))


def left(folder):
    """What runs left: the results and the output of the last one are known."""
    system_v = sum(max(0, read(f"/proc/sysvipc/{kind}").count("\n") - 1) for kind in ("shm", "sem", "msg"))
    return {"shared_memory": len(os.listdir("/dev/shm")), "System_V": system_v, "processes": reap(),
            "temporary_files": len(list(Path(folder, "tmp").rglob("*"))),
            "files": len([path for path in Path(folder).iterdir() if path.name != "results.json.counterexamples"]),
            "own_descriptors": len(os.listdir("/proc/self/fd"))}


def rounds(curves, dlcert, adapters, seconds, folder):
    codes, deadline, round_number = {}, time.monotonic() + seconds, 0
    wrong = []
    while time.monotonic() < deadline and not wrong:
        round_number += 1
        for number, (environment, adapter) in enumerate(adapters):
            name = " ".join([Path(adapter).name, *environment.values()])
            chosen = ["--area", "lifetime", "--case-seconds", "0.4", "--no-preflight"] if number > 0 else []
            code, peak = certify([dlcert, "certify", "--cases", "3", "-j", "2", *chosen, "--adapter", adapter],
                                 environment, folder)
            curves.add(name, peak_KiB=peak)
            if codes.setdefault(name, code) != code:
                wrong.append(f"{name}: exit code {code} in round {round_number}, {codes[name]} before: "
                             f"{read(Path(folder, 'output'))[-300:]}")
        curves.add("left", **left(folder))
    print(f"{round_number} rounds, exit codes {codes}")
    return wrong


def main(dlcert, seconds, *arguments):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    chosen = [argument.rpartition(",") for argument in arguments]
    adapters = [(dict([variable.split("=", 1)] if variable else []), path) for variable, _, path in chosen]
    curves, sixth = Curves(), float(seconds) / 6
    with tempfile.TemporaryDirectory(prefix="dlcert-soak-") as folder:
        Path(folder, "tmp").mkdir()
        os.environ["TMPDIR"] = str(Path(folder, "tmp"))
        good = ["--adapter", adapters[0][1], "--no-preflight", "-j", "1"]
        wrong = long_run(curves, "one worker", [dlcert, "run", RULE, "--cases", MANY, *good], sixth, folder)
        wrong += long_run(curves, "one runner", [dlcert, "run", "lifetime", "--cases", "3", "--repeat", "1000000", *good],
                          sixth, folder)
        wrong += rounds(curves, dlcert, adapters, 4 * sixth, folder)
    wrong += [f"grows: {line}" for line in curves.complaints()]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if OWN not in os.environ and subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[OWN] = "1"
        inside = 'mount -t tmpfs none /dev/shm && exec "$@"'
        os.execvp(NAMESPACES[0], [*NAMESPACES, "sh", "-c", inside, "sh", sys.executable, *sys.argv])
    sys.exit(main(*sys.argv[1:]))
