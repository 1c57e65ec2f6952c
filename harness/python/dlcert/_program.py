# SPDX-License-Identifier: Apache-2.0
"""Finds the program `dlcert`, and runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from dlcert._error import DlcertError

EXIT_USAGE = 2  # the command line or an adapter is wrong: nothing is judged
_JUDGED = (0, 1, 3, 4, 5)  # all other exit codes with which a run can end
_DIST = Path(__file__).parent / "_dist"  # a wheel brings the program here


def find_program() -> str:
    """Returns the path of the program: $DLCERT, that of the wheel, or `dlcert` on PATH. Raises
    DlcertError if there is none."""
    named = os.environ.get("DLCERT")
    if named:
        if not shutil.which(named):
            raise DlcertError(f"DLCERT is '{named}' in the environment: no such program")
        return named
    program = _DIST / "bin" / "dlcert"
    if program.exists():
        return str(program)
    on_path = shutil.which("dlcert")
    if on_path is None:
        raise DlcertError("the program dlcert was not found: install it, add its folder to PATH, "
                          "or set DLCERT in the environment to its path")
    return on_path


def cmake_prefix() -> Path:
    """Returns the folder for CMAKE_PREFIX_PATH. Raises DlcertError if dlcert was not found."""
    if _DIST.exists():
        return _DIST
    return Path(shutil.which(find_program()) or "").resolve().parent.parent


def run_program(arguments: Sequence[str]) -> str:
    """Runs the program. Returns its standard output. Raises DlcertError if it judged nothing: the
    error is the line that the program printed."""
    program = find_program()
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False)
    except (OSError, ValueError) as error:
        raise DlcertError(f"cannot run {program}: {error}") from error
    if done.returncode == EXIT_USAGE:
        raise DlcertError(_reason(done.stderr), done.stderr)
    if done.returncode not in _JUDGED:  # negative: by a signal
        raise DlcertError(f"{program} ended with exit code {done.returncode}", done.stderr)
    return done.stdout


def _reason(errors: str) -> str:
    lines = [line for line in errors.splitlines() if line.startswith("dlcert: ")]
    return lines[-1].removeprefix("dlcert: ") if lines else "dlcert printed no reason"
