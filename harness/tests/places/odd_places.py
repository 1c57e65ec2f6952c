#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Certifies where a machine is odd: odd_places.py DLCERT GOOD BAD PLACE

In each place an adapter that keeps a rule and one that breaks it get the right verdict, or one clear line and exit code
2; where only one of these is right, the place says which. Exit code 77: this machine cannot be made such a place.
"""

import ctypes
import os
import platform
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

RULE = "lifetime.deleter.self-argument"  # no check of which needs a process of its own
NOBODY = 65534
SKIPPED = 77
SECONDS = 120

# <linux/seccomp.h>, <linux/filter.h>, <linux/audit.h>
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
PIDFD_OPEN = 434  # on every architecture


class Skipped(Exception):
    pass


class Wrong(Exception):
    pass


def become_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def without_pidfd():
    """Lets pidfd_open(2) fail with ENOSYS, as a kernel before 5.3 does."""
    libc = ctypes.CDLL(None, use_errno=True)
    steps = [(LOAD_WORD, 0, 0, 0), (JUMP_EQUAL, 0, 1, PIDFD_OPEN), (RETURN, 0, 0, FAIL | 38), (RETURN, 0, 0, ALLOW)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    text = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(text))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


class Place:
    def __init__(self, dlcert, good, bad, folder):
        self.dlcert, self.adapters, self.folder = dlcert, {0: good, 1: bad}, folder

    def run(self, verdict, *more, before=(), **process):
        """Runs the rule on the adapter that deserves `verdict`, below the command `before`."""
        command = [*before, self.dlcert, "run", RULE, "--cases", "10", "--no-preflight", "--adapter",
                   self.adapters[verdict], *more]
        if "stdout" not in process:
            process["stdout"] = subprocess.PIPE
        return subprocess.run(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=SECONDS, text=True,
                              errors="replace", **process)

    def expect_verdicts(self, *more, **how):
        for verdict in self.adapters:
            done = self.run(verdict, *more, **how)
            if done.returncode != verdict:
                raise Wrong(f"expected exit code {verdict} but found {done.returncode}: {done.stderr}{done.stdout}")

    def expect_one_line(self, part, *more, **how):
        for verdict in self.adapters:
            done = self.run(verdict, *more, **how)
            if done.returncode != 2 or not one_line(done) or part not in done.stderr:
                raise Wrong(f"expected a line with '{part}' but found {done.returncode}: {done.stderr}")

    def expect_either(self, what, **how):
        for verdict in self.adapters:
            done = self.run(verdict, **how)
            told = done.stderr if done.returncode == 2 else (done.stdout or "").rstrip().rpartition("\n")[2]
            print(f"{what}: {'good' if verdict == 0 else 'bad'} adapter: {done.returncode} {told.strip()}")
            if done.returncode != verdict and not (done.returncode == 2 and one_line(done)):
                raise Wrong(f"{what}: expected exit code {verdict}, or 2 and one line, but found {done.returncode}: "
                            f"{done.stderr}{done.stdout}")


    def expect_no_accusation(self, what, **how):
        """Certifies the good adapter as a whole: what the place keeps dlcert from doing is not the adapter's failure."""
        command = [self.dlcert, "certify", "--cases", "2", "--adapter", self.adapters[0]]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS, text=True,
                              errors="replace", check=False, **how)
        print(f"{what}: certify: {done.returncode} {done.stderr or done.stdout.rstrip().splitlines()[-1]}")
        if done.returncode not in (0, 3) and not (done.returncode == 2 and one_line(done)):
            raise Wrong(f"{what}: {done.returncode}: {done.stderr}{done.stdout}")


def one_line(done):
    return done.stderr.startswith("dlcert: ") and done.stderr.count("\n") == 1


def namespace(*flags, setup=":"):
    """A command before a program: in namespaces of its own, after the shell commands `setup`."""
    command = ["unshare", *([] if os.getuid() == 0 else ["-r"]), *flags, "sh", "-c", f'{setup} && exec "$@"', "sh"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Skipped(f"{' '.join(command)}: {tried.stderr.strip()}")
    return command


# ---- places --------------------------------------------------------------------------------------------------------


def as_it_is(place):
    place.expect_verdicts()


def process_one(place):
    """Process 1, whose parent is 0, as in a container."""
    place.expect_verdicts("--results", str(place.folder / "r.json"), before=namespace("-fp", "--mount-proc"))


def proc_of_others(place):
    place.expect_one_line("mount the /proc of this namespace", before=namespace("-fp"))


def no_proc(place):
    place.expect_one_line("/proc is not mounted", before=namespace("-m", setup="mount -t tmpfs none /proc"))


def hidden_parent(place):
    """Nobody, for whom /proc holds no process of others."""
    if os.getuid() != 0:
        raise Skipped("only root can mount /proc with hidepid")
    before = namespace("-fmp", setup="mount -t proc -o hidepid=2 proc /proc")
    parent = ["sh", "-c", '"$@"; exit $?', "sh"]
    place.expect_verdicts(before=[*before, *parent, "setpriv", f"--reuid={NOBODY}", "--clear-groups", "--"])


def no_shm(place):
    place.expect_verdicts(before=namespace("-m", setup="mount -t tmpfs -o ro,size=4k none /dev/shm"))


def no_pidfd(place):
    if platform.machine() not in ("x86_64", "aarch64"):
        raise Skipped(f"seccomp is not tried on {platform.machine()}")
    place.expect_one_line("pidfd", preexec_fn=without_pidfd)


def nobody(place):
    if os.getuid() != 0:
        raise Skipped("this is nobody in particular already")
    place.expect_verdicts(preexec_fn=become_nobody)


def few_processes(place):
    def limit(count):
        def apply():
            resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
            become_nobody()
        return apply

    for count in (0, 1, 2, 3, 4, 8):
        place.expect_either(f"{count} processes", preexec_fn=limit(count))
    place.expect_no_accusation("3 processes", preexec_fn=limit(3))


def few_descriptors(place):
    def limit(count):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))

    for count in (4, 8, 16, 18, 20, 24, 32):
        place.expect_either(f"{count} descriptors", preexec_fn=limit(count))
    for count in (18, 24):
        place.expect_no_accusation(f"{count} descriptors", preexec_fn=limit(count))


def little_address_space(place):
    def limit(size):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (size << 20, size << 20))

    for size in (32, 128, 1024):
        place.expect_either(f"{size} MiB", preexec_fn=limit(size))
    for size in (64, 256, 2048):
        place.expect_no_accusation(f"{size} MiB", preexec_fn=limit(size))


def small_files(place):
    results = place.folder / "r.json"
    for size in (0, 1 << 10, 1 << 20):
        place.expect_either(f"files of {size} bytes", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size,) * 2))
    done = place.run(0, "--results", str(results), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    if done.returncode == 0 or (results.exists() and '"complete": true' in results.read_text()):
        raise Wrong(f"expected no results but found {done.returncode}")


def closed_streams(place):
    for streams in ((0,), (1,), (2,), (0, 1), (0, 1, 2)):
        place.expect_verdicts(preexec_fn=lambda: [os.close(stream) for stream in streams])


def full_output(place):
    with open("/dev/full", "w", encoding="utf-8") as full:
        place.expect_one_line("cannot write to standard output: No space left on device", stdout=full)


def full_disk(place):
    before = namespace("-m", setup=f"mount -t tmpfs -o size=8k none {place.folder}")
    place.expect_one_line("No space left on device", "--results", str(place.folder / "r.json"), before=before)


def unwritable_folder(place):
    place.folder.chmod(0o555)
    how = {"preexec_fn": become_nobody} if os.getuid() == 0 else {}
    place.expect_one_line("Permission denied", "--results", str(place.folder / "r.json"), **how)


def two_runs_on_one_file(place):
    results = str(place.folder / "r.json")
    first = subprocess.Popen([place.dlcert, "certify", "--adapter", place.adapters[0], "--results", results],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        while not os.path.exists(results) and first.poll() is None:
            pass
        place.expect_one_line("another run of dlcert is writing it", "--results", results)
    finally:
        first.communicate()
    if first.returncode != 0:
        raise Wrong(f"the first run ended with {first.returncode}")


PLACES = {name: value for name, value in globals().items()
          if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("place",)}


def main(dlcert, good, bad, name):
    folder = Path(tempfile.mkdtemp(prefix="dlcert-place-"))
    folder.chmod(0o777)
    try:
        PLACES[name](Place(dlcert, good, bad, folder))
    except Skipped as why:
        print(f"SKIPPED {name}: {why}", file=sys.stderr)
        return SKIPPED
    except Wrong as why:
        print(f"{name}: {why}", file=sys.stderr)
        return 1
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(*PLACES)
        sys.exit(0)
    sys.exit(main(*sys.argv[1:]))
