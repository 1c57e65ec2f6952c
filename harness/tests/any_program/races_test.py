#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dlcert with-simulated-gpu --races` tells of a program: races_test.py DLCERT RACES HOLDS_LOCK SCHEMA"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import jsonschema

DLCERT, RACES, HOLDS_LOCK, SCHEMA = sys.argv[1:5]
IN_PYTHON = str(Path(__file__).with_name("races.py"))
WATCHED = (DLCERT, "with-simulated-gpu", "--races")

LAUNCHES = """import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, module, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
steps = [cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), cuda.cuCtxSetCurrent(context),
         cuda.cuModuleLoadData(ctypes.byref(module), b".version 8.0"),
         cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"kernel")]
one = [ctypes.c_uint(1)] * 6
steps += [cuda.cuLaunchKernel(kernel, *one, 0, None, None, None) for _ in range(3)]
sys.exit(any(steps))
"""

WAITS_FOR_A_LOCK = """import ctypes, sys, threading
cuda = ctypes.CDLL("libcudart.so.13")
memory = ctypes.c_void_p()
assert cuda.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
library = ctypes.CDLL(sys.argv[1])
library.prepare()
thread = threading.Thread(target=library.fill_with_lock, args=(memory, None))
thread.start()
ctypes.PyDLL(sys.argv[1]).wait_for_lock()
thread.join()
"""


class Watched:
    """A program that was run, and what was told of it."""

    def __init__(self, *words: str, options: tuple[str, ...] = ()) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "races.json"
            ran = subprocess.run([*WATCHED, "--races-json", str(path), *options, *words], capture_output=True, text=True,
                                 timeout=60, check=False)
            self.left = [file.name for file in Path(folder).iterdir()]
            self.json: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.code, self.out, self.err = ran.returncode, ran.stdout, ran.stderr
        jsonschema.validate(self.json, json.loads(Path(SCHEMA).read_text(encoding="utf-8")))

    def functions(self, race: int, call: str, kind: str = "native") -> list[str]:
        """Those of the frames of a call."""
        return [frame.get("function", "") for frame in self.json["races"][race][call][kind]]


class Races(unittest.TestCase):
    """Of a program in C."""

    def test_a_race_is_told_with_both_places(self) -> None:
        run = Watched(RACES, "race")
        self.assertEqual(run.code, 66)
        self.assertEqual(len(run.json["races"]), 1)
        self.assertEqual(run.functions(0, "first")[0], "fills")
        self.assertEqual(run.functions(0, "second")[0], "copies")
        self.assertEqual(run.functions(0, "first")[-1], "main")
        race = run.json["races"][0]
        self.assertEqual((race["first"]["call"], race["second"]["call"]), ("cudaMemsetAsync", "cudaMemcpyAsync"))
        for line in ("^dlcert: race 1 of 1, in process [0-9]+: write by fill_async.* and read by copy_async.* are not ordered: ",
                     "^  the first call, cudaMemsetAsync:\n    .* in fills\n", "^  the second call, cudaMemcpyAsync:\n    .* in copies\n",
                     "\ndlcert: 1 race\n$"):
            self.assertRegex(run.err, f"(?m){line}")

    def test_its_ordered_twin_is_silent(self) -> None:
        run = Watched(RACES, "ordered")
        self.assertEqual((run.code, run.out, run.err), (0, "", ""))
        self.assertEqual((run.json["races"], run.json["processes"]), ([], [Path(RACES).name]))

    def test_each_race_is_told_once(self) -> None:
        self.assertEqual(len(Watched(RACES, "again").json["races"]), 1)

    def test_other_callers_are_another_race(self) -> None:
        run = Watched(RACES, "twice")
        self.assertEqual(len(run.json["races"]), 2)
        self.assertIn("copies_elsewhere", run.functions(1, "second"))

    def test_lines_of_source(self) -> None:
        if subprocess.run(["sh", "-c", "command -v addr2line"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no addr2line")
        frame = Watched(RACES, "race").json["races"][0]["first"]["native"][0]
        source = Path(frame["file"]).read_text(encoding="utf-8").splitlines()
        self.assertIn("cudaMemsetAsync", source[frame["line"] - 1])

    def test_children_that_end_abruptly_are_heard(self) -> None:
        run = Watched(RACES, "forks")
        self.assertEqual((run.code, len(run.json["races"])), (66, 1))

    def test_children_of_a_shell_are_heard(self) -> None:
        run = Watched("sh", "-c", f"'{RACES}' race; '{RACES}' race twice")
        self.assertEqual((run.code, len(run.json["races"])), (66, 2))
        self.assertEqual(len(run.json["processes"]), 2)

    def test_the_exit_code_is_chosen(self) -> None:
        self.assertEqual(Watched(RACES, "race", options=("--error-exitcode", "9")).code, 9)
        self.assertEqual(Watched(RACES, "race", options=("--error-exitcode=0",)).code, 0)

    def test_a_status_of_its_own_passes(self) -> None:
        run = Watched(RACES, "race", "fails")
        self.assertEqual((run.code, run.json["ended_by"], len(run.json["races"])), (3, {"exit_code": 3}, 1))

    def test_a_crash_passes_and_what_was_seen_is_told(self) -> None:
        run = Watched(RACES, "race", "crashes")
        self.assertEqual((run.code, run.json["ended_by"]), (-signal.SIGSEGV, {"signal": signal.SIGSEGV}))
        self.assertEqual(len(run.json["races"]), 1)

    def test_what_is_not_modelled_is_said(self) -> None:
        run = Watched(RACES, "missing", "missing")
        self.assertEqual(run.json["limits"], ["cudaMallocArray is not modelled"])
        self.assertTrue(run.err.endswith("dlcert: 0 races; cudaMallocArray is not modelled\n"))

    def test_a_program_without_a_gpu_is_not_called_free_of_races(self) -> None:
        run = Watched("true")
        self.assertEqual((run.code, run.err), (0, "dlcert: 0 races; no process called a GPU runtime\n"))

    def test_signals_pass(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with subprocess.Popen([*WATCHED, RACES, "waits"], stdout=subprocess.PIPE, text=True) as program:
                assert program.stdout is not None
                self.assertEqual(program.stdout.readline(), "waiting\n")
                program.send_signal(number)
                self.assertEqual(program.wait(timeout=60), -number)

    def test_nothing_stays_behind(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([*WATCHED, RACES, "race"], capture_output=True, timeout=60, check=False, env={"TMPDIR": folder})
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual(Watched(RACES, "race").left, ["races.json"])

    def test_options_of_races_need_it(self) -> None:
        ran = subprocess.run([DLCERT, "with-simulated-gpu", "--error-exitcode", "5", "true"], capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--error-exitcode requires --races", ran.stderr)


class InPython(unittest.TestCase):
    """Lines of Python, whether the call keeps the interpreter's lock or not."""

    def expect_lines(self, *how: str) -> None:
        run = Watched(sys.executable, IN_PYTHON, "libcudart.so.13", *how)
        self.assertEqual((run.code, len(run.json["races"])), (66, 1), run.err)
        for call, function in (("first", "produce"), ("second", "consume")):
            self.assertEqual(run.functions(0, call, "python")[:2], [function, "race"])
            self.assertEqual(run.json["races"][0][call]["native"], [])
            frame = run.json["races"][0][call]["python"][0]
            line = Path(IN_PYTHON).read_text(encoding="utf-8").splitlines()[frame["line"] - 1]
            self.assertIn(run.json["races"][0][call]["call"], line)
            self.assertIn(f"{IN_PYTHON}:{frame['line']} in {function}\n", run.err)

    def test_a_call_that_keeps_the_lock(self) -> None:
        self.expect_lines("PyDLL")

    def test_a_call_that_gives_the_lock_away(self) -> None:
        self.expect_lines("CDLL")

    def test_on_another_thread(self) -> None:
        self.expect_lines("CDLL", "thread")

    def test_in_a_forked_child(self) -> None:
        self.expect_lines("CDLL", "fork")

    def test_who_waits_with_the_lock_is_not_waited_for(self) -> None:
        run = Watched(sys.executable, "-c", WAITS_FOR_A_LOCK, HOLDS_LOCK)
        self.assertEqual((run.code, run.err), (0, ""))

    def test_launches_of_kernels_are_counted(self) -> None:
        run = Watched(sys.executable, "-c", LAUNCHES)
        self.assertEqual((run.code, run.json["opaque_launches"]), (0, 3))
        self.assertEqual(run.err, "dlcert: 0 races; the memory accesses of 3 kernel launches are unknown\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
