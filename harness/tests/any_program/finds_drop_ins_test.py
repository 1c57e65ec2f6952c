#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who looks for a GPU's libraries finds the drop-ins, and who cannot be redirected is told so: finds_drop_ins_test.py DLCERT
ANOTHER_CUDART OPENS LINKED"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DLCERT, ANOTHER, OPENS, LINKED = sys.argv[1:5]
PLANTED = "77 devices\n"
RUNTIME, DRIVER = "cudaGetDeviceCount", "cuDeviceGetCount"
OPENED_BY_CTYPES = """import ctypes, sys
count = ctypes.c_int(-1)
status = ctypes.CDLL(sys.argv[1]).cudaGetDeviceCount(ctypes.byref(count))
print(count.value, "devices")
sys.exit(status)
"""
RELEASE_OF_AMD_SMI = """import ctypes, sys
smi = ctypes.CDLL(sys.argv[1])
version = (ctypes.c_uint32 * 6)()
status = smi.amdsmi_init(ctypes.c_uint64(2)) or smi.amdsmi_get_lib_version(version)
print(version[0])
sys.exit(status)
"""


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program that is not redirected."""
    return subprocess.run(words, capture_output=True, text=True, timeout=60, env=os.environ | variables, check=False)


def redirected(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program on two simulated devices."""
    return run(DLCERT, "with-simulated-gpu", "--devices", "2", *words, **variables)


class AnyProgram(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def planted(self, name: str) -> str:
        """The path of another library of that name."""
        return shutil.copy(ANOTHER, self.folder / name)

    def script(self, text: str, mode: int = 0o755) -> str:
        """The path of an executable file."""
        path = self.folder / "script"
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return str(path)

    def expect_drop_in(self, *words: str, **variables: str) -> None:
        """The program finds the planted library, and the drop-in under dlcert."""
        self.assertEqual(run(*words, **variables).stdout, PLANTED)
        found = redirected(*words, **variables)
        self.assertEqual((found.stdout, found.stderr, found.returncode), ("2 devices\n", "", 0))


class Finds(AnyProgram):
    """Each way to find a library leads to the drop-in."""

    def test_absolute_path(self) -> None:
        self.expect_drop_in(OPENS, RUNTIME, self.planted("libcudart.so.13"))

    def test_minor_version(self) -> None:
        self.expect_drop_in(OPENS, RUNTIME, self.planted("libcudart.so.13.9.99"))

    def test_name_that_a_wheel_tool_made(self) -> None:
        self.expect_drop_in(OPENS, RUNTIME, self.planted("libcudart-d0da41ae.so.13"))

    def test_rpath(self) -> None:
        self.expect_drop_in(LINKED)

    def test_library_path(self) -> None:
        self.planted("libcudart.so.13")
        self.expect_drop_in(OPENS, RUNTIME, "libcudart.so.13", LD_LIBRARY_PATH=str(self.folder))

    def test_driver_by_name(self) -> None:
        self.planted("libcuda.so.1")
        self.expect_drop_in(OPENS, DRIVER, "libcuda.so.1", LD_LIBRARY_PATH=str(self.folder))

    def test_driver_by_path(self) -> None:
        self.expect_drop_in(OPENS, DRIVER, self.planted("libcuda.so.1"))
        self.expect_drop_in(OPENS, DRIVER, self.planted("libcuda.so"))

    def test_ctypes(self) -> None:
        self.expect_drop_in(sys.executable, "-c", OPENED_BY_CTYPES, self.planted("libcudart.so.13"))

    def test_each_release_of_amd_smi(self) -> None:
        for options, release in ((), "24"), (("--amd-smi", "24"), "24"), (("--amd-smi", "26"), "26"):
            words = "--vendor", "rocm", *options, sys.executable, "-c", RELEASE_OF_AMD_SMI, "libamd_smi.so"
            found = redirected(*words)
            if "no drop-in runtime of rocm" in found.stderr:
                self.skipTest(found.stderr)
            self.assertEqual((found.stdout, found.stderr, found.returncode), (f"{release}\n", "", 0))

    def test_children(self) -> None:
        self.expect_drop_in("sh", "-c", 'env "$@" && exit 0', "sh", OPENS, RUNTIME, self.planted("libcudart.so.13"))

    def test_program_is_looked_up(self) -> None:
        shutil.copy(OPENS, self.folder / "opens_as_named")
        found = redirected("opens_as_named", RUNTIME, "libcudart.so.13", PATH=f"{self.folder}:{os.environ['PATH']}")
        self.assertEqual((found.stdout, found.returncode), ("2 devices\n", 0))

    def test_other_libraries_stay(self) -> None:
        name = self.planted("libcudartx.so.13")
        self.assertEqual(redirected(OPENS, RUNTIME, name).stdout, PLANTED)


class Passes(AnyProgram):
    """What is the program's own passes through."""

    def test_arguments(self) -> None:
        said = redirected("printf", "<%s>", "--devices", "", "--", "list", "a b")
        self.assertEqual(said.stdout, "<--devices><><--><list><a b>")

    def test_program_called_like_a_command(self) -> None:
        shutil.copy(shutil.which("echo") or "echo", self.folder / "list")
        for words in (["list", "--version"], ["--", "list", "--version"]):
            found = redirected(*words, PATH=f"{self.folder}:{os.environ['PATH']}")
            self.assertIn("echo", found.stdout)

    def test_exit_status(self) -> None:
        self.assertEqual(redirected("sh", "-c", "exit 7").returncode, 7)

    def test_death_by_a_signal(self) -> None:
        self.assertEqual(redirected("sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)

    def test_signals_of_the_program_are_as_before(self) -> None:
        self.assertEqual(redirected("sh", "-c", "kill -XFSZ $$").returncode, -signal.SIGXFSZ)

    def test_settings_of_management_libraries(self) -> None:
        said = redirected("printenv", "DLCERT_MANAGEMENT", DLCERT_MANAGEMENT="device.0.power=5").stdout
        self.assertRegex(said, "^devices=2;.*;device.0.power=5\n$")


class Tells(AnyProgram):
    """What the drop-ins leave alone, and a program might count on."""

    def test_devices_that_are_hidden(self) -> None:
        found = redirected("true", CUDA_VISIBLE_DEVICES="1")
        self.assertEqual(found.stderr, "dlcert: CUDA_VISIBLE_DEVICES='1' has no effect on simulated devices: use --devices to set their number\n")
        self.assertEqual(found.returncode, 0)


class Refuses(AnyProgram):
    """One line for each program that the dynamic linker would not redirect."""

    def expect_refusal(self, line: str, *words: str) -> None:
        """dlcert ends with 2 and this line, and nothing else."""
        found = redirected(*words)
        self.assertEqual((found.stdout, found.returncode), ("", 2))
        self.assertRegex(found.stderr, f"^dlcert: .*{line}.*\n$")

    def copy_of_a_program(self) -> Path:
        """An executable that is ours to change."""
        return Path(shutil.copy(OPENS, self.folder / "copy"))

    def test_no_program(self) -> None:
        self.expect_refusal("expected a program but found none")
        self.expect_refusal("no executable program 'there-is-no-such-program'", "there-is-no-such-program")
        self.expect_refusal("no executable program '.*script'", self.script("#!/bin/sh\n", 0o644))
        self.expect_refusal("no executable program '/'", "/")

    def test_static_program(self) -> None:
        copy = self.copy_of_a_program()
        binary = bytearray(copy.read_bytes())
        first, size, count = (int.from_bytes(binary[at:at + width], "little") for at, width in ((32, 8), (54, 2), (56, 2)))
        for part in range(first, first + size * count, size):
            if int.from_bytes(binary[part:part + 4], "little") == 3:  # PT_INTERP
                binary[part:part + 4] = bytes(4)
        copy.write_bytes(binary)
        self.expect_refusal("is statically linked", str(copy))
        self.expect_refusal("is statically linked", self.script(f"#! {copy} -x\n"))

    def test_program_of_another_processor(self) -> None:
        copy = self.copy_of_a_program()
        binary = bytearray(copy.read_bytes())
        binary[18] ^= 0xff
        copy.write_bytes(binary)
        self.expect_refusal("another kind of processor", str(copy))

    def test_program_with_rights(self) -> None:
        if os.getuid() != 0 or os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("only root can give a file to another user, and not on every mount")
        copy = self.copy_of_a_program()
        os.chown(copy, 65534, 65534)
        copy.chmod(0o4755)
        self.expect_refusal("gets rights from its file", str(copy))

    def test_no_program_by_content(self) -> None:
        self.expect_refusal("neither ELF nor a script", self.script("echo\n"))
        self.expect_refusal("asks for the interpreter '/there-is-none'", self.script("#!/there-is-none\n"))

    def test_options(self) -> None:
        self.expect_refusal("expected a whole number from 0 to 64 but found '65'", "--devices", "65", "true")
        self.expect_refusal("not expected: --device", "--device", "2", "true")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
